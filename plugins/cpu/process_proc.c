/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way by the files of /proc. Opening and closing a file is most of its cost, so only those are
 * read that the columns need, and of a process with one thread that has not run since the last
 * sample, only the file that says so: it cannot have used anything. What others do to it, such as
 * taking its memory, is seen with every 16th sample.
 */
#include <dirent.h>
#include <stdio.h>
#include <sys/syscall.h>

#include <weir/grant.h>

#include "process.h"
#include "process_proc.h"

#define PROC_REST 16

/* Counters of a process's own files that are of all its threads, those that ended included. */
static const bool proc_of_group[TASK_COUNTERS] = {
	[PROCESS_USER] = true,      [PROCESS_SYSTEM] = true, [PROCESS_GUEST] = true,
	[PROCESS_RUN] = true,       [PROCESS_READ] = true,   [PROCESS_WRITTEN] = true,
	[PROCESS_CANCELLED] = true, [PROCESS_MINOR] = true,  [PROCESS_MAJOR] = true,
	[CHILD_USER] = true,        [CHILD_SYSTEM] = true,
};

/* Files of what ended are no error; what else cannot be read is counted. */
static int proc_failed(struct process_proc_way *way, int err)
{
	if (err == -ENOENT || err == -ESRCH)
		way->vanished++;
	else if (err == -EACCES || err == -EPERM)
		way->denied++;
	else
		way->broken++;
	return err;
}

int process_proc_read(struct process_proc_way *way, int folder, const char *file)
{
	ssize_t got;
	int fd;

	snprintf(way->path + way->path_length, sizeof(way->path) - way->path_length, "%s", file);
	fd = openat(folder, way->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return proc_failed(way, -errno);
	do
		got = read(fd, way->text, sizeof(way->text) - 1);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		got = -errno;
	close(fd);
	/* Of a process that ended, some files are there and empty. */
	if (got <= 0)
		return proc_failed(way, got ? (int)got : -ESRCH);
	way->text[got] = '\0';
	return (int)got;
}

static uint64_t proc_ticks_ns(const struct process_proc_way *way, uint64_t ticks)
{
	return ticks * way->tick_ns;
}

static void proc_fill_stat(struct process_state *st, const struct process_stat *stat,
			   uint64_t *counters)
{
	const struct process_proc_way *way = st->proc;
	uint64_t guest = stat->guest < stat->user ? stat->guest : stat->user;

	counters[PROCESS_USER] = proc_ticks_ns(way, stat->user - guest);
	counters[PROCESS_SYSTEM] = proc_ticks_ns(way, stat->system);
	counters[PROCESS_GUEST] = proc_ticks_ns(way, guest);
	counters[PROCESS_RUN] = proc_ticks_ns(way, stat->user + stat->system);
	counters[PROCESS_MINOR] = stat->minor;
	counters[PROCESS_MAJOR] = stat->major;
	counters[CHILD_USER] = proc_ticks_ns(way, stat->child_user);
	counters[CHILD_SYSTEM] = proc_ticks_ns(way, stat->child_system);
	if (st->delays)
		counters[PROCESS_IOWAIT] = proc_ticks_ns(way, stat->iowait);
}

static void proc_about(struct process_state *st, struct process_about *about,
		       const struct process_stat *stat)
{
	memcpy(about->comm, stat->comm, sizeof(about->comm));
	about->state = stat->state;
	about->ppid = stat->ppid;
	about->priority = stat->priority;
	about->nice = stat->nice;
	about->threads = stat->threads;
	about->vsz = stat->vsz;
	about->rss = stat->rss * st->page;
	about->cpu = stat->cpu;
}

/* Files beside stat, for the groups of columns that need them. */
static void proc_read_schedstat(struct process_state *st, struct process_task *task,
				uint64_t *counters)
{
	struct process_schedstat schedstat;

	if (process_proc_read(st->proc, st->proc_fd, "schedstat") < 0)
		return;
	if (!process_parse_schedstat(st->proc->text, &schedstat)) {
		st->proc->broken++;
		return;
	}
	counters[PROCESS_WAIT] = schedstat.wait_ns;
	task->ran_ns = schedstat.run_ns;
	task->ran_times = schedstat.times;
}

static void proc_read_status(struct process_state *st, struct process_task *task,
			     uint64_t *counters)
{
	struct process_status status;

	if (process_proc_read(st->proc, st->proc_fd, "status") < 0)
		return;
	if (!process_parse_status(st->proc->text, &status)) {
		st->proc->broken++;
		return;
	}
	task->about.uid = status.uid;
	task->about.stack = status.stack;
	task->about.swap = status.swap;
	counters[PROCESS_VOLUNTARY] = status.voluntary;
	counters[PROCESS_INVOLUNTARY] = status.involuntary;
}

static void proc_read_io(struct process_state *st, uint64_t *counters)
{
	struct process_io io;

	if (process_proc_read(st->proc, st->proc_fd, "io") < 0)
		return;
	if (!process_parse_io(st->proc->text, &io)) {
		st->proc->broken++;
		return;
	}
	counters[PROCESS_READ] = io.read;
	counters[PROCESS_WRITTEN] = io.written;
	counters[PROCESS_CANCELLED] = io.cancelled;
}

/* What the files at way->path say, stat being read. */
static void proc_read_rest(struct weir_ctx *ctx, struct process_task *task, uint64_t *counters)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;

	/* It also tells with the next sample whether the process ran. */
	if (conf->show & SHOW_CPU || st->proc->live)
		proc_read_schedstat(st, task, counters);
	if (conf->show & (SHOW_SWITCHES | SHOW_MEMORY) || !task->sample)
		proc_read_status(st, task, counters);
	if (conf->show & SHOW_DISK)
		proc_read_io(st, counters);
}

