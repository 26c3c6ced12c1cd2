/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source cpu.wait: where each thread's time went, with nothing left out: on a CPU, waiting for one,
 * blocked on a device, blocked in the kernel, asleep. Counted in the kernel by wait.bpf.c.
 */
#include <stdio.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/iterator.h>
#include <weir/bpf/loader.h>
#include <weir/bpf/probe.h>
#include <weir/cpus.h>
#include <weir/file.h>
#include <weir/plugin.h>

#include "wait.h"
/* Needs the types of wait.h. */
#include "wait.skel.h"

/* How often threads that have ended are looked for, so that others find their slots. */
#define WAIT_PERIOD_NS 100000000u

/* Room for as many threads as there are, and half as many, and for a burst. */
#define WAIT_SPARE 4096u

enum { WAIT_BY_THREAD, WAIT_BY_PROCESS };

struct wait_conf {
	uint32_t by;
	uint64_t interval;
	bool all;
	struct weir_task_conf filter;
};

static const struct weir_option wait_options[] = {
	WEIR_OPT_CHOICE(struct wait_conf, by, "thread", "thread process",
			"one row per thread, or the sum of each process"),
	WEIR_OPT_DURATION(struct wait_conf, interval, "10s", 0, 24 * WEIR_HOUR,
			  "length of a window; 0: one window, until the end"),
	WEIR_OPT_BOOL(struct wait_conf, all, "true", "also what slept all the time"),
	WEIR_OPT_TASK_FILTER(struct wait_conf),
};

static const struct weir_output wait_outputs[] = {
	{ "rows", "where the time of each thread or process went, each interval", NULL, 0, 0 },
};

struct wait_source {
	struct wait_bpf *bpf;
	struct wait_threads threads;
	struct weir_cgroup_names cgroups;
	uint64_t start; /* of the window */
	int woken_new;  /* the link of the wakeups' program to its second tracepoint, or 0 */
	int stats;      /* holds the kernel's statistics of BPF on; 0: not asked for */
};

static int wait_bind(struct weir_ctx *ctx)
{
	return ctx->host->declare(ctx, 0, wait_schema);
}

/* Threads that there are now: "0.1 0.2 0.3 2/345 6789". */
static int wait_count_threads(struct weir_ctx *ctx, uint32_t *count)
{
	struct weir_buffer buffer = { 0 };
	int err = weir_read_file(ctx, "proc/loadavg", &buffer);

	if (!err && sscanf(buffer.bytes, "%*s %*s %*s %*u/%u", count) != 1)
		err = -EBADMSG;
	weir_buffer_release(&buffer);
	return err ? weir_fail(ctx, err, "read /proc/loadavg") : 0;
}

/* Maps are as large as this machine needs them. */
static int wait_size_maps(struct weir_ctx *ctx)
{
	struct wait_source *st = ctx->state;
	uint32_t cpus = 0, threads, slots;
	int err = weir_possible_cpus(ctx, &cpus);

	if (!err)
		err = wait_count_threads(ctx, &threads);
	if (err)
		return err;
	st->bpf->maps.cpus.max_entries = cpus;
	slots = threads + threads / 2 + WAIT_SPARE;
	while ((uint32_t)WEIR_THREAD_WAYS << st->threads.sets_log < 2 * slots)
		st->threads.sets_log++;
	st->threads.slots.count = slots;
	st->bpf->rodata->slot_count = slots;
	st->bpf->rodata->sets_log = st->threads.sets_log;
	st->bpf->maps.tasks.max_entries = slots;
	st->bpf->maps.task_index.max_entries = 1u << st->threads.sets_log;
	return 0;
}

