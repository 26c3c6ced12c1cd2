/* SPDX-License-Identifier: BSD-2-Clause */
/* Source kernel.limits: software resources that run out: descriptors, tasks, tracked connections. */
#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <weir/number.h>
#include <weir/pace.h>
#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/reading.h>
#include <weir/sample.h>

struct limits_conf {
	uint64_t interval;
	double from;
};

static const struct weir_option limits_options[] = {
	WEIR_OPT_DURATION(struct limits_conf, interval, "0", 0, 24 * WEIR_HOUR,
			  "time between two readings; 0: one reading, then the end"),
	WEIR_OPT_RATIO(struct limits_conf, from, "50%",
		       "show processes that use at least this share of their descriptors"),
};

struct limits_row {
	char limit[16];
	uint32_t pid;
	char comm[20];
	uint64_t used;
	uint64_t max;
	double share;
};

static const struct weir_field limits_fields[] = {
	WEIR_FIELD(struct limits_row, limit, WEIR_NONE, WEIR_KEY,
		   "files, threads, pids, conntrack: of the machine; fds: of a process"),
	WEIR_FIELD_WITH(struct limits_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process"),
	WEIR_FIELD_WITH(struct limits_row, comm, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "its name"),
	WEIR_FIELD(struct limits_row, used, WEIR_COUNT, WEIR_GAUGE, "in use"),
	WEIR_FIELD(struct limits_row, max, WEIR_COUNT, WEIR_GAUGE,
		   "what there can be; of a process its soft limit"),
	WEIR_FIELD(struct limits_row, share, WEIR_RATIO, WEIR_GAUGE, "used of max"),
};
WEIR_SCHEMA(limits_schema, "limits", struct limits_row, limits_fields);

static const struct weir_output limits_outputs[] = {
	{ "limits", "one row per limit of the machine, one per process near its own",
	  &limits_schema, 0, 0 },
};

#define LIMITS_PARTS 1000 /* see weir_pace_end() */

struct limits_state {
	struct weir_buffer buffer;
	struct weir_pace pace; /* of looking at all processes */
	bool started;
	bool skipped; /* processes, in the last reading */
};

static int limits_add(struct weir_ctx *ctx, struct weir_batch *batch, const char *limit,
		      uint64_t used, uint64_t max)
{
	struct limits_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	snprintf(row->limit, sizeof(row->limit), "%s", limit);
	row->pid = WEIR_ABSENT_U32;
	row->used = used;
	row->max = max;
	row->share = max ? (double)used / (double)max : 0;
	return 0;
}

/* The machine's own: where a file is not there, or not understood, there is no row. */
static bool limits_number(struct weir_ctx *ctx, const char *path, uint64_t *number)
{
	int64_t value = 0;

	if (weir_read_number(ctx, path, &value) < 0 || value < 0)
		return false;
	*number = (uint64_t)value;
	return true;
}

/* "allocated free max": none is free since 2.6, but older kernels count those apart. */
static int limits_add_files(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct limits_state *st = ctx->state;
	uint64_t allocated, spare, max;
	const char *at;

	if (weir_read_file(ctx, "proc/sys/fs/file-nr", &st->buffer) < 0)
		return 0;
	at = st->buffer.bytes;
	if (!weir_take_number(&at, &allocated) || !weir_take_number(&at, &spare) ||
	    !weir_take_number(&at, &max))
		return weir_fail(ctx, -EBADMSG, "/proc/sys/fs/file-nr: cannot read \"%.*s\"",
				 (int)strcspn(st->buffer.bytes, "\n"), st->buffer.bytes);
	return limits_add(ctx, batch, "files", allocated > spare ? allocated - spare : 0, max);
}

/* "0.10 0.20 0.30 2/345 6789": 345 threads, each of which takes a pid. */
static int limits_add_threads(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct limits_state *st = ctx->state;
	uint64_t threads, max;
	const char *at;
	int err = 0;

	if (weir_read_file(ctx, "proc/loadavg", &st->buffer) < 0)
		return 0;
	at = strchr(st->buffer.bytes, '/');
	if (!at++ || !weir_take_number(&at, &threads))
		return weir_fail(ctx, -EBADMSG, "/proc/loadavg: cannot read \"%s\"",
				 st->buffer.bytes);
	if (limits_number(ctx, "proc/sys/kernel/threads-max", &max))
		err = limits_add(ctx, batch, "threads", threads, max);
	if (!err && limits_number(ctx, "proc/sys/kernel/pid_max", &max))
		err = limits_add(ctx, batch, "pids", threads, max);
	return err;
}

static int limits_add_conntrack(struct weir_ctx *ctx, struct weir_batch *batch)
{
	uint64_t count, max;

	if (!limits_number(ctx, "proc/sys/net/netfilter/nf_conntrack_count", &count) ||
	    !limits_number(ctx, "proc/sys/net/netfilter/nf_conntrack_max", &max))
		return 0;
	return limits_add(ctx, batch, "conntrack", count, max);
}

/* The kernel tells the count as the folder's size since 6.2; before, it is counted. */
static bool limits_size_counts(struct weir_ctx *ctx)
{
	struct stat status;

	return weir_sample_is_live(ctx) && fstatat(ctx->root, "proc/self/fd", &status, 0) == 0 &&
	       status.st_size > 0;
}

/* A process by its folder in /proc, which is open; its name there is not looked up before it must be. */
struct limits_process {
	int proc;
	uint32_t pid;
};

/* A file of its folder. */
static int limits_open(const struct limits_process *process, const char *file, int flags)
{
	char path[32];

	snprintf(path, sizeof(path), "%u/%s", process->pid, file);
	return openat(process->proc, path, O_RDONLY | O_CLOEXEC | flags);
}

static bool limits_read(struct weir_ctx *ctx, const struct limits_process *process,
			const char *file)
{
	struct limits_state *st = ctx->state;
	int fd = limits_open(process, file, O_NONBLOCK);
	bool ok = fd >= 0 && weir_read_fd(fd, &st->buffer) == 0;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool limits_count_entries(const struct limits_process *process, uint64_t *count)
{
	int fd = limits_open(process, "fd", O_DIRECTORY);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	*count = 0;
	if (!stream) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	while ((entry = readdir(stream)))
		*count += entry->d_name[0] != '.';
	closedir(stream);
	return true;
}

static bool limits_size(const struct limits_process *process, uint64_t *count)
{
	struct stat status;
	char path[32];

	snprintf(path, sizeof(path), "%u/fd", process->pid);
	if (fstatat(process->proc, path, &status, 0) < 0)
		return false;
	*count = (uint64_t)status.st_size;
	return true;
}

/* "Max open files            1024                 524288               files". */
static bool limits_soft(struct weir_ctx *ctx, const struct limits_process *process, uint64_t *max)
{
	static const char name[] = "\nMax open files ";
	struct limits_state *st = ctx->state;
	const char *at =
		limits_read(ctx, process, "limits") ? strstr(st->buffer.bytes, name) : NULL;

	if (!at)
		return false;
	at += sizeof(name) - 1;
	return weir_take_number(&at, max);
}

/* By a call instead of a file, where this machine is looked at and its owner allows it. */
static bool limits_of_process(struct weir_ctx *ctx, const struct limits_process *process, bool live,
			      uint64_t *max)
{
	struct rlimit limit;

	if (!live || prlimit((pid_t)process->pid, RLIMIT_NOFILE, NULL, &limit) < 0)
		return limits_soft(ctx, process, max);
	*max = limit.rlim_cur;
	return limit.rlim_cur != RLIM_INFINITY;
}

static int limits_add_process(struct weir_ctx *ctx, struct weir_batch *batch,
			      const struct limits_process *process, uint64_t used, uint64_t max)
{
	struct limits_state *st = ctx->state;
	struct limits_row *row;
	int err = limits_add(ctx, batch, "fds", used, max);

	if (err)
		return err;
	row = (struct limits_row *)(batch->rows + (size_t)(batch->row_count - 1) * batch->row_size);
	row->pid = process->pid;
	if (limits_read(ctx, process, "comm"))
		snprintf(row->comm, sizeof(row->comm), "%.*s", (int)strcspn(st->buffer.bytes, "\n"),
			 st->buffer.bytes);
	return 0;
}

/* A process that ends meanwhile, or whose descriptors are not for this user, has no row. */
static int limits_look(struct weir_ctx *ctx, struct weir_batch *batch,
		       const struct limits_process *process, bool size_counts)
{
	const struct limits_conf *conf = ctx->options;
	uint64_t used, max;

	if (size_counts ? !limits_size(process, &used) : !limits_count_entries(process, &used))
		return 0;
	if (!used || !limits_of_process(ctx, process, size_counts, &max) ||
	    (double)used < conf->from * (double)max)
		return 0;
	return limits_add_process(ctx, batch, process, used, max);
}

static int limits_look_at_all(struct weir_ctx *ctx, struct weir_batch *batch)
{
	int fd = openat(ctx->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	bool size_counts = limits_size_counts(ctx);
	struct dirent *entry;
	int err = 0;

	if (!stream) {
		err = weir_fail(ctx, -errno, "list /proc");
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(stream))) {
		const char *at = entry->d_name;
		uint64_t pid;

		if (!weir_take_number(&at, &pid) || *at || pid > INT32_MAX)
			continue;
		err = limits_look(ctx, batch, &(struct limits_process){ fd, (uint32_t)pid },
				  size_counts);
	}
	closedir(stream);
	return err;
}

static int limits_add_processes(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct limits_state *st = ctx->state;
	int err;

	st->skipped = !weir_pace_begin(ctx, &st->pace);
	if (st->skipped)
		return 0;
	err = limits_look_at_all(ctx, batch);
	weir_pace_end(ctx, &st->pace, LIMITS_PARTS);
	return err;
}

static int limits_add_all(struct weir_ctx *ctx, struct weir_batch *batch)
{
	int err = limits_add_files(ctx, batch);

	if (!err)
		err = limits_add_threads(ctx, batch);
	if (!err)
		err = limits_add_conntrack(ctx, batch);
	return err ? err : limits_add_processes(ctx, batch);
}

static int limits_send(struct weir_ctx *ctx, uint64_t now)
{
	struct weir_batch *batch = weir_loan_window(ctx, 0, 16, now, now);

	return batch ? weir_commit_filled(ctx, batch, limits_add_all(ctx, batch)) : 0;
}

static int limits_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct limits_conf *conf = ctx->options;
	struct limits_state *st = ctx->state;
	int err = limits_send(ctx, now);

	return err ? err : weir_read_again(ctx, &st->started, conf->interval);
}

static int limits_start(struct weir_ctx *ctx)
{
	return weir_read_at_once(ctx);
}

/* Who has come to its limit since the last look at all processes is not to be missed. */
static int limits_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct limits_state *st = ctx->state;

	(void)deadline;
	if (!st->skipped)
		return 0;
	st->pace.pause = 0;
	return limits_send(ctx, weir_now(ctx));
}

static void limits_destroy(struct weir_ctx *ctx)
{
	struct limits_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
}

static void limits_probe(struct weir_ctx *ctx)
{
	if (!limits_size_counts(ctx))
		weir_probe_capability(ctx, CAP_SYS_PTRACE, "CAP_SYS_PTRACE", WEIR_NEED_LIMITED,
				      "open files of other users' processes (before Linux 6.2)");
}

WEIR_COMPONENT(
	"kernel.limits", WEIR_SOURCE, .summary = "software resources that run out",
	.doc = "Open files, threads and tracked connections of the machine against their "
	       "limits, and each process\nwhose descriptors come near its own soft limit. "
	       "Processes are looked at so seldom that it takes a\nthousandth of a CPU, and at "
	       "the end.",
	.options_size = sizeof(struct limits_conf), .state_size = sizeof(struct limits_state),
	.options = WEIR_TABLE(limits_options), .outputs = WEIR_TABLE(limits_outputs),
	.probe = limits_probe, .start = limits_start, .tick = limits_tick, .drain = limits_drain,
	.destroy = limits_destroy);
