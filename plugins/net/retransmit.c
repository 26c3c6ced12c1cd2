/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source net.retransmit: what TCP sends again, one by one or counted by flow, as
 * retransmit.bpf.c sees it.
 */
#include <stdio.h>

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/loader.h>
#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>
#include <weir/plugin.h>

#include "ends.h"
#include "owners.h"
#include "retransmit_event.h"
/* Needs the event's types. */
#include "retransmit.skel.h"

struct retransmit_conf {
	struct ends_conf ends;
	uint64_t buffer;
	uint64_t interval;
	struct weir_task_conf filter;
	bool count;
};

static const struct weir_option retransmit_options[] = {
	WEIR_OPT_BOOL(struct retransmit_conf, count, "false", "count by flow, instead of events"),
	WEIR_OPT_DURATION(struct retransmit_conf, interval, "10s", 0, 24 * WEIR_HOUR,
			  "of counts: length of a window; 0: one window, until the end"),
	WEIR_OPT_TASK_FILTER(struct retransmit_conf),
	ENDS_OPTIONS(struct retransmit_conf),
	WEIR_OPT_BUFFER(struct retransmit_conf),
};

struct retransmit_row {
	uint64_t time;
	struct ends_columns ends;
	uint64_t count;
	uint64_t segments;
	uint32_t pid;
	char comm[16];
	char kind[12];
	char state[16];
};

#define RETRANSMIT_KEYS                                                                            \
	WEIR_FIELD_WITH(struct retransmit_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,            \
			"process that connected, or else has the socket open"),                    \
		WEIR_FIELD_WITH(struct retransmit_row, comm, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,   \
				"its name"),                                                       \
		ENDS_COLUMNS(struct retransmit_row),                                               \
		WEIR_FIELD(struct retransmit_row, state, WEIR_NONE, WEIR_KEY,                      \
			   "of the connection"),                                                   \
		WEIR_FIELD(struct retransmit_row, kind, WEIR_NONE, WEIR_KEY,                       \
			   "syn, synack, fast (later segments arrived), timeout, tlp (tail loss "  \
			   "probe), other")

static const struct weir_field retransmit_event_fields[] = {
	WEIR_FIELD_TIME(struct retransmit_row, time, WEIR_EVENT, "when it was sent again"),
	RETRANSMIT_KEYS,
	WEIR_FIELD(struct retransmit_row, segments, WEIR_COUNT, WEIR_EVENT,
		   "that were sent again in one packet"),
};

static const struct weir_field retransmit_flow_fields[] = {
	RETRANSMIT_KEYS,
	WEIR_FIELD(struct retransmit_row, count, WEIR_COUNT, WEIR_DELTA, "retransmits"),
	WEIR_FIELD(struct retransmit_row, segments, WEIR_COUNT, WEIR_DELTA,
		   "segments that were sent again"),
};

WEIR_SCHEMA(retransmit_events, "TCP retransmits", struct retransmit_row, retransmit_event_fields);
WEIR_SCHEMA(retransmit_flows, "TCP retransmits by flow", struct retransmit_row,
	    retransmit_flow_fields);

static const struct weir_output retransmit_outputs[] = {
	{ "retransmit", "one row per retransmit, or per flow that had some", NULL, 0, 0 },
};

/* What one flow had of one kind in this window. */
struct retransmit_flow {
	struct retransmit_event first;
	struct retransmit_owner owner; /* pid 0: not known */
	uint64_t count;
	uint64_t segments;
};

struct retransmit_source {
	struct retransmit_bpf *bpf;
	struct weir_bpf_ring ring;
	struct owners owners;
	struct owner_filter filter;
	struct retransmit_flow *flows;
	uint32_t flow_count;
	uint32_t flow_capacity;
	uint64_t start; /* of the window */
	int stats;      /* holds the kernel's statistics of BPF on; 0: not asked for */
};

static int retransmit_bind(struct weir_ctx *ctx)
{
	const struct retransmit_conf *conf = ctx->options;

	return ctx->host->declare(ctx, 0, conf->count ? &retransmit_flows : &retransmit_events);
}