static int wait_load(struct weir_ctx *ctx)
{
	const struct wait_conf *conf = ctx->options;
	struct wait_source *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = wait_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = weir_task_filter_set(ctx, &conf->filter, &st->bpf->rodata->task_filter, &st->cgroups);
	if (!err)
		err = wait_size_maps(ctx);
	if (err)
		return err;
	err = weir_bpf_load(wait_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(wait_bpf, st->bpf, &report);
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	/* The same program, as loading it twice would take a millisecond. */
	st->woken_new = weir_bpf_attach_to(&st->bpf->attempt, "sched_wakeup_new",
					   st->bpf->progs.task_woken.prog_fd);
	err = weir_bpf_attach_one(wait_bpf, st->bpf, st->woken_new, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

/* Has the program meet the threads that there are. */
static int wait_list(struct weir_ctx *ctx)
{
	struct wait_source *st = ctx->state;
	int err;

	__atomic_store_n(&st->bpf->data->met_from, weir_now(ctx), __ATOMIC_SEQ_CST);
	err = weir_bpf_iterate(st->bpf->links.task_listed_fd);
	__atomic_store_n(&st->bpf->data->met_from, 0, __ATOMIC_SEQ_CST);
	return err ? weir_fail(ctx, err, "list the threads") : 0;
}

/* It ended just now, or it is one that the kernel keeps to itself. */
static int wait_say_unseen(struct weir_ctx *ctx, uint32_t pid)
{
	if (weir_task_is_nobody(ctx, pid))
		return weir_fail_option(ctx, "pid", -ESRCH, "no process %u", pid);
	return weir_fail_option(ctx, "pid", -EOPNOTSUPP,
				"this kernel does not show process %u to BPF iterators", pid);
}

/* From here on is counted what is told: what threads did until now is forgotten. */
static int wait_begin(struct weir_ctx *ctx)
{
	const struct wait_conf *conf = ctx->options;
	struct wait_source *st = ctx->state;
	int err;

	st->threads.tasks_fd = st->bpf->maps.tasks.map_fd;
	st->threads.slots.bytes = sizeof(struct wait_task);
	st->threads.slots.pool = &st->bpf->bss->pool;
	st->threads.totals = &st->bpf->bss->totals;
	err = wait_threads_map(&st->threads, st->bpf->maps.task_index.map_fd);
	if (err)
		return weir_fail(ctx, err, "map the kernel's tables");
	if (conf->filter.pid && !wait_threads_living(&st->threads))
		return wait_say_unseen(ctx, conf->filter.pid);
	st->start = weir_now(ctx);
	err = wait_threads_take(ctx, &st->threads, st->start);
	st->threads.parts.count = 0;
	return err ? weir_fail(ctx, err, "read the threads") : 0;
}

static int wait_start(struct weir_ctx *ctx)
{
	const struct wait_conf *conf = ctx->options;
	uint64_t period = WAIT_PERIOD_NS;
	int err = wait_load(ctx);

	if (!err)
		err = wait_list(ctx);
	if (!err)
		err = wait_begin(ctx);
	if (err)
		return err;
	if (conf->interval && conf->interval < period)
		period = conf->interval;
	return weir_every(ctx, period);
}

static void wait_report_lost(struct weir_ctx *ctx)
{
	struct wait_source *st = ctx->state;

	weir_lost(ctx, "event of a thread that the kernel did not show: time was split by halves",
		  weir_cell_take(&st->bpf->bss->totals.unseen), NULL);
	weir_lost(ctx, "event of a thread that is not counted: too many threads",
		  weir_cell_take(&st->bpf->bss->pool.full), "watch fewer: --pid, --comm, --cgroup");
	weir_lost(ctx, "thread whose numbers do not add up, left out", st->threads.disturbed, NULL);
	weir_lost(ctx, "thread that ended, left out: too many in one window", st->threads.left_out,
		  "a shorter --interval");
	st->threads.disturbed = st->threads.left_out = 0;
}

static int wait_send(struct weir_ctx *ctx, struct weir_batch *batch, uint64_t now)
{
	const struct wait_conf *conf = ctx->options;
	struct wait_source *st = ctx->state;
	struct wait_parts *parts = &st->threads.parts;
	struct wait_rows rows = { &st->cgroups };
	int err = wait_threads_take(ctx, &st->threads, now);

	if (!err && conf->by == WAIT_BY_PROCESS)
		wait_parts_merge(parts);
	for (uint32_t i = 0; i < parts->count && !err; i++)
		if (conf->all || !wait_part_sleeps(&parts->items[i]))
			err = wait_rows_add(ctx, &rows, batch, &parts->items[i]);
	parts->count = 0;
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send threads");
	}
	batch->start = st->start;
	batch->end = now;
	st->start = now;
	return weir_commit(ctx, batch);
}

/* What a full queue does not take now becomes part of the next window. */
static int wait_step(struct weir_ctx *ctx, uint64_t now, bool last)
{
	const struct wait_conf *conf = ctx->options;
	struct wait_source *st = ctx->state;
	int err = wait_threads_bury(&st->threads);
	struct weir_batch *batch;

	wait_report_lost(ctx);
	if (err)
		return weir_fail(ctx, err, "read threads that have ended");
	if (!last && (!conf->interval || now - st->start < conf->interval))
		return 0;
	batch = weir_loan(ctx, 0, st->threads.slots.mapped + st->threads.parts.count, 0);
	return batch ? wait_send(ctx, batch, now) : 0;
}

static int wait_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct wait_conf *conf = ctx->options;
	struct wait_source *st = ctx->state;
	int err = wait_step(ctx, now, false);

	if (!err && conf->filter.pid && !wait_threads_living(&st->threads))
		weir_finished(ctx);
	return err;
}

static int wait_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return wait_step(ctx, weir_now(ctx), true);
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void wait_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct wait_source *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void wait_destroy(struct weir_ctx *ctx)
{
	struct wait_source *st = ctx->state;

	wait_threads_release(&st->threads);
	if (st->woken_new > 0)
		close(st->woken_new);
	wait_bpf__destroy(st->bpf);
	weir_cgroup_names_release(&st->cgroups);
	weir_bpf_stats_end(&st->stats);
}

static void wait_probe(struct weir_ctx *ctx)
{
	if (!weir_probe_bpf(ctx))
		return;
	weir_probe_target(ctx, "raw_tp/sched_switch", "raw tracepoints of the scheduler",
			  WEIR_NEED_MISSING, "what threads wait for is not seen",
			  "a kernel with CONFIG_TRACEPOINTS");
	weir_probe_target(ctx, "iter/task", "BPF iterator of tasks", WEIR_NEED_MISSING,
			  "threads that sleep are not seen", "a kernel with CONFIG_BPF_SYSCALL");
}

WEIR_COMPONENT(
	"cpu.wait", WEIR_SOURCE, .summary = "where each thread's time went, with nothing left out",
	.doc = "run, runnable, device, kernel and sleep add up to the time that a thread was "
	       "there: "
	       "the whole\nwindow, or from its birth or until its end. A thread is runnable from "
	       "its wakeup, or from the switch\nthat took the CPU from it, until it runs. Blocked "
	       "is what `ps` shows as D; threads of the kernel that\nidle in that state sleep. The "
	       "disk is the one that the thread has last sent a request to, since it\nslept; where "
	       "the thread of a journal (ext4) ends the wait, it is the journal's. What is not "
	       "known\nhas no disk. Threads that ended have their row in the window they ended "
	       "in.\n\nLinux 6.18 has been seen to leave out a switch now and then: the time "
	       "around it is split by halves,\nand counted.",
	.options_size = sizeof(struct wait_conf), .state_size = sizeof(struct wait_source),
	.options = WEIR_TABLE(wait_options), .outputs = WEIR_TABLE(wait_outputs),
	.probe = wait_probe, .bind = wait_bind, .start = wait_start, .tick = wait_tick,
	.drain = wait_drain, .destroy = wait_destroy, .cost = wait_cost);
