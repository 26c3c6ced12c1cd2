/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source cpu.process: what each process, or thread, uses and waits for. By BPF where that is
 * allowed, else by the files of /proc.
 */
#include <stdio.h>
#include <sys/stat.h>

#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>

#include "process.h"

static const struct weir_option process_options[] = {
	WEIR_OPT_TASK_FILTER(struct process_conf),
	WEIR_OPT_DURATION(struct process_conf, interval, "1s", 10000000, 24 * WEIR_HOUR,
			  "length of a window"),
	WEIR_OPT_CHOICES(struct process_conf, show, "cpu,disk,memory,switches",
			 "cpu disk memory switches files command cgroup job",
			 "groups of columns; by /proc, what is not asked for is not read"),
	WEIR_OPT_BOOL(struct process_conf, threads, "false",
		      "rows of threads below their process's, and of those that ended"),
	WEIR_OPT_BOOL(struct process_conf, all, "true", "also what has done nothing that is shown"),
	WEIR_OPT_RATIO(struct process_conf, holds, "100%",
		       "without all: also what holds at least this share of the memory"),
	WEIR_OPT_TEXTS(struct process_conf, starters, "cron,crond,anacron,atd",
		       "names of programs that start jobs, for `show: job`"),
	WEIR_OPT_CHOICE(
		struct process_conf, way, "auto", "auto bpf proc",
		"ask the kernel by BPF, or read files of /proc; auto: by BPF where allowed"),
};

static const struct weir_output process_outputs[] = {
	{ "processes", "one row per process, thread, and kind of what ended", NULL, 0, 0 },
};

static bool process_same_file(int folder, const char *path, const char *other)
{
	struct stat a, b;

	return fstatat(folder, path, &a, 0) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* The inode of the initial namespace of pids, on every kernel. */
#define PROCESS_INITIAL_PIDS 0xeffffffcu

/* Why BPF does not see what /proc shows here; NULL: it does. */
static const char *process_not_bpf(struct weir_ctx *ctx)
{
	struct stat pids;

	if (!process_same_file(ctx->root, ".", "/"))
		return "a root was given";
	if (stat("/proc/self/ns/pid", &pids) < 0 || pids.st_ino != PROCESS_INITIAL_PIDS)
		return "pids are those of a container here";
	return NULL;
}

static int process_start_bpf(struct weir_ctx *ctx, const char **why, char *text, size_t size)
{
	const struct process_conf *conf = ctx->options;
	int err = 0;

	if (conf->way == WAY_PROC) {
		*why = "as asked for";
		return 0;
	}
	*why = process_not_bpf(ctx);
	if (!*why) {
		err = process_bpf_start(ctx, text, size);
		*why = text;
	}
	if (conf->way == WAY_BPF && *why[0])
		return weir_fail_option(ctx, "way", err ? err : -ENOTSUP, "%s", *why);
	return 0;
}

static int process_choose_way(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;
	char text[sizeof(((struct weir_bpf_report *)0)->text)] = "";
	const char *why = text;
	int err = process_start_bpf(ctx, &why, text, sizeof(text));

	if (err)
		return err;
	if (st->bpf) {
		weir_log(ctx, WEIR_LOG_INFO, "asks the kernel, by a BPF iterator");
		return 0;
	}
	weir_log(ctx, WEIR_LOG_INFO, "reads the files of /proc (%s)", why);
	return process_proc_start(ctx);
}

/* 1 if the kernel counts how long tasks wait for devices, 0 if not. A kernel too old to say: 1. */
static int process_delays_counted(struct weir_ctx *ctx)
{
	int64_t on = 1;

	weir_read_number(ctx, "proc/sys/kernel/task_delayacct", &on);
	return on != 0;
}

static const char process_delays_cure[] =
	"sysctl kernel.task_delayacct=1 (of tasks that start from then on), or weir offcpu";

static void process_read_memory(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;
	const char *line;

	if (weir_read_file(ctx, "proc/meminfo", &st->buffer) < 0)
		return;
	line = strstr(st->buffer.bytes, "MemTotal:");
	if (line)
		st->memory = strtoull(line + strlen("MemTotal:"), NULL, 10) * 1024;
}

/* With each sample: a recorded tree may have been put in the place of the last one. */
static int process_open_proc(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;

	if (st->proc_fd >= 0)
		close(st->proc_fd);
	st->proc_fd = openat(ctx->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return st->proc_fd < 0 ? weir_fail(ctx, -errno, "open /proc") : 0;
}

/* The first sample says what was used before the first window begins. */
static int process_sample(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;
	struct weir_sample_time now;
	int err;

	err = process_open_proc(ctx);
	if (!err)
		err = weir_sample_time(ctx, &now);
	if (err)
		return err;
	/* The clock of a recorded tree stands still until there is a new one. */
	if (st->sample && !weir_sample_elapsed(&st->now, &now))
		return 0;
	st->last = st->now;
	st->now = now;
	st->sample++;
	st->gap = false;
	err = st->bpf ? process_bpf_sample(ctx) : process_proc_sample(ctx);
	if (!err && st->sample > 1)
		err = process_emit(ctx);
	if (err)
		return err;
	st->short_count = 0;
	err = process_next_window(&st->processes, st->sample);
	if (!err)
		err = process_next_window(&st->threads, st->sample);
	return err ? weir_fail(ctx, err, "remember %u processes", st->processes.count) : 0;
}

/* Between samples, what ended is taken out of the kernel's ring. */
static uint64_t process_period(const struct process_state *st, uint64_t interval)
{
	uint64_t parts = (interval + WEIR_BPF_RING_PERIOD_NS - 1) / WEIR_BPF_RING_PERIOD_NS;

	return st->bpf ? interval / parts : interval;
}

static int process_start(struct weir_ctx *ctx)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	int err = weir_task_filter_set(ctx, &conf->filter, &st->filter, &st->names);

	if (err)
		return err;
	st->page = (uint64_t)sysconf(_SC_PAGESIZE);
	st->shorts = calloc(SHORT_NAMES, sizeof(*st->shorts));
	if (!st->shorts)
		return weir_fail(ctx, -ENOMEM, "keep %d names", SHORT_NAMES);
	st->delays = process_delays_counted(ctx);
	if (!st->delays && conf->show & SHOW_DISK)
		weir_log(ctx, WEIR_LOG_INFO,
			 "iowait is not known, as kernel.task_delayacct is 0: %s",
			 process_delays_cure);
	process_read_memory(ctx);
	err = process_choose_way(ctx);
	if (!err)
		err = process_sample(ctx);
	return err ? err : weir_every(ctx, process_period(st, conf->interval));
}

static int process_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	uint64_t period = process_period(st, conf->interval);

	/* Ticks come a little early or late. */
	if (now + period / 2 < st->now.now + conf->interval)
		return st->bpf ? process_bpf_tick(ctx) : 0;
	return process_sample(ctx);
}

