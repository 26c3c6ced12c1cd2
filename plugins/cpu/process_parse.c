/* SPDX-License-Identifier: BSD-2-Clause */
/* The texts of /proc/PID; see process_parse.h. */
#include "process_parse.h"

#include <string.h>

bool process_parse_number(const char **at, uint64_t *number)
{
	const char *digit = *at;
	uint64_t value = 0;

	for (; *digit >= '0' && *digit <= '9'; digit++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*digit - '0'), &value))
			return false;
	if (digit == *at)
		return false;
	*at = digit;
	*number = value;
	return true;
}

/* The same behind a blank, and of either sign. */
static bool parse_next(const char **at, int64_t *number)
{
	const char *text = *at;
	uint64_t value;
	bool minus;

	if (*text++ != ' ')
		return false;
	minus = *text == '-';
	text += minus;
	if (!process_parse_number(&text, &value))
		return false;
	*at = text;
	*number = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

/* Columns of stat behind the state, which is the third. */
enum {
	STAT_PPID = 4,
	STAT_MINOR = 10,
	STAT_MAJOR = 12,
	STAT_USER = 14,
	STAT_SYSTEM = 15,
	STAT_CHILD_USER = 16,
	STAT_CHILD_SYSTEM = 17,
	STAT_PRIORITY = 18,
	STAT_NICE = 19,
	STAT_THREADS = 20,
	STAT_START = 22,
	STAT_VSZ = 23,
	STAT_RSS = 24,
	STAT_CPU = 39,
	STAT_IOWAIT = 42,
	STAT_GUEST = 43,
	STAT_END = 44,
};

static void stat_fill(struct process_stat *stat, const int64_t *columns)
{
	stat->ppid = (uint32_t)columns[STAT_PPID];
	stat->minor = (uint64_t)columns[STAT_MINOR];
	stat->major = (uint64_t)columns[STAT_MAJOR];
	stat->user = (uint64_t)columns[STAT_USER];
	stat->system = (uint64_t)columns[STAT_SYSTEM];
	stat->child_user = (uint64_t)columns[STAT_CHILD_USER];
	stat->child_system = (uint64_t)columns[STAT_CHILD_SYSTEM];
	stat->priority = (int32_t)columns[STAT_PRIORITY];
	stat->nice = (int32_t)columns[STAT_NICE];
	stat->threads = (uint32_t)columns[STAT_THREADS];
	stat->start = (uint64_t)columns[STAT_START];
	stat->vsz = (uint64_t)columns[STAT_VSZ];
	stat->rss = columns[STAT_RSS] > 0 ? (uint64_t)columns[STAT_RSS] : 0;
	stat->cpu = (uint32_t)columns[STAT_CPU];
	stat->iowait = (uint64_t)columns[STAT_IOWAIT];
	stat->guest = (uint64_t)columns[STAT_GUEST];
}

/* The name may hold anything, also "(" and ")" and ends of lines; the last ")" of all closes it. */
static const char *stat_comm(const char *text, size_t length, struct process_stat *stat)
{
	const char *open = memchr(text, '(', length);
	const char *close = memrchr(text, ')', length);
	size_t size;

	if (!open || !close || close < open)
		return NULL;
	size = (size_t)(close - open) - 1;
	memset(stat->comm, 0, sizeof(stat->comm));
	/* Names of kernel threads may be longer here than those of the kernel's tasks. */
	memcpy(stat->comm, open + 1, size < sizeof(stat->comm) ? size : sizeof(stat->comm) - 1);
	return close + 1;
}

bool process_parse_stat(const char *text, size_t length, struct process_stat *stat)
{
	const char *at = stat_comm(text, length, stat);
	int64_t columns[STAT_END] = { 0 };

	if (!at || at[0] != ' ' || !at[1])
		return false;
	stat->state = at[1];
	at += 2;
	/* Old kernels have fewer columns behind the CPU, new ones more. */
	for (int i = STAT_PPID; i < STAT_END; i++)
		if (!parse_next(&at, &columns[i]) && i <= STAT_CPU)
			return false;
	stat_fill(stat, columns);
	return true;
}

bool process_parse_schedstat(const char *text, struct process_schedstat *schedstat)
{
	return process_parse_number(&text, &schedstat->run_ns) && *text++ == ' ' &&
	       process_parse_number(&text, &schedstat->wait_ns) && *text++ == ' ' &&
	       process_parse_number(&text, &schedstat->times);
}

/* The number of the line that begins with `name`, at or behind *at, which goes there. */
static bool parse_line(const char **at, const char *name, uint64_t *number)
{
	size_t length = strlen(name);

	for (const char *line = *at; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) != 0)
			continue;
		line += length;
		line += strspn(line, " \t");
		*at = line;
		return process_parse_number(at, number);
	}
	return false;
}

bool process_parse_status(const char *text, struct process_status *status)
{
	uint64_t uid;

	if (!parse_line(&text, "Uid:", &uid) || uid > UINT32_MAX)
		return false;
	status->uid = (uint32_t)uid;
	/* Kernel threads have no memory of their own. */
	status->stack = status->swap = 0;
	if (parse_line(&text, "VmStk:", &status->stack))
		status->stack *= 1024;
	if (parse_line(&text, "VmSwap:", &status->swap))
		status->swap *= 1024;
	return parse_line(&text, "voluntary_ctxt_switches:", &status->voluntary) &&
	       parse_line(&text, "nonvoluntary_ctxt_switches:", &status->involuntary);
}

bool process_parse_io(const char *text, struct process_io *io)
{
	return parse_line(&text, "read_bytes:", &io->read) &&
	       parse_line(&text, "write_bytes:", &io->written) &&
	       parse_line(&text, "cancelled_write_bytes:", &io->cancelled);
}