static int retransmit_start(struct weir_ctx *ctx)
{
	const struct retransmit_conf *conf = ctx->options;
	struct retransmit_source *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = retransmit_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = ends_filter_set(ctx, &conf->ends,
			      (struct ends_filter *)&st->bpf->rodata->ends_filter);
	if (!err)
		err = owner_filter_set(ctx, &conf->filter, &st->filter);
	if (err)
		return err;
	st->owners.filter = st->filter.task.by ? &st->filter : NULL;
	st->bpf->maps.events.max_entries = weir_bpf_ring_size(conf->buffer);
	err = weir_bpf_load(retransmit_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(retransmit_bpf, st->bpf, &report);
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	err = weir_bpf_ring_map(&st->ring, st->bpf->maps.events.map_fd,
				weir_bpf_ring_size(conf->buffer));
	if (err)
		return weir_fail(ctx, err, "map the ring of events");
	st->start = weir_now(ctx);
	return weir_every(ctx, WEIR_BPF_RING_PERIOD_NS);
}

static int retransmit_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
			      const struct retransmit_flow *flow)
{
	static const char *const kinds[RETRANSMIT_KINDS] = { "other", "syn",  "synack",
							     "tlp",   "fast", "timeout" };
	const struct retransmit_event *event = &flow->first;
	struct retransmit_row row = { .time = event->time,
				      .pid = UINT32_MAX,
				      .count = flow->count,
				      .segments = flow->segments };
	struct retransmit_row *added;

	if (flow->owner.pid) {
		row.pid = flow->owner.pid;
		memcpy(row.comm, flow->owner.comm, sizeof(row.comm));
	}
	snprintf(row.state, sizeof(row.state), "%s", ends_state(event->state));
	snprintf(row.kind, sizeof(row.kind), "%s",
		 event->kind < RETRANSMIT_KINDS ? kinds[event->kind] : "other");
	if (ends_columns_fill(ctx, batch, &event->ends, &row.ends))
		return -ENOMEM;
	added = weir_add_row(ctx, batch);
	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}

static bool retransmit_same_flow(const struct retransmit_event *a, const struct retransmit_event *b)
{
	return a->socket == b->socket && a->kind == b->kind && a->state == b->state &&
	       memcmp(&a->ends, &b->ends, sizeof(a->ends)) == 0;
}

/* Few flows retransmit at a time, and those that do, do it again soon: looked for from behind. */
static int retransmit_count(struct retransmit_source *st, const struct retransmit_flow *one)
{
	const struct retransmit_event *event = &one->first;
	struct retransmit_flow *flow;

	for (uint32_t i = st->flow_count; i > 0; i--) {
		flow = &st->flows[i - 1];
		if (!retransmit_same_flow(&flow->first, event))
			continue;
		flow->count++;
		flow->segments += event->segments;
		return 0;
	}
	if (st->flow_count == st->flow_capacity) {
		uint32_t capacity = st->flow_capacity ? st->flow_capacity * 2 : 32;

		flow = realloc(st->flows, capacity * sizeof(*flow));
		if (!flow)
			return -ENOMEM;
		st->flows = flow;
		st->flow_capacity = capacity;
	}
	st->flows[st->flow_count++] = *one;
	return 0;
}

/* True if the filter has nothing against who connected; of those that are gone little is known. */
static bool retransmit_is_wanted(struct weir_ctx *ctx, const struct retransmit_owner *owner)
{
	struct retransmit_source *st = ctx->state;
	char path[32];
	int process;
	bool wanted;

	snprintf(path, sizeof(path), "proc/%u", owner->pid);
	process = openat(ctx->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	wanted = owner_filter_wants(&st->filter, process, owner->pid, owner->comm);
	if (process >= 0)
		close(process);
	return wanted;
}

/* Who connected, or else has the socket open. 1; 0: not one to be shown; -EAGAIN: not known yet. */
static int retransmit_find_owner(struct weir_ctx *ctx, const struct retransmit_event *event,
				 int last, struct retransmit_owner *owner)
{
	struct retransmit_source *st = ctx->state;
	const struct owner *found;
	int read;

	*owner = event->owner;
	if (owner->pid)
		return !st->filter.task.by || retransmit_is_wanted(ctx, owner);
	found = owners_find(&st->owners, event->socket);
	if (event->socket && !found) {
		read = owners_read(ctx, &st->owners, event->socket, last);
		if (read <= 0)
			return read ? read : -EAGAIN;
		found = owners_find(&st->owners, event->socket);
	}
	if (found) {
		owner->pid = found->pid;
		memcpy(owner->comm, found->comm, sizeof(owner->comm));
	}
	return !st->filter.task.by || (found && found->wanted);
}

/* Takes one event. -EAGAIN: its owner is not known yet, or a queue is full. */
static int retransmit_take(struct weir_ctx *ctx, const struct retransmit_event *event, int last,
			   struct weir_batch **batch)
{
	const struct retransmit_conf *conf = ctx->options;
	struct retransmit_flow flow = { .first = *event, .count = 1, .segments = event->segments };
	int wanted = retransmit_find_owner(ctx, event, last, &flow.owner);

	if (wanted <= 0)
		return wanted;
	if (conf->count)
		return retransmit_count(ctx->state, &flow);
	if (!*batch)
		*batch = weir_loan(ctx, 0, 16, 0);
	return *batch ? retransmit_add_row(ctx, *batch, &flow) : -EAGAIN;
}

static int retransmit_commit(struct weir_ctx *ctx, struct weir_batch *batch, uint64_t now, int err)
{
	struct retransmit_source *st = ctx->state;

	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send retransmits");
	}
	batch->start = st->start;
	batch->end = now;
	st->start = now;
	return weir_commit(ctx, batch);
}