/* Counters of 10 ms say nothing of a window that is shorter. */
#define PROCESS_WINDOW_MIN 100000000u

/* The last window may be shorter than the others. */
static int process_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct process_conf *conf = ctx->options;
	struct process_state *st = ctx->state;
	uint64_t length = weir_now(ctx) - st->now.now;

	(void)deadline;
	if (length < PROCESS_WINDOW_MIN && length * 10 < conf->interval)
		return 0;
	return process_sample(ctx);
}

static void process_destroy(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;

	process_bpf_stop(st);
	process_proc_stop(st);
	process_tasks_release(&st->processes);
	process_tasks_release(&st->threads);
	weir_cgroup_names_release(&st->names);
	weir_buffer_release(&st->buffer);
	free(st->shorts);
	free(st->fields);
	if (st->proc_fd > 0)
		close(st->proc_fd);
}

static int process_create(struct weir_ctx *ctx)
{
	struct process_state *st = ctx->state;

	st->proc_fd = -1;
	return 0;
}

static void process_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	process_bpf_cost(ctx->state, cost);
}

static void process_probe(struct weir_ctx *ctx)
{
	const char *capability = weir_bpf_missing_capability();
	struct weir_grant grant;

	if (capability)
		weir_need(ctx, WEIR_NEED_LIMITED, "CAP_BPF and CAP_PERFMON", capability,
			  "processes are read from /proc, which costs more, and short-lived ones "
			  "have no names",
			  weir_grant(&grant, 0));
	else
		weir_need(ctx, WEIR_NEED_MET, "CAP_BPF and CAP_PERFMON", "held", "", "");
	if (process_delays_counted(ctx))
		weir_need(ctx, WEIR_NEED_MET, "kernel.task_delayacct", "1", "", "");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "kernel.task_delayacct", "0",
			  "how long tasks wait for block devices is not counted",
			  process_delays_cure);
}

WEIR_COMPONENT(
	"cpu.process", WEIR_SOURCE, .summary = "what each process uses and waits for",
	.doc = "One row per process: all its threads, those that ended included, so that it may be "
	       "on a CPU for more\nthan the window. With `threads` a row for each thread follows, "
	       "and one for what threads used that are\nnot listed, as they ended: they add up to "
	       "the process.\n\n"
	       "What ended within the window is a row of kind \"ended\": by BPF under its own "
	       "name, of processes that\nbegan in it too all of a name together; by /proc, which "
	       "tells of them only by their parents, as (exited)\nwith the parent's ppid, CPU time "
	       "alone, and their I/O with the parent's.\n\n"
	       "By BPF, user and system are the exact run time, divided as timer ticks saw it, "
	       "without what it takes to take\na task down (since Linux 6.15 that is some 0.1 ms "
	       "for each MiB that it has touched); "
	       "resident memory may\nbe some pages off for each CPU, as in /proc/PID/stat. By "
	       "/proc, a process with one thread that has not\nrun keeps state and memory of up to "
	       "16 samples ago; what threads waited and switched that ended in\nthe window is not "
	       "known.",
	.options_size = sizeof(struct process_conf), .state_size = sizeof(struct process_state),
	.options = WEIR_TABLE(process_options), .outputs = WEIR_TABLE(process_outputs),
	.probe = process_probe, .create = process_create, .bind = process_bind,
	.start = process_start, .tick = process_tick, .drain = process_drain,
	.destroy = process_destroy, .cost = process_cost);
