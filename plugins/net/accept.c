/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source net.accept: TCP connections as they are accepted, and how long they waited for it. A
 * source of its own, as it slows all system calls while it runs, and takes 3 ms more to load.
 */
#include <stdio.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/loader.h>
#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>
#include <weir/bpf/tracepoint.h>
#include <weir/plugin.h>

#include "accept_event.h"
#include "ends.h"
#include "owner_columns.h"
/* Needs the event's types. */
#include "accept.skel.h"

struct accept_conf {
	struct weir_task_conf filter;
	struct ends_conf ends;
	uint64_t buffer;
};

static const struct weir_option accept_options[] = {
	WEIR_OPT_TASK_FILTER(struct accept_conf),
	ENDS_OPTIONS(struct accept_conf),
	WEIR_OPT_BUFFER(struct accept_conf),
};

struct accept_row {
	uint64_t time;
	struct weir_task_columns task;
	struct ends_columns ends;
	uint64_t wait;
};

static const struct weir_field accept_fields[] = {
	WEIR_FIELD_TIME(struct accept_row, time, WEIR_EVENT, "when accept() returned"),
	OWNER_COLUMNS(struct accept_row),
	ENDS_COLUMNS(struct accept_row),
	WEIR_FIELD_DURATION(struct accept_row, wait, WEIR_EVENT, WEIR_OPTIONAL,
			    "from the end of the handshake to accept(); absent if one of them "
			    "was not seen"),
};

WEIR_SCHEMA(accept_schema, "TCP accepts", struct accept_row, accept_fields);

static const struct weir_output accept_outputs[] = {
	{ "accept", "one row per accept()", &accept_schema, 0, 0 },
};

static const char *const accept_calls[] = { "syscalls/sys_exit_accept",
					    "syscalls/sys_exit_accept4" };

#define ACCEPT_CALLS (sizeof(accept_calls) / sizeof(accept_calls[0]))

struct accept_source {
	struct accept_bpf *bpf;
	struct weir_bpf_ring ring;
	struct weir_cgroup_names names;
	uint64_t start;          /* of the window */
	int links[ACCEPT_CALLS]; /* descriptors, or 0 */
	int stats;               /* holds the kernel's statistics of BPF on; 0: not asked for */
};

/* One program for both system calls, whose exits look alike. */
static int accept_attach_calls(struct weir_ctx *ctx, struct weir_bpf_report *report)
{
	struct accept_source *st = ctx->state;
	int tracefs = weir_tracefs_open(ctx, report);
	int err = tracefs < 0 ? tracefs : 0;

	for (size_t i = 0; i < ACCEPT_CALLS && !err; i++) {
		int link = weir_bpf_attach_tracepoint(tracefs, accept_calls[i],
						      st->bpf->progs.accept_done.prog_fd, report);

		if (link < 0)
			err = link;
		else
			st->links[i] = link;
	}
	if (tracefs >= 0)
		close(tracefs);
	return err;
}

