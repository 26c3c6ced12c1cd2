/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source cpu.offcpu: what threads are blocked on, by the stack with which they block, and who
 * wakes them. Timed and added up in the kernel by offcpu.bpf.c.
 */
#include <sys/random.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/iterator.h>
#include <weir/bpf/loader.h>
#include <weir/bpf/probe.h>
#include <weir/plugin.h>
#include <weir/service/process.h>
#include <weir/task_filter.h>

#include "offcpu.h"
/* Needs the event's types. */
#include "offcpu.skel.h"

/* Values of the option `stack`: bits. */
enum { STACK_BOTH = 0, STACK_KERNEL = 1, STACK_USER = 2 };

struct offcpu_conf {
	uint32_t state; /* enum offcpu_state */
	uint32_t stack;
	uint32_t max_stacks;
	bool threads;
	bool waker;
	uint64_t min_block;
	uint64_t max_block;
	uint64_t interval;
	struct weir_task_conf filter;
};

static const struct weir_option offcpu_options[] = {
	WEIR_OPT_CHOICES(
		struct offcpu_conf, state,
		"interruptible,uninterruptible,stopped,traced,parked,other",
		"interruptible uninterruptible idle stopped traced parked other",
		"only blocks of these kinds; idle: kernel threads that wait for work, which the "
		"load does not count either"),
	WEIR_OPT_CHOICE(struct offcpu_conf, stack, "both", "both kernel user",
			"which part of the stacks"),
	WEIR_OPT_BOOL(struct offcpu_conf, threads, "false", "tell the threads of a process apart"),
	WEIR_OPT_BOOL(struct offcpu_conf, waker, "false",
		      "tell apart who woke them, with its kernel stack on top"),
	WEIR_OPT_DURATION(struct offcpu_conf, min_block, "0s", 0, 24 * WEIR_HOUR,
			  "only blocks that took at least this long"),
	WEIR_OPT_DURATION(struct offcpu_conf, max_block, "0s", 0, 24 * WEIR_HOUR,
			  "only blocks that took at most this long; 0: however long"),
	WEIR_OPT_UINT(struct offcpu_conf, max_stacks, "4096", 16, 1 << 18,
		      "different stacks to keep, of 2 KiB; the time of further ones goes to "
		      "[lost stack]"),
	WEIR_OPT_DURATION(struct offcpu_conf, interval, "10s", 0, 24 * WEIR_HOUR,
			  "length of a window; 0: one window, until the end"),
	WEIR_OPT_TASK_FILTER(struct offcpu_conf),
};

static const struct weir_output offcpu_outputs[] = {
	{ "blocked", "one row per process and stack, each interval", NULL, 0, 0 },
};

struct offcpu {
	struct offcpu_bpf *bpf;
	struct offcpu_rows rows;
	struct weir_cgroup_names cgroups;
	struct weir_service process; /* vtable: struct weir_process_v1 */
	uint64_t start;              /* of the window */
	int stats;                   /* holds the kernel's statistics of BPF on; 0: not asked for */
};

static int offcpu_create(struct weir_ctx *ctx)
{
	const struct offcpu_conf *conf = ctx->options;

	if (conf->max_block && conf->max_block < conf->min_block)
		return weir_fail_option(ctx, "max_block", -EINVAL, "less than min_block");
	return 0;
}

static int offcpu_bind(struct weir_ctx *ctx)
{
	return ctx->host->declare(ctx, 0, offcpu_schema);
}

/* So that processes which end before their stacks are named keep their mappings. */
static void watch_processes(struct weir_ctx *ctx)
{
	const struct offcpu_conf *conf = ctx->options;
	struct offcpu *st = ctx->state;
	struct weir_process_scope scope = {
		.size = sizeof(scope),
		.pids = &conf->filter.pid,
		.pid_count = conf->filter.pid != 0,
		.cgroup_fd = -1,
	};
	const struct weir_process_v1 *process;
	int err = weir_service(ctx, WEIR_PROCESS_SERVICE, WEIR_PROCESS_VERSION, &st->process);

	process = st->process.vtable;
	if (!err)
		err = process->watch(st->process.ctx, &scope);
	if (err)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "the kernel does not tell of processes (%s): functions of those that end "
			 "before they are looked up have no names",
			 strerror(-err));
}