static bool proc_read_stat(struct process_state *st, struct process_stat *stat)
{
	int length = process_proc_read(st->proc, st->proc_fd, "stat");

	if (length < 0)
		return false;
	if (process_parse_stat(st->proc->text, (size_t)length, stat))
		return true;
	st->proc->broken++;
	return false;
}

/* True for a process that has not run since the last sample. Marks it as seen. */
static bool proc_rests(struct process_state *st, uint32_t pid)
{
	struct process_task *task = process_find(&st->processes, pid);
	struct process_schedstat schedstat;
	uint64_t nothing[TASK_COUNTERS] = { 0 };

	if (!st->proc->live || !task || !task->known || task->about.threads != 1 ||
	    (pid + st->sample) % PROC_REST == 0 ||
	    process_proc_read(st->proc, st->proc_fd, "schedstat") < 0 ||
	    !process_parse_schedstat(st->proc->text, &schedstat) ||
	    schedstat.run_ns != task->ran_ns || schedstat.times != task->ran_times ||
	    !schedstat.times)
		return false;
	task->sample = st->sample;
	for (uint32_t i = 0; i < TASK_COUNTERS; i++)
		if (task->last[i] == WEIR_ABSENT_U64)
			nothing[i] = WEIR_ABSENT_U64;
	process_sum(task->added, nothing, 0, TASK_COUNTERS);
	return true;
}

/* A thread other than the first, which the process's own files tell of; with `threads` any. */
static int proc_read_thread(struct weir_ctx *ctx, uint32_t pid, uint32_t tid)
{
	struct process_state *st = ctx->state;
	uint64_t counters[TASK_COUNTERS], delta[TASK_COUNTERS];
	struct process_task *thread, *process;
	struct process_stat stat;

	if (!proc_read_stat(st, &stat))
		return 0;
	thread = process_get(&st->threads, tid, stat.start);
	process = process_find(&st->processes, pid);
	if (!thread || !process)
		return -ENOMEM;
	process_set(counters, WEIR_ABSENT_U64);
	proc_fill_stat(st, &stat, counters);
	proc_about(st, &thread->about, &stat);
	proc_read_rest(ctx, thread, counters);
	thread->about.uid = process->about.uid;
	thread->pid = pid;
	thread->sample = st->sample;
	process_delta(st, thread, counters, 0, PROCESS_COUNTERS, delta);
	process_sum(thread->added, delta, 0, PROCESS_COUNTERS);
	for (uint32_t i = 0; i < PROCESS_COUNTERS && tid != pid; i++)
		if (!proc_of_group[i])
			process_sum(process->added, delta, i, i + 1);
	return 0;
}

