/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc shows of processes now. */
#include "process_scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include <weir/cgroup.h>
#include <weir/proc_maps.h>

#include "process_cgroup.h"

#define PROCESS_TICK_NS UINT64_C(10000000)

/* Two ways to say that a process has ended meanwhile. */
static int process_gone(int err)
{
	return err == -ENOENT || err == -ESRCH ? -ESRCH : err;
}

/* Past `n` words that are divided by single blanks, or NULL. */
static const char *stat_skip(const char *text, int n)
{
	while (n-- > 0) {
		text = strchr(text, ' ');
		if (!text)
			return NULL;
		text++;
	}
	return text;
}

static bool stat_number(const char *text, uint64_t *number)
{
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && (*end == ' ' || *end == '\n' || *end == '\0');
}

int process_parse_stat(const char *text, size_t size, struct process_stat *stat)
{
	const char *open = memchr(text, '(', size);
	const char *close = memrchr(text, ')', size); /* a name may hold brackets and newlines */
	uint64_t ppid, threads;
	size_t length;

	memset(stat, 0, sizeof(*stat));
	if (!open || !close || close < open || close[1] != ' ' || !close[2] || close[3] != ' ')
		return -EBADMSG;
	length = (size_t)(close - open - 1);
	if (length >= sizeof(stat->comm))
		length = sizeof(stat->comm) - 1; /* kernel workers have longer ones here */
	memcpy(stat->comm, open + 1, length);
	stat->state = close[2];
	if (!stat_number(close + 4, &ppid) || !stat_number(stat_skip(close + 2, 17), &threads) ||
	    !stat_number(stat_skip(close + 2, 19), &stat->start_ticks))
		return -EBADMSG;
	stat->ppid = (uint32_t)ppid;
	stat->threads = threads ? (uint32_t)threads : 1;
	return 0;
}

/* Boot time does not count CLOCK_MONOTONIC's way: it goes on while the machine sleeps. */
static uint64_t process_start_ns(uint64_t ticks)
{
	struct timespec boot, monotonic;
	uint64_t boot_ns = ticks * PROCESS_TICK_NS;
	int64_t slept;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	slept = (boot.tv_sec - monotonic.tv_sec) * INT64_C(1000000000) + boot.tv_nsec -
		monotonic.tv_nsec;
	/* The two clocks are read one after the other: less than a tick is no sleep. */
	if (slept < (int64_t)PROCESS_TICK_NS || (uint64_t)slept > boot_ns)
		slept = 0;
	return boot_ns - (uint64_t)slept;
}

static int scan_file(struct weir_ctx *ctx, uint32_t pid, const char *name,
		     struct weir_buffer *buffer)
{
	char path[64];
	int err;

	snprintf(path, sizeof(path), "proc/%u/%s", pid, name);
	err = process_gone(weir_read_file(ctx, path, buffer));
	return err || buffer->bytes ? err : -EBADMSG;
}

static int scan_stat(struct weir_ctx *ctx, uint32_t pid, struct weir_buffer *buffer,
		     struct process_stat *stat)
{
	int err = scan_file(ctx, pid, "stat", buffer);

	return err ? err : process_parse_stat(buffer->bytes, buffer->size, stat);
}

/* In a chroot: paths as the process itself sees them, as the kernel's records have them. */
static size_t scan_root(struct weir_ctx *ctx, uint32_t pid, char *root, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "proc/%u/root", pid);
	length = readlinkat(ctx->root, path, root, size - 1);
	if (length <= 1)
		return 0;
	root[length] = '\0';
	return (size_t)length;
}

static int scan_map(struct process_table *table, struct process_space *space,
		    const struct weir_proc_map *map, const char *root, size_t root_length)
{
	struct process_mapped mapped = { .time = space->begin,
					 .start = map->start,
					 .end = map->end,
					 .offset = map->offset,
					 .inode = map->inode,
					 .device_major = map->device_major,
					 .device_minor = map->device_minor,
					 .path = map->path };

	if (root_length && strncmp(mapped.path, root, root_length) == 0 &&
	    mapped.path[root_length] == '/')
		mapped.path += root_length;
	return process_space_add(&table->store, space, &mapped);
}