static int retransmit_read(struct weir_ctx *ctx, uint64_t now, int last)
{
	struct retransmit_source *st = ctx->state;
	const struct retransmit_event *event;
	struct weir_batch *batch = NULL;
	uint64_t read = st->ring.read;
	uint32_t size;
	int err = 0;

	while (!err && (event = weir_bpf_ring_next(&st->ring, &size))) {
		err = size == sizeof(*event) ? retransmit_take(ctx, event, last, &batch) : -EBADMSG;
		if (!err)
			read = st->ring.read;
	}
	/* What has to wait is read again by the next tick. */
	st->ring.read = read;
	weir_bpf_ring_end(&st->ring);
	weir_lost(ctx, WEIR_BPF_RING_FULL, weir_cell_take(&st->bpf->bss->events_lost),
		  WEIR_BPF_RING_CURE "--lport, --rport");
	if (err == -EAGAIN)
		err = 0;
	if (batch)
		return retransmit_commit(ctx, batch, now, err);
	return err ? weir_fail(ctx, err, "read events") : 0;
}

/* A window without retransmits is sent, too: it says that there were none. */
static int retransmit_emit_flows(struct weir_ctx *ctx, uint64_t now)
{
	struct retransmit_source *st = ctx->state;
	struct weir_batch *batch = weir_loan(ctx, 0, st->flow_count, 0);
	int err = 0;

	/* What a full queue does not take now goes into the next window. */
	if (!batch)
		return 0;
	for (uint32_t i = 0; i < st->flow_count && !err; i++)
		err = retransmit_add_row(ctx, batch, &st->flows[i]);
	st->flow_count = 0;
	return retransmit_commit(ctx, batch, now, err);
}

static int retransmit_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct retransmit_conf *conf = ctx->options;
	struct retransmit_source *st = ctx->state;
	int err = retransmit_read(ctx, now, 0);

	if (!err && conf->count && conf->interval && now - st->start >= conf->interval)
		err = retransmit_emit_flows(ctx, now);
	return err;
}

static int retransmit_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct retransmit_conf *conf = ctx->options;
	int err = retransmit_read(ctx, weir_now(ctx), 1);

	(void)deadline;
	return !err && conf->count ? retransmit_emit_flows(ctx, weir_now(ctx)) : err;
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void retransmit_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct retransmit_source *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void retransmit_destroy(struct weir_ctx *ctx)
{
	struct retransmit_source *st = ctx->state;

	weir_bpf_ring_unmap(&st->ring);
	retransmit_bpf__destroy(st->bpf);
	owners_release(&st->owners);
	owner_filter_release(&st->filter);
	free(st->flows);
	weir_bpf_stats_end(&st->stats);
}

static void retransmit_probe(struct weir_ctx *ctx)
{
	if (weir_probe_bpf(ctx))
		weir_probe_target(ctx, "raw_tp/tcp_retransmit_skb", "raw tracepoints of TCP",
				  WEIR_NEED_MISSING, "retransmits are not seen",
				  "a kernel with CONFIG_TRACEPOINTS and CONFIG_INET");
	weir_probe_capability(ctx, CAP_SYS_PTRACE, "CAP_SYS_PTRACE", WEIR_NEED_LIMITED,
			      "owners of sockets are known for one's own processes only");
}

WEIR_COMPONENT(
	"net.retransmit", WEIR_SOURCE, .summary = "what TCP sends again, and why",
	.doc = "Each segment that is sent again, with the reason: a SYN or SYN-ACK without\n"
	       "answer, a timeout, a loss that later segments showed (fast), a probe for a\n"
	       "lost tail (tlp). The owner is the process that connected. Where that was\n"
	       "before weir looked, and of what was accepted, it is the first process in\n"
	       "/proc that has the socket open; it is absent when there is none (any more).\n"
	       "All kinds together are RetransSegs of /proc/net/snmp, counted in segments.",
	.options_size = sizeof(struct retransmit_conf),
	.state_size = sizeof(struct retransmit_source), .options = WEIR_TABLE(retransmit_options),
	.outputs = WEIR_TABLE(retransmit_outputs), .probe = retransmit_probe,
	.bind = retransmit_bind, .start = retransmit_start, .tick = retransmit_tick,
	.drain = retransmit_drain, .destroy = retransmit_destroy, .cost = retransmit_cost);