static int accept_load(struct weir_ctx *ctx)
{
	const struct accept_conf *conf = ctx->options;
	struct accept_source *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	err = weir_task_filter_set(ctx, &conf->filter,
				   (struct weir_task_filter *)&st->bpf->rodata->task_filter,
				   &st->names);
	if (!err)
		err = ends_filter_set(ctx, &conf->ends,
				      (struct ends_filter *)&st->bpf->rodata->ends_filter);
	if (err)
		return err;
	st->bpf->maps.events.max_entries = weir_bpf_ring_size(conf->buffer);
	err = weir_bpf_load(accept_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(accept_bpf, st->bpf, &report);
	if (!err)
		err = accept_attach_calls(ctx, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static int accept_start(struct weir_ctx *ctx)
{
	const struct accept_conf *conf = ctx->options;
	struct accept_source *st = ctx->state;
	int err;

	st->bpf = accept_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = accept_load(ctx);
	if (err)
		return err;
	err = weir_bpf_ring_map(&st->ring, st->bpf->maps.events.map_fd,
				weir_bpf_ring_size(conf->buffer));
	if (err)
		return weir_fail(ctx, err, "map the ring of events");
	st->start = weir_now(ctx);
	return weir_every(ctx, WEIR_BPF_RING_PERIOD_NS);
}

static int accept_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
			  const struct accept_event *event)
{
	struct accept_source *st = ctx->state;
	struct accept_row row = { .time = event->time, .wait = event->wait };
	struct accept_row *added;

	if (owner_columns_fill(ctx, batch, &st->names, event->has_task ? &event->task : NULL,
			       &row.task) ||
	    ends_columns_fill(ctx, batch, &event->ends, &row.ends))
		return -ENOMEM;
	added = weir_add_row(ctx, batch);
	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}

/* -EAGAIN: a queue is full. */
static int accept_take(struct weir_ctx *ctx, const struct accept_event *event,
		       struct weir_batch **batch)
{
	if (!*batch)
		*batch = weir_loan(ctx, 0, 16, 0);
	return *batch ? accept_add_row(ctx, *batch, event) : -EAGAIN;
}

static int accept_commit(struct weir_ctx *ctx, struct weir_batch *batch, uint64_t now)
{
	struct accept_source *st = ctx->state;

	batch->start = st->start;
	batch->end = now;
	st->start = now;
	return weir_commit(ctx, batch);
}

static void accept_report_lost(struct weir_ctx *ctx)
{
	struct accept_source *st = ctx->state;
	uint64_t unknown = weir_cell_take(&st->bpf->bss->totals.map_full);

	weir_lost(ctx, WEIR_BPF_RING_FULL, weir_cell_take(&st->bpf->bss->events_lost),
		  WEIR_BPF_RING_CURE "--pid, --comm, --lport, --rport");
	if (unknown)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "too many connections wait to be accepted: the wait of %llu is not known",
			 (unsigned long long)unknown);
}

static int accept_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct accept_source *st = ctx->state;
	const struct accept_event *event;
	struct weir_batch *batch = NULL;
	uint64_t read = st->ring.read;
	uint32_t size;
	int err = 0;

	while (!err && (event = weir_bpf_ring_next(&st->ring, &size))) {
		err = size == sizeof(*event) ? accept_take(ctx, event, &batch) : -EBADMSG;
		if (!err)
			read = st->ring.read;
	}
	/* What a full queue does not take now is read again by the next tick. */
	st->ring.read = read;
	weir_bpf_ring_end(&st->ring);
	accept_report_lost(ctx);
	if (err && err != -EAGAIN) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "read events");
	}
	return batch ? accept_commit(ctx, batch, now) : 0;
}

static int accept_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return accept_tick(ctx, weir_now(ctx));
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void accept_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct accept_source *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void accept_destroy(struct weir_ctx *ctx)
{
	struct accept_source *st = ctx->state;

	for (size_t i = 0; i < ACCEPT_CALLS; i++)
		if (st->links[i] > 0)
			close(st->links[i]);
	weir_bpf_ring_unmap(&st->ring);
	accept_bpf__destroy(st->bpf);
	weir_cgroup_names_release(&st->names);
	weir_bpf_stats_end(&st->stats);
}

static void accept_probe(struct weir_ctx *ctx)
{
	struct weir_bpf_report report = { 0 };
	int tracefs;

	if (!weir_probe_bpf(ctx))
		return;
	weir_probe_target(ctx, "raw_tp/inet_sock_set_state", "raw tracepoints of TCP",
			  WEIR_NEED_MISSING, "connections are not seen",
			  "a kernel with CONFIG_TRACEPOINTS and CONFIG_INET");
	tracefs = weir_tracefs_open(ctx, &report);
	if (tracefs < 0) {
		weir_need(ctx, WEIR_NEED_MISSING, "tracefs", report.text, "accept() is not seen",
			  "mount -t tracefs tracefs /sys/kernel/tracing");
		return;
	}
	close(tracefs);
	weir_need(ctx, WEIR_NEED_MET, "tracefs", "present", "", "");
}

WEIR_COMPONENT(
	"net.accept", WEIR_SOURCE, .summary = "TCP connections as they are accepted",
	.doc = "The owner is who called accept(). What io_uring accepted is shown when its owner "
	       "shuts it down or\ncloses it, and what nobody accepted when it ends; both without "
	       "wait. While it runs, an empty system\ncall of any process takes half as long "
	       "again: "
	       "that is how Linux traces the end of one.",
	.options_size = sizeof(struct accept_conf), .state_size = sizeof(struct accept_source),
	.options = WEIR_TABLE(accept_options), .outputs = WEIR_TABLE(accept_outputs),
	.probe = accept_probe, .start = accept_start, .tick = accept_tick, .drain = accept_drain,
	.destroy = accept_destroy, .cost = accept_cost);
