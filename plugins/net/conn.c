/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source net.conn: TCP connections at their end, and at the outcome of connect(), as conn.bpf.c
 * follows them.
 */
#include <stdio.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/loader.h>
#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>
#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/task_filter.h>

#include "conn_event.h"
#include "ends.h"
#include "owner_columns.h"
/* Needs the event's types. */
#include "conn.skel.h"

struct conn_conf {
	struct weir_task_conf filter;
	struct ends_conf ends;
	uint64_t buffer;
	uint32_t report; /* enum conn_report */
	uint32_t connections;
};

static const struct weir_option conn_options[] = {
	WEIR_OPT_CHOICES(struct conn_conf, report, "life", "life connect",
			 "what to trace; the other output stays empty"),
	WEIR_OPT_TASK_FILTER(struct conn_conf),
	ENDS_OPTIONS(struct conn_conf),
	WEIR_OPT_BUFFER(struct conn_conf),
	WEIR_OPT_UINT(struct conn_conf, connections, "16384", 64, 4194304,
		      "at most so many connections at a time, 200 bytes of the kernel each"),
};

/* One row type for all outputs: each shows the columns that it fills. */
struct conn_row {
	uint64_t time;
	struct weir_task_columns task;
	struct ends_columns ends;
	uint64_t tx;
	uint64_t rx;
	uint64_t latency;
	uint64_t duration;
	char opened[8];
	char outcome[16];
	char error[16];
	char state[16];
};

static const struct weir_field conn_life_fields[] = {
	WEIR_FIELD_TIME(struct conn_row, time, WEIR_EVENT, "when it ended"),
	OWNER_COLUMNS(struct conn_row),
	ENDS_COLUMNS(struct conn_row),
	WEIR_FIELD(struct conn_row, opened, WEIR_NONE, WEIR_KEY,
		   "active: by this side; passive: by the other; empty: before weir looked"),
	WEIR_FIELD(struct conn_row, tx, WEIR_BYTES, WEIR_EVENT,
		   "payload sent, as far as the other side acknowledged it"),
	WEIR_FIELD(struct conn_row, rx, WEIR_BYTES, WEIR_EVENT, "payload received"),
	WEIR_FIELD_DURATION(struct conn_row, duration, WEIR_EVENT, WEIR_OPTIONAL,
			    "from the first SYN, or from the handshake of who was connected to; "
			    "absent if it began before weir looked"),
	WEIR_FIELD(struct conn_row, outcome, WEIR_NONE, WEIR_KEY,
		   "closed, aborted (by this side), reset, timed out, refused, unreachable, "
		   "abandoned (while connecting), failed"),
	WEIR_FIELD_WITH(struct conn_row, error, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"what the program is told of it"),
	WEIR_FIELD_WITH(struct conn_row, state, WEIR_NONE, WEIR_KEY, WEIR_QUIET,
			"the last before its end"),
};

static const struct weir_field conn_connect_fields[] = {
	WEIR_FIELD_TIME(struct conn_row, time, WEIR_EVENT, "when the outcome was known"),
	OWNER_COLUMNS(struct conn_row),
	ENDS_COLUMNS(struct conn_row),
	WEIR_FIELD_DURATION(struct conn_row, latency, WEIR_EVENT, 0,
			    "from the first SYN to the outcome"),
	WEIR_FIELD(struct conn_row, outcome, WEIR_NONE, WEIR_KEY,
		   "connected, refused, timed out, reset, unreachable, abandoned (by the caller), "
		   "failed"),
	WEIR_FIELD_WITH(struct conn_row, error, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"what the program is told of it"),
};

WEIR_SCHEMA(conn_life_schema, "TCP connections", struct conn_row, conn_life_fields);
WEIR_SCHEMA(conn_connect_schema, "TCP connects", struct conn_row, conn_connect_fields);

/* In the order of enum conn_report. */
static const struct weir_output conn_outputs[] = {
	{ "life", "one row per connection, at its end", &conn_life_schema, 0, 0 },
	{ "connect", "one row per connect(), at its outcome", &conn_connect_schema, 0, 0 },
};