static int fill_constants(struct weir_ctx *ctx)
{
	const struct offcpu_conf *conf = ctx->options;
	struct offcpu *st = ctx->state;
	struct offcpu_bpf__rodata *rodata = st->bpf->rodata;

	rodata->states = conf->state;
	rodata->by_thread = conf->threads;
	rodata->with_waker = conf->waker;
	rodata->min_ns = conf->min_block;
	rodata->max_ns = conf->max_block;
	rodata->walk_kernel = conf->stack != STACK_USER;
	rodata->walk_user = conf->stack != STACK_KERNEL;
	rodata->slot_count = conf->max_stacks;
	st->bpf->maps.slots.max_entries = conf->max_stacks;
	st->bpf->maps.slot_index.max_entries = conf->max_stacks;
	if (!conf->waker)
		st->bpf->attempt.without = "offcpu_waking";
	if (getrandom(rodata->seed, sizeof(rodata->seed), 0) != sizeof(rodata->seed))
		return weir_fail(ctx, -errno, "get a random number");
	return weir_task_filter_set(ctx, &conf->filter, &rodata->task_filter, &st->cgroups);
}

/* Those who begin a block first, then those who end it, then what had begun before. */
static int attach(struct weir_ctx *ctx)
{
	const struct offcpu_conf *conf = ctx->options;
	struct offcpu *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int fd = offcpu_bpf__offcpu_woken__attach(st->bpf);
	int err;

	if (fd >= 0 && conf->waker)
		fd = offcpu_bpf__offcpu_waking__attach(st->bpf);
	if (fd >= 0)
		fd = offcpu_bpf__offcpu_switched__attach(st->bpf);
	if (fd >= 0)
		fd = offcpu_bpf__offcpu_before__attach(st->bpf);
	err = weir_bpf_attach_one(offcpu_bpf, st->bpf, fd, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static int load(struct weir_ctx *ctx)
{
	struct offcpu *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = offcpu_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = fill_constants(ctx);
	if (err)
		return err;
	err = weir_bpf_load(offcpu_bpf, st->bpf, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static int prepare_rows(struct weir_ctx *ctx)
{
	const struct offcpu_conf *conf = ctx->options;
	struct offcpu *st = ctx->state;
	int err;

	st->rows.slots.bytes = sizeof(struct offcpu_slot);
	st->rows.slots.count = conf->max_stacks;
	st->rows.slots.pool = &st->bpf->bss->slot_pool;
	st->rows.slots_fd = st->bpf->maps.slots.map_fd;
	st->rows.index_fd = st->bpf->maps.slot_index.map_fd;
	st->rows.cgroups = &st->cgroups;
	st->rows.min_ns = conf->min_block;
	st->rows.max_ns = conf->max_block;
	err = offcpu_rows_map(&st->rows, st->bpf->maps.blocked.map_fd);
	return err ? weir_fail(ctx, err, "map the kernel's tables") : 0;
}

static int offcpu_start(struct weir_ctx *ctx)
{
	const struct offcpu_conf *conf = ctx->options;
	struct offcpu *st = ctx->state;
	int err = load(ctx);

	if (!err)
		err = prepare_rows(ctx);
	if (err)
		return err;
	if (conf->stack != STACK_KERNEL)
		watch_processes(ctx);
	st->start = weir_now(ctx);
	err = attach(ctx);
	if (err)
		return err;
	err = weir_bpf_iterate(st->bpf->links.offcpu_before_fd);
	if (err)
		return weir_fail(ctx, err, "look at the threads that are blocked already");
	return conf->interval ? weir_every(ctx, conf->interval) : 0;
}

static void say_lost(struct weir_ctx *ctx)
{
	static const char fewer[] = "watch fewer: --pid, --comm, --cgroup";
	struct offcpu *st = ctx->state;
	struct offcpu_totals *totals = &st->bpf->bss->totals;

	weir_lost(ctx, "block whose end was not seen, so not timed",
		  weir_cell_take(&totals->unseen), NULL);
	weir_lost(ctx, "block not timed: too many threads were blocked",
		  weir_cell_take(&totals->full), fewer);
	weir_lost(ctx, "stack of a block, counted under [lost stack]: the table was full",
		  weir_cell_take(&st->bpf->bss->slot_pool.full), "a larger --max-stacks");
	weir_lost(ctx, "stack of a block, counted under [lost stack]: the table was locked",
		  weir_cell_take(&totals->busy), fewer);
	weir_lost(ctx, "stack of a block, counted under [lost stack]: it could not be walked",
		  weir_cell_take(&totals->kernel_lost), NULL);
	weir_lost(ctx, "user stack of a block, counted under [lost user stack]",
		  weir_cell_take(&totals->user_lost), NULL);
}

static int offcpu_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct offcpu *st = ctx->state;
	int sent = offcpu_rows_emit(ctx, &st->rows, st->start, now);

	say_lost(ctx);
	if (sent > 0)
		st->start = now;
	return sent < 0 ? sent : 0;
}

static int offcpu_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct offcpu *st = ctx->state;
	int sent;

	(void)deadline;
	/* So that nothing changes while it is read for the last time. */
	offcpu_bpf__detach(st->bpf);
	memset(&st->bpf->links, 0, sizeof(st->bpf->links));
	sent = offcpu_rows_emit(ctx, &st->rows, st->start, weir_now(ctx));
	say_lost(ctx);
	if (sent == 0)
		weir_lost(ctx, "a full queue held the source up", weir_slots_used(&st->rows.slots),
			  NULL);
	return sent < 0 ? sent : 0;
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void offcpu_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct offcpu *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void offcpu_destroy(struct weir_ctx *ctx)
{
	struct offcpu *st = ctx->state;

	offcpu_rows_release(ctx, &st->rows);
	offcpu_bpf__destroy(st->bpf);
	weir_cgroup_names_release(&st->cgroups);
	weir_bpf_stats_end(&st->stats);
}

static void offcpu_probe(struct weir_ctx *ctx)
{
	if (!weir_probe_bpf(ctx))
		return;
	weir_probe_target(ctx, "raw_tp/sched_switch", "raw tracepoints of the scheduler",
			  WEIR_NEED_MISSING, "blocks are not seen",
			  "a kernel with CONFIG_TRACEPOINTS");
	weir_probe_target(ctx, "iter/task", "BPF iterator of tasks", WEIR_NEED_MISSING,
			  "threads that are blocked already are not seen", "Linux 5.8 or later");
}

WEIR_COMPONENT(
	"cpu.offcpu", WEIR_SOURCE, .summary = "what threads are blocked on, by stack",
	.doc = "A block begins when a thread leaves the CPU and does not want to run, and ends "
	       "when "
	       "it is woken: the\n"
	       "wait for a CPU after that is no part of it. What is still blocked when a window "
	       "ends counts until then,\n"
	       "and is in the column `blocked`; what was blocked before weir came counts from "
	       "there on, under\n"
	       "[began before], for only its kernel stack can be seen. Stacks are never mixed up: "
	       "the time of\n"
	       "those that cannot be kept is under [lost stack]. weir itself is left out.",
	.options_size = sizeof(struct offcpu_conf), .state_size = sizeof(struct offcpu),
	.options = WEIR_TABLE(offcpu_options), .outputs = WEIR_TABLE(offcpu_outputs),
	.probe = offcpu_probe, .create = offcpu_create, .bind = offcpu_bind, .start = offcpu_start,
	.tick = offcpu_tick, .drain = offcpu_drain, .destroy = offcpu_destroy, .cost = offcpu_cost);
