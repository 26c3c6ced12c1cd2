/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source cpu.runq: how long threads wait for a CPU, as histograms, as one event for each long
 * wait, or as a table of what each thread did. Timed in the kernel by runq.bpf.c.
 */
#include <stdio.h>

#include <weir/bpf/loader.h>
#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>
#include <weir/cpus.h>
#include <weir/plugin.h>
#include <weir/task_filter.h>

#include "runq.h"
/* Needs the event's types. */
#include "runq.skel.h"

enum { OUTPUT_LATENCY, OUTPUT_SLOW, OUTPUT_TASKS };

struct runq_conf {
	uint32_t report; /* enum runq_report */
	uint32_t by;     /* enum runq_by */
	uint64_t interval;
	uint64_t min_wait;
	uint64_t buffer; /* 512 KiB: 120,000 events a second */
	struct weir_task_conf filter;
};

static const struct weir_option runq_options[] = {
	WEIR_OPT_CHOICES(struct runq_conf, report, "latency,slow,tasks", "latency slow tasks",
			 "outputs that are read: the others cost nothing, and stay empty"),
	WEIR_OPT_CHOICE(struct runq_conf, by, "none", "none cpu pid cgroup",
			"one histogram for all, or one for each"),
	WEIR_OPT_DURATION(struct runq_conf, interval, "10s", 0, 24 * WEIR_HOUR,
			  "length of a window; 0: one window, until the end"),
	WEIR_OPT_DURATION(struct runq_conf, min_wait, "10ms", 0, WEIR_HOUR,
			  "output slow: only waits that took at least this long"),
	WEIR_OPT_TASK_FILTER(struct runq_conf),
	WEIR_OPT_BUFFER(struct runq_conf),
};

struct runq_slow_row {
	uint64_t time;
	struct weir_task_columns task;
	uint32_t cpu;
	uint32_t prev_tid;
	char prev_comm[WEIR_COMM_LENGTH];
	uint64_t wait;
};

static const struct weir_field runq_slow_fields[] = {
	WEIR_FIELD_TIME(struct runq_slow_row, time, WEIR_EVENT, "when it got the CPU"),
	WEIR_TASK_COLUMNS(struct runq_slow_row),
	WEIR_FIELD(struct runq_slow_row, cpu, WEIR_NONE, WEIR_KEY, "CPU that it got"),
	WEIR_FIELD_DURATION(struct runq_slow_row, wait, WEIR_EVENT, 0,
			    "from being woken, or losing the CPU, to running"),
	WEIR_FIELD(struct runq_slow_row, prev_tid, WEIR_NONE, WEIR_EVENT,
		   "thread that had the CPU until then; 0: it was idle"),
	WEIR_FIELD(struct runq_slow_row, prev_comm, WEIR_NONE, WEIR_EVENT, "name of that thread"),
};

WEIR_SCHEMA(runq_slow_schema, "long waits for a CPU", struct runq_slow_row, runq_slow_fields);

static const struct weir_output runq_outputs[] = {
	[OUTPUT_LATENCY] = { "latency", "one histogram, or one per CPU, process or cgroup", NULL, 0,
			     0 },
	[OUTPUT_SLOW] = { "slow", "one row per wait of at least min_wait", &runq_slow_schema, 0,
			  0 },
	[OUTPUT_TASKS] = { "tasks", "one row per thread that ran, each interval", NULL, 0, 0 },
};

struct runq_state {
	struct runq_bpf *bpf;
	struct runq_latency latency;
	struct runq_tasks tasks;
	struct weir_bpf_ring ring;
	struct weir_cgroup_names cgroups;
	uint64_t start;      /* of the window */
	uint64_t slow_start; /* of the window of long waits */
	uint64_t untimed;    /* waits that found no room and have not ended yet */
	int woken_new;       /* the link of the wakeups' program to its second tracepoint, or 0 */
	int stats;           /* holds the kernel's statistics of BPF on; 0: not asked for */
};

static int runq_bind(struct weir_ctx *ctx)
{
	const struct runq_conf *conf = ctx->options;
	int err = ctx->host->declare(ctx, OUTPUT_LATENCY, runq_latency_schema(conf->by));

	return err ? err : ctx->host->declare(ctx, OUTPUT_TASKS, runq_tasks_schema);
}

/* Maps are as small as what is wanted of them. */
static void runq_size_maps(struct weir_ctx *ctx, uint32_t cpus)
{
	const struct runq_conf *conf = ctx->options;
	struct runq_state *st = ctx->state;
	uint32_t slots[] = {
		[RUNQ_BY_NONE] = 1,
		[RUNQ_BY_CPU] = cpus,
		[RUNQ_BY_PID] = RUNQ_SLOTS,
		[RUNQ_BY_CGROUP] = RUNQ_CGROUP_SLOTS,
	};
	bool keyed = conf->by == RUNQ_BY_PID || conf->by == RUNQ_BY_CGROUP;

	st->latency.slots.count = conf->report & RUNQ_LATENCY ? slots[conf->by] : 1;
	st->latency.fixed = keyed ? 0 : st->latency.slots.count;
	st->bpf->rodata->slot_count = st->latency.slots.count;
	st->bpf->maps.slots.max_entries = st->latency.slots.count;
	st->bpf->maps.slot_index.max_entries = keyed ? st->latency.slots.count : 1;
	st->bpf->maps.events.max_entries =
		weir_bpf_ring_size(conf->report & RUNQ_SLOW ? conf->buffer : 0);
	if (conf->report & RUNQ_TASKS) {
		st->bpf->maps.cpus.max_entries = cpus;
	} else {
		st->bpf->maps.task_index.max_entries = 1;
		st->bpf->maps.tasks.max_entries = 1;
	}
}