#define CONN_OUTPUTS (sizeof(conn_outputs) / sizeof(conn_outputs[0]))

struct conn_source {
	struct conn_bpf *bpf;
	struct weir_bpf_ring ring;
	struct weir_cgroup_names names;
	struct weir_batch *batches[CONN_OUTPUTS];
	uint64_t start; /* of the window */
	int stats;      /* holds the kernel's statistics of BPF on; 0: not asked for */
};

static int conn_load(struct weir_ctx *ctx)
{
	const struct conn_conf *conf = ctx->options;
	struct conn_source *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf->rodata->reports = conf->report;
	st->bpf->maps.conns.max_entries = conf->connections;
	err = weir_task_filter_set(ctx, &conf->filter,
				   (struct weir_task_filter *)&st->bpf->rodata->task_filter,
				   &st->names);
	if (!err)
		err = ends_filter_set(ctx, &conf->ends,
				      (struct ends_filter *)&st->bpf->rodata->ends_filter);
	if (err)
		return err;
	st->bpf->maps.events.max_entries = weir_bpf_ring_size(conf->buffer);
	err = weir_bpf_load(conn_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(conn_bpf, st->bpf, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static int conn_start(struct weir_ctx *ctx)
{
	const struct conn_conf *conf = ctx->options;
	struct conn_source *st = ctx->state;
	int err;

	st->bpf = conn_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = conn_load(ctx);
	if (err)
		return err;
	err = weir_bpf_ring_map(&st->ring, st->bpf->maps.events.map_fd,
				weir_bpf_ring_size(conf->buffer));
	if (err)
		return weir_fail(ctx, err, "map the ring of events");
	st->start = weir_now(ctx);
	return weir_every(ctx, WEIR_BPF_RING_PERIOD_NS);
}

/* What a connection that was established came to. */
static const char *conn_ending(int error)
{
	switch (error) {
	case 0:
		return "closed";
	case ECONNRESET:
	case EPIPE:
		return "reset";
	case ETIMEDOUT:
		return "timed out";
	case EHOSTUNREACH:
	case ENETUNREACH:
		return "unreachable";
	default:
		return "failed";
	}
}

static const char *conn_outcome(const struct conn_event *event)
{
	int is_connect = event->kind == CONN_CONNECT;

	if (is_connect && event->established)
		return "connected";
	if (event->flags & CONN_ACTIVE && !event->established) {
		if (event->error == ECONNREFUSED)
			return "refused";
		if (!event->error)
			return event->ends.lport ? "abandoned" : "failed";
	}
	/* From there to CLOSE without an error: close() threw unread data away, or was to do so. */
	if (!event->error && (event->state == CONN_ESTABLISHED || event->state == CONN_CLOSE_WAIT))
		return "aborted";
	return conn_ending(event->error);
}

static int conn_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
			const struct conn_event *event)
{
	struct conn_row row = { .time = event->time, .tx = event->tx, .rx = event->rx };
	const char *error = event->error ? strerrorname_np(event->error) : NULL;
	struct conn_source *st = ctx->state;
	struct conn_row *added;

	row.duration = event->start ? event->time - event->start : UINT64_MAX;
	row.latency = row.duration;
	if (event->flags & (CONN_ACTIVE | CONN_PASSIVE) && event->start)
		snprintf(row.opened, sizeof(row.opened), "%s",
			 event->flags & CONN_ACTIVE ? "active" : "passive");
	snprintf(row.outcome, sizeof(row.outcome), "%s", conn_outcome(event));
	snprintf(row.state, sizeof(row.state), "%s", ends_state(event->state));
	if (error)
		snprintf(row.error, sizeof(row.error), "%s", error);
	if (owner_columns_fill(ctx, batch, &st->names,
			       event->flags & CONN_OWNED ? &event->task : NULL, &row.task) ||
	    ends_columns_fill(ctx, batch, &event->ends, &row.ends))
		return -ENOMEM;
	added = weir_add_row(ctx, batch);
	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}

/* The output of an event. */
static uint32_t conn_output(const struct conn_event *event)
{
	return event->kind == CONN_LIFE ? 0 : 1;
}

/* Rows for what the ring holds. -EAGAIN: the rest must wait, as a queue is full. */
static int conn_take(struct weir_ctx *ctx, const struct conn_event *event)
{
	struct conn_source *st = ctx->state;
	uint32_t output = conn_output(event);

	if (!st->batches[output])
		st->batches[output] = weir_loan(ctx, output, 16, 0);
	if (!st->batches[output])
		return -EAGAIN;
	return conn_add_row(ctx, st->batches[output], event);
}

/* Sends what was taken. `start` of the window is kept by those outputs that had nothing. */
static int conn_commit(struct weir_ctx *ctx, uint64_t now, int err)
{
	struct conn_source *st = ctx->state;

	for (uint32_t i = 0; i < CONN_OUTPUTS; i++) {
		struct weir_batch *batch = st->batches[i];

		st->batches[i] = NULL;
		if (!batch)
			continue;
		batch->start = st->start;
		batch->end = now;
		if (!err)
			err = weir_commit(ctx, batch);
		else
			weir_discard(ctx, batch);
	}
	st->start = now;
	return err;
}

static void conn_report_lost(struct weir_ctx *ctx)
{
	struct conn_source *st = ctx->state;

	weir_lost(ctx, WEIR_BPF_RING_FULL, weir_cell_take(&st->bpf->bss->events_lost),
		  WEIR_BPF_RING_CURE "--pid, --comm, --lport, --rport");
	weir_lost(ctx, "connection not followed: too many at a time",
		  weir_cell_take(&st->bpf->bss->totals.map_full), "a larger --connections");
}

static int conn_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct conn_source *st = ctx->state;
	const struct conn_event *event;
	uint64_t read = st->ring.read;
	uint32_t size;
	int err = 0;

	while (!err && (event = weir_bpf_ring_next(&st->ring, &size))) {
		err = size == sizeof(*event) ? conn_take(ctx, event) : -EBADMSG;
		if (!err)
			read = st->ring.read;
	}
	/* What a full queue does not take now is read again by the next tick. */
	st->ring.read = read;
	weir_bpf_ring_end(&st->ring);
	conn_report_lost(ctx);
	if (err && err != -EAGAIN)
		err = weir_fail(ctx, err, "read events");
	return conn_commit(ctx, now, err == -EAGAIN ? 0 : err);
}

static int conn_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return conn_tick(ctx, weir_now(ctx));
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void conn_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct conn_source *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void conn_destroy(struct weir_ctx *ctx)
{
	struct conn_source *st = ctx->state;

	for (uint32_t i = 0; i < CONN_OUTPUTS; i++)
		weir_discard(ctx, st->batches[i]);
	weir_bpf_ring_unmap(&st->ring);
	conn_bpf__destroy(st->bpf);
	weir_cgroup_names_release(&st->names);
	weir_bpf_stats_end(&st->stats);
}

static void conn_probe(struct weir_ctx *ctx)
{
	if (!weir_probe_bpf(ctx))
		return;
	weir_probe_target(ctx, "raw_tp/inet_sock_set_state", "raw tracepoints of TCP",
			  WEIR_NEED_MISSING, "connections are not seen",
			  "a kernel with CONFIG_TRACEPOINTS and CONFIG_INET");
}

WEIR_COMPONENT(
	"net.conn", WEIR_SOURCE,
	.summary = "TCP connections: their life, and what comes of connects",
	.doc = "Follows each connection by its changes of state. Owner is who called connect(); of "
	       "accepted ones\nwho closed it or shut it down: what runs in interrupts is never "
	       "taken "
	       "for an owner, and an owner\nthat was not seen is absent. Bytes are payload, "
	       "without "
	       "SYN and FIN. Connections from before weir\nlooked are shown at their end, without "
	       "duration. What is accepted, and when: net.accept.",
	.options_size = sizeof(struct conn_conf), .state_size = sizeof(struct conn_source),
	.options = WEIR_TABLE(conn_options), .outputs = WEIR_TABLE(conn_outputs),
	.probe = conn_probe, .start = conn_start, .tick = conn_tick, .drain = conn_drain,
	.destroy = conn_destroy, .cost = conn_cost);