static int proc_read_threads(struct weir_ctx *ctx, uint32_t pid)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	struct process_proc_way *way = st->proc;
	size_t length = way->path_length;
	struct process_listing *list = &way->threads;
	uint32_t tid;
	int err;

	memcpy(way->path + length, "task", 5);
	err = process_list_open(list, st->proc_fd, way->path);
	if (err) {
		proc_failed(way, err);
		return 0;
	}
	while (!err && process_list_next(list, &tid)) {
		if (tid == pid && !conf->threads)
			continue;
		way->path_length =
			length + (size_t)snprintf(way->path + length, sizeof(way->path) - length,
						  "task/%u/", tid);
		err = proc_read_thread(ctx, pid, tid);
		way->path_length = length;
	}
	process_list_close(list);
	return err;
}

/* True where threads tell what the process's own files do not, or are shown. */
static bool proc_wants_threads(const struct process_conf *conf, const struct process_task *process)
{
	if (conf->threads)
		return true;
	return process->about.threads > 1 && conf->show & (SHOW_CPU | SHOW_SWITCHES | SHOW_DISK);
}

static bool proc_is_wanted(struct weir_ctx *ctx, const struct process_stat *stat)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;

	if (st->filter.by & WEIR_TASK_BY_COMM &&
	    memcmp(stat->comm, st->filter.comm, st->filter.comm_length) != 0)
		return false;
	return !(st->filter.by & WEIR_TASK_BY_CGROUP) ||
	       process_proc_in_cgroup(ctx, conf->filter.cgroup);
}

static int proc_read_process(struct weir_ctx *ctx, uint32_t pid)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	uint64_t counters[TASK_COUNTERS], delta[TASK_COUNTERS];
	struct process_task *task;
	struct process_stat stat;

	st->proc->path_length =
		(size_t)snprintf(st->proc->path, sizeof(st->proc->path), "%u/", pid);
	if (proc_rests(st, pid) || !proc_read_stat(st, &stat) || !proc_is_wanted(ctx, &stat))
		return 0;
	task = process_get(&st->processes, pid, stat.start);
	if (!task)
		return -ENOMEM;
	process_set(counters, WEIR_ABSENT_U64);
	proc_fill_stat(st, &stat, counters);
	proc_about(st, &task->about, &stat);
	proc_read_rest(ctx, task, counters);
	/* It is kept all the same, for what its parent is told of it. */
	task->other = st->filter.by & WEIR_TASK_BY_UID && task->about.uid != st->filter.uid;
	task->pid = pid;
	task->sample = st->sample;
	process_delta(st, task, counters, 0, TASK_COUNTERS, delta);
	process_sum(task->added, delta, 0, TASK_COUNTERS);
	return !task->other && proc_wants_threads(conf, task) ? proc_read_threads(ctx, pid) : 0;
}

static int proc_read_all(struct weir_ctx *ctx)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	struct process_listing *list = &st->proc->processes;
	uint32_t pid;
	int err;

	if (conf->filter.pid)
		return proc_read_process(ctx, conf->filter.pid);
	err = process_list_open(list, st->proc_fd, ".");
	while (!err && process_list_next(list, &pid))
		err = proc_read_process(ctx, pid);
	process_list_close(list);
	return err;
}

static void proc_tell(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;
	struct process_proc_way *way = st->proc;
	struct weir_grant grant;

	if (way->vanished)
		weir_log(ctx, WEIR_LOG_DEBUG, "%u files were gone, with their processes",
			 way->vanished);
	if (way->denied && !way->told_denied)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%u files of other users' processes may not be read, so what these read "
			 "and write is not known: %s",
			 way->denied, weir_grant(&grant, 0));
	way->told_denied |= way->denied != 0;
	weir_lost(ctx, "file of a process was not as the kernel writes it", way->broken, NULL);
	way->vanished = way->denied = way->broken = 0;
}

int process_proc_sample(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;
	int err = proc_read_all(ctx);

	proc_tell(ctx);
	if (err)
		return weir_fail(ctx, err, "read the processes in /proc");
	process_proc_settle(st);
	return 0;
}

int process_proc_start(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;

	st->proc = calloc(1, sizeof(*st->proc));
	if (!st->proc)
		return weir_fail(ctx, -ENOMEM, "room to read /proc");
	st->proc->live = weir_sample_is_live(ctx);
	st->proc->tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	st->proc->processes.fd = st->proc->threads.fd = -1;
	return 0;
}

void process_proc_stop(struct process_state *st)
{
	if (!st->proc)
		return;
	process_list_close(&st->proc->processes);
	process_list_close(&st->proc->threads);
	free(st->proc);
	st->proc = NULL;
}