static int runq_load(struct weir_ctx *ctx, uint32_t cpus)
{
	const struct runq_conf *conf = ctx->options;
	struct runq_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = runq_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	st->bpf->rodata->report = conf->report;
	st->bpf->rodata->by = conf->by;
	st->bpf->rodata->min_wait_ns = conf->min_wait;
	err = weir_task_filter_set(ctx, &conf->filter, &st->bpf->rodata->task_filter, &st->cgroups);
	if (err)
		return err;
	runq_size_maps(ctx, cpus);
	err = weir_bpf_load(runq_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(runq_bpf, st->bpf, &report);
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	/* The same program, as loading it twice would take a millisecond. */
	st->woken_new = weir_bpf_attach_to(&st->bpf->attempt, "sched_wakeup_new",
					   st->bpf->progs.task_woken.prog_fd);
	err = weir_bpf_attach_one(runq_bpf, st->bpf, st->woken_new, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static void runq_prepare(struct weir_ctx *ctx, uint32_t cpus)
{
	const struct runq_conf *conf = ctx->options;
	struct runq_state *st = ctx->state;

	st->latency.by = conf->by;
	st->latency.cgroups = st->tasks.cgroups = &st->cgroups;
	st->latency.slots_fd = st->bpf->maps.slots.map_fd;
	st->latency.index_fd = st->bpf->maps.slot_index.map_fd;
	st->latency.slots.bytes = sizeof(struct runq_slot);
	st->latency.slots.pool = &st->bpf->bss->slot_pool;
	st->tasks.cpu_count = cpus;
	st->tasks.window = &st->bpf->bss->window;
	st->tasks.tasks_fd = st->bpf->maps.tasks.map_fd;
	st->tasks.slots.bytes = sizeof(struct runq_task);
	st->tasks.slots.count = RUNQ_TASK_SLOTS;
	st->tasks.slots.pool = &st->bpf->bss->task_pool;
}

static int runq_start(struct weir_ctx *ctx)
{
	const struct runq_conf *conf = ctx->options;
	struct runq_state *st = ctx->state;
	uint64_t period = conf->interval;
	uint32_t cpus = 0;
	int err = weir_possible_cpus(ctx, &cpus);

	if (!err)
		err = runq_load(ctx, cpus);
	if (err)
		return err;
	st->start = st->slow_start = st->bpf->bss->attached_ns = weir_now(ctx);
	runq_prepare(ctx, cpus);
	if (conf->report & RUNQ_TASKS)
		err = runq_tasks_map(&st->tasks, st->bpf->maps.task_index.map_fd,
				     st->bpf->maps.cpus.map_fd);
	if (!err && conf->report & RUNQ_SLOW)
		err = weir_bpf_ring_map(&st->ring, st->bpf->maps.events.map_fd,
					weir_bpf_ring_size(conf->buffer));
	if (err)
		return weir_fail(ctx, err, "map the kernel's tables");
	if (conf->report & RUNQ_SLOW && (!period || period > WEIR_BPF_RING_PERIOD_NS))
		period = WEIR_BPF_RING_PERIOD_NS;
	return weir_every(ctx, period);
}

static void runq_report_lost(struct weir_ctx *ctx)
{
	struct runq_state *st = ctx->state;
	struct runq_bpf__bss *bss = st->bpf->bss;
	uint64_t unstarted = weir_cell_take(&bss->totals.unstarted);
	uint64_t full = weir_cell_take(&bss->totals.full), untimed;

	/* A wait that found no room ends as one that never began. */
	st->untimed += full;
	untimed = unstarted < st->untimed ? unstarted : st->untimed;
	st->untimed -= untimed;
	weir_lost(ctx, "wait whose begin was not seen, so not timed", unstarted - untimed, NULL);
	weir_lost(ctx, "switch that the kernel did not show: a wait and a turn are missing",
		  weir_cell_take(&bss->totals.unseen), NULL);
	weir_lost(ctx, "wait not timed: too many threads were waiting", full,
		  "watch fewer: --pid, --comm, --cgroup");
	weir_lost(ctx, "switch of a thread not counted: too many threads",
		  weir_cell_take(&bss->task_pool.full), "watch fewer: --pid, --comm, --cgroup");
	weir_lost(ctx, WEIR_BPF_RING_FULL, weir_cell_take(&bss->events_lost),
		  WEIR_BPF_RING_CURE "--min-wait, --pid, --comm, --cgroup");
	if (weir_cell_take(&bss->slot_pool.full))
		weir_log(ctx, WEIR_LOG_WARNING,
			 "more than %d histograms: the rest is in the row \"(other)\"",
			 (int)st->latency.slots.count - 1);
}

static int runq_add_slow(struct weir_ctx *ctx, struct weir_batch *batch,
			 const struct runq_event *event)
{
	struct runq_state *st = ctx->state;
	struct runq_slow_row row = { .time = event->time }, *out;

	if (weir_task_columns_fill(ctx, batch, &st->cgroups, &event->task, &row.task))
		return -ENOMEM;
	row.cpu = event->cpu;
	row.wait = event->wait_ns;
	row.prev_tid = event->prev_tid;
	memcpy(row.prev_comm, event->prev_comm, sizeof(row.prev_comm));
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = row;
	return 0;
}

/* An empty batch is not sent, but the last one is: it says that there were none. */
static int runq_emit_slow(struct weir_ctx *ctx, uint64_t now, bool last)
{
	struct runq_state *st = ctx->state;
	struct weir_batch *batch = weir_loan(ctx, OUTPUT_SLOW, 16, 0);
	const void *event;
	uint32_t size;
	int err = 0;

	/* What a full queue does not take now stays in the ring, for the next tick. */
	if (!batch)
		return 0;
	while (!err && (event = weir_bpf_ring_next(&st->ring, &size)))
		if (size == sizeof(struct runq_event))
			err = runq_add_slow(ctx, batch, event);
	weir_bpf_ring_end(&st->ring);
	if (err || (!batch->row_count && !last)) {
		weir_discard(ctx, batch);
		return err ? weir_fail(ctx, err, "send long waits") : 0;
	}
	batch->start = st->slow_start;
	batch->end = now;
	st->slow_start = now;
	return weir_commit(ctx, batch);
}

/* What a full queue does not take now becomes part of the next window. */
static int runq_emit_window(struct weir_ctx *ctx, uint64_t now)
{
	const struct runq_conf *conf = ctx->options;
	struct runq_state *st = ctx->state;
	struct runq_window window = { OUTPUT_LATENCY, st->start, now };
	int sent = 0;

	if (conf->report & RUNQ_LATENCY)
		sent = runq_latency_emit(ctx, &st->latency, &window);
	window.output = OUTPUT_TASKS;
	if (sent >= 0 && conf->report & RUNQ_TASKS)
		sent = runq_tasks_emit(ctx, &st->tasks, &window);
	if (sent > 0)
		st->start = now;
	return sent < 0 ? sent : 0;
}

static int runq_step(struct weir_ctx *ctx, uint64_t now, bool last)
{
	const struct runq_conf *conf = ctx->options;
	struct runq_state *st = ctx->state;
	int err = 0;

	runq_report_lost(ctx);
	if (conf->report & RUNQ_SLOW)
		err = runq_emit_slow(ctx, now, last);
	if (err || (!last && (!conf->interval || now - st->start < conf->interval)))
		return err;
	return runq_emit_window(ctx, now);
}

static int runq_tick(struct weir_ctx *ctx, uint64_t now)
{
	return runq_step(ctx, now, false);
}

static int runq_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return runq_step(ctx, weir_now(ctx), true);
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void runq_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct runq_state *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void runq_destroy(struct weir_ctx *ctx)
{
	struct runq_state *st = ctx->state;

	weir_bpf_ring_unmap(&st->ring);
	weir_slots_unmap(&st->latency.slots);
	runq_tasks_release(&st->tasks);
	if (st->woken_new > 0)
		close(st->woken_new);
	runq_bpf__destroy(st->bpf);
	weir_cgroup_names_release(&st->cgroups);
	weir_bpf_stats_end(&st->stats);
}

static void runq_probe(struct weir_ctx *ctx)
{
	if (weir_probe_bpf(ctx))
		weir_probe_target(ctx, "raw_tp/sched_switch", "raw tracepoints of the scheduler",
				  WEIR_NEED_MISSING, "waits for a CPU are not seen",
				  "a kernel with CONFIG_TRACEPOINTS");
}

WEIR_COMPONENT(
	"cpu.runq", WEIR_SOURCE, .summary = "how long threads wait for a CPU, and what they did",
	.doc = "A wait begins when a thread is woken, or when the CPU is taken from it while it "
	       "would rather run\non, and ends when it runs. A wakeup of a thread that waits "
	       "already "
	       "does not begin it anew, nor does a\nmigration. What waited before weir was "
	       "attached "
	       "is counted as lost, not timed; what ran is counted\nfrom there. Idle is no thread. "
	       "Time on a CPU includes the interrupts that came meanwhile. Names are those\nof the "
	       "last switch, or of the last wait where there is one histogram per process.",
	.options_size = sizeof(struct runq_conf), .state_size = sizeof(struct runq_state),
	.options = WEIR_TABLE(runq_options), .outputs = WEIR_TABLE(runq_outputs),
	.probe = runq_probe, .bind = runq_bind, .start = runq_start, .tick = runq_tick,
	.drain = runq_drain, .destroy = runq_destroy, .cost = runq_cost);