static int scan_maps_text(struct process_table *table, struct process_space *space, char *text,
			  const char *root, size_t root_length)
{
	int err = 0;

	while (!err && *text) {
		struct weir_proc_map map;
		char *end = strchrnul(text, '\n');
		char *next = *end ? end + 1 : end;

		*end = '\0';
		if (weir_proc_map_parse(text, &map) == 0 && map.executable)
			err = scan_map(table, space, &map, root, root_length);
		text = next;
	}
	return err;
}

static int scan_maps(struct weir_ctx *ctx, struct process_table *table, uint32_t pid,
		     struct process_space *space, struct weir_buffer *buffer)
{
	char root[4096];
	size_t root_length;
	int err = scan_file(ctx, pid, "maps", buffer);

	if (err)
		return err;
	root_length = scan_root(ctx, pid, root, sizeof(root));
	return scan_maps_text(table, space, buffer->bytes, root, root_length);
}

/* The space that what is mapped now belongs to: the youngest. NULL: no memory. */
static struct process_space *scan_space(struct process_table *table, struct process *process)
{
	struct process_space *space = process_space_at(process, UINT64_MAX);

	if (space)
		return space;
	process->spaces = calloc(1, sizeof(struct process_space *));
	if (!process->spaces)
		return NULL;
	space = process_space_new(&table->store, process->start, NULL);
	process->spaces[0] = space;
	process->space_count = space ? 1 : 0;
	return space;
}

static struct process *scan_process(struct process_table *table, uint32_t pid, uint64_t now,
				    const struct process_stat *stat)
{
	struct process *process = process_table_find(table, pid, now);

	if (process && !process->end && process->thread_count && process->start)
		return process;
	if (!process || process->end) {
		process = process_table_add(table, pid, process_start_ns(stat->start_ticks));
		if (!process)
			return NULL;
		process->scanned = now;
	} else if (!process->start) {
		process->start = process_start_ns(stat->start_ticks);
		process->scanned = now;
	}
	process->ppid = stat->ppid;
	process->live_threads = stat->threads;
	if (process_thread_at(process, pid, now))
		return process;
	return process_set_comm(process, process->start, pid, stat->comm) ? NULL : process;
}

int process_scan(struct weir_ctx *ctx, struct process_table *table, uint32_t pid, bool watched)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	struct process_stat stat;
	struct process *process;
	struct process_space *space;
	uint64_t now = weir_now(ctx);
	int err = scan_stat(ctx, pid, &buffer, &stat);

	if (!err && (stat.state == 'Z' || stat.state == 'X'))
		err = -ESRCH;
	if (err)
		goto out;
	process = scan_process(table, pid, now, &stat);
	space = process ? scan_space(table, process) : NULL;
	err = space ? scan_maps(ctx, table, pid, space, &buffer) : -ENOMEM;
	if (!err && watched)
		space->checked = now;
out:
	weir_buffer_release(&buffer);
	return err;
}

int process_scan_thread(struct weir_ctx *ctx, struct process *process, uint32_t tid)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	char path[64];
	int err;

	snprintf(path, sizeof(path), "proc/%u/task/%u/comm", process->pid, tid);
	err = process_gone(weir_read_file(ctx, path, &buffer));
	if (!err && buffer.size && buffer.bytes[buffer.size - 1] == '\n')
		buffer.bytes[buffer.size - 1] = '\0';
	if (!err)
		err = process_set_comm(process, process->start, tid, buffer.bytes);
	weir_buffer_release(&buffer);
	return err;
}

int process_scan_cgroup(struct weir_ctx *ctx, struct process *process)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	char container[256];
	const char *path;
	size_t length = 0;
	int err = scan_file(ctx, process->pid, "cgroup", &buffer);

	if (!err) {
		path = process_cgroup_pick(buffer.bytes, &length);
		process->cgroup = strndup(path ? path : "", length);
		if (process->cgroup)
			weir_container_name(process->cgroup, container, sizeof(container));
		process->container = process->cgroup ? strdup(container) : NULL;
		process->cgroups = strdup(buffer.bytes);
		if (!process->container || !process->cgroups)
			err = -ENOMEM;
	}
	weir_buffer_release(&buffer);
	return err;
}

bool process_scan_alive(struct weir_ctx *ctx, const struct process *process)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	struct process_stat stat;
	bool alive = scan_stat(ctx, process->pid, &buffer, &stat) == 0 && stat.state != 'X' &&
		     process_start_ns(stat.start_ticks) <= process->start + 2 * PROCESS_TICK_NS;

	weir_buffer_release(&buffer);
	return alive;
}
