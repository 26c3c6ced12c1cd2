/* SPDX-License-Identifier: BSD-2-Clause */
/* Source net.tcp: what TCP and UDP did in a window in each network namespace, and its listeners. */
#include <linux/capability.h>
#include <stdlib.h>

#include <weir/probe.h>
#include <weir/reading.h>
#include <weir/sample.h>

#include "tcp_rows.h"

struct tcp_conf {
	uint64_t interval;
	uint32_t namespaces; /* enum tcp_namespaces */
	uint32_t ports;      /* enum tcp_count_ports */
	uint32_t owners;     /* enum tcp_owners */
	bool idle;
};

enum tcp_namespaces { NAMESPACES_ALL, NAMESPACES_OWN };
enum tcp_owners { OWNERS_ALL, OWNERS_TROUBLED };

static const struct weir_option tcp_options[] = {
	WEIR_OPT_DURATION(struct tcp_conf, interval, "1s", 10000000, 24 * WEIR_HOUR,
			  "length of a window"),
	WEIR_OPT_CHOICE(struct tcp_conf, namespaces, "all", "all own",
			"the network namespaces of all processes, or weir's own"),
	WEIR_OPT_CHOICE(struct tcp_conf, ports, "auto", "auto always never",
			"count the ports for outgoing connections that are taken, which costs "
			"milliseconds: where sockets for a quarter of them exist, or always"),
	WEIR_OPT_CHOICE(struct tcp_conf, owners, "all", "all troubled",
			"whose sockets are, which costs a look at all descriptors: all of them, or "
			"those that lost something or have something to be taken"),
	WEIR_OPT_BOOL(struct tcp_conf, idle, "no",
		      "also other namespaces, and sockets of UDP, that did nothing in the window"),
};

enum { OUTPUT_COUNTERS, OUTPUT_LISTENERS, OUTPUT_DATAGRAMS };

static const struct weir_output tcp_outputs[] = {
	{ "counters", "one row per network namespace", &tcp_row_schema, 0, 0 },
	{ "listeners", "one row per listening socket", &tcp_listener_schema, 0, 0 },
	{ "datagrams", "one row per socket of UDP that lost datagrams, or has some to be read",
	  &tcp_datagram_schema, 0, 0 },
};

/* Of one namespace. */
struct tcp_space {
	struct tcp_sample samples[2]; /* in turn the last one and the new one */
	uint32_t last;
	uint32_t count; /* of samples, one after the other */
};

struct tcp_state {
	struct net_spaces spaces;
	struct weir_buffer buffer;
	struct owners owners;
	struct tcp_diag diags[2];
	struct weir_sample_time times[2];
	uint32_t last;
	bool live; /* the root's files are of the running kernel, which may be asked */
	bool told;
	bool gone; /* a namespace, since the last batch */
};

static void tcp_space_gone(struct weir_ctx *ctx, struct net_space *space __attribute__((unused)))
{
	struct tcp_state *st = ctx->state;

	st->gone = true;
}

static int tcp_read_space(struct weir_ctx *ctx, struct net_space *space)
{
	struct tcp_state *st = ctx->state;
	struct tcp_space *kept = space->state;
	int err;

	if (!kept)
		kept = space->state = calloc(1, sizeof(*kept));
	if (!kept)
		return weir_fail(ctx, -ENOMEM, "remember a network namespace");
	err = tcp_read(ctx, &st->spaces, space, &st->buffer, &kept->samples[!kept->last]);
	if (err) {
		kept->count = 0;
		return err == -ESRCH ? 0 : err;
	}
	kept->last = !kept->last;
	kept->count += kept->count < 2;
	return 0;
}

static int tcp_add_space(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t i)
{
	const struct tcp_conf *conf = ctx->options;
	struct tcp_state *st = ctx->state;
	const struct net_space *space = &st->spaces.spaces[i];
	const struct tcp_space *kept = space->state;
	const struct tcp_diag *diag = &st->diags[st->last];
	struct tcp_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	tcp_row_fill(batch, row, space, &kept->samples[!kept->last], &kept->samples[kept->last],
		     st->live && i < diag->spaces ? &diag->ports[i] : NULL);
	if (space->pid && !conf->idle && tcp_row_is_idle(row))
		batch->row_count--;
	return 0;
}

/* A namespace that came has no row before its second sample; one that could not be read neither. */
static int tcp_add_spaces(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct tcp_state *st = ctx->state;
	int err = 0;

	for (uint32_t i = 0; !err && i < st->spaces.count; i++) {
		const struct tcp_space *kept = st->spaces.spaces[i].state;

		if (kept->count == 2)
			err = tcp_add_space(ctx, batch, i);
		else
			batch->flags |= WEIR_BATCH_GAP;
	}
	if (st->gone)
		batch->flags |= WEIR_BATCH_GAP;
	st->gone = false;
	return err;
}

/* How many sockets may have a port of their own. */
static uint64_t tcp_sockets(const struct net_space *space)
{
	static const enum tcp_value parts[] = { TCP_TCP_IN_USE, TCP_ORPHANS, TCP_TIME_WAIT };
	const struct tcp_space *kept = space->state;
	uint64_t sum = 0;

	for (size_t i = 0; kept->count && i < sizeof(parts) / sizeof(parts[0]); i++) {
		uint64_t value = kept->samples[kept->last].values[parts[i]];

		sum += value == WEIR_ABSENT_U64 ? 0 : value;
	}
	return sum;
}

static int tcp_ask_kernel(struct weir_ctx *ctx, struct tcp_diag *diag)
{
	const struct tcp_conf *conf = ctx->options;
	struct tcp_state *st = ctx->state;
	int err = tcp_diag_begin(&st->spaces, diag);

	for (uint32_t i = 0; !err && i < st->spaces.count; i++)
		diag->ports[i].sockets = tcp_sockets(&st->spaces.spaces[i]);
	if (!err)
		err = tcp_diag_ask(ctx, &st->spaces, conf->ports, diag);
	return err ? weir_fail(ctx, err, "ask for the sockets of %u namespaces", st->spaces.count)
		   : 0;
}

/* What is missing is said once. A namespace that has just ended is no failure. */
static void tcp_tell_refused(struct weir_ctx *ctx, const struct tcp_diag *diag)
{
	struct tcp_state *st = ctx->state;
	uint32_t refused = 0;
	int error = 0;

	for (uint32_t i = 0; i < diag->spaces; i++) {
		if (!diag->ports[i].error || diag->ports[i].error == -ESRCH ||
		    diag->ports[i].error == -ENOENT)
			continue;
		error = diag->ports[i].error;
		refused++;
	}
	if (!refused || st->told)
		return;
	st->told = true;
	weir_log(ctx, WEIR_LOG_WARNING,
		 "taken ports and limits of listeners of %u network namespaces are not known: %s",
		 refused, strerror(-error));
}

/* Where the kernel does not answer, its files do, though they tell less. */
static int tcp_read_sockets(struct weir_ctx *ctx, struct tcp_diag *diag)
{
	struct tcp_state *st = ctx->state;

	for (uint32_t i = 0; i < diag->spaces; i++) {
		int err =
			st->live && !diag->ports[i].error
				? 0
				: net_sockets_read(ctx, &st->spaces, &st->spaces.spaces[i],
						   &st->buffer, &diag->listeners, &diag->datagrams);

		if (err == -ENOMEM || err == -EBADMSG)
			return weir_fail(ctx, err, "read /proc/net/tcp, udp and their like");
	}
	net_sockets_sort(&diag->listeners);
	net_sockets_sort(&diag->datagrams);
	return 0;
}

static int tcp_ask(struct weir_ctx *ctx)
{
	struct tcp_state *st = ctx->state;
	struct tcp_diag *diag = &st->diags[st->last];
	int err = st->live ? tcp_ask_kernel(ctx, diag) : tcp_diag_begin(&st->spaces, diag);

	if (err)
		return err;
	tcp_tell_refused(ctx, diag);
	return tcp_read_sockets(ctx, diag);
}

/* Looks at all namespaces again. */
static int tcp_sample_all(struct weir_ctx *ctx)
{
	struct tcp_state *st = ctx->state;
	int err = net_spaces_update(ctx, &st->spaces, tcp_space_gone);

	for (uint32_t i = 0; !err && i < st->spaces.count; i++)
		err = tcp_read_space(ctx, &st->spaces.spaces[i]);
	return err ? err : tcp_ask(ctx);
}

static int tcp_emit(struct weir_ctx *ctx, uint32_t output, const struct net_sockets *old,
		    const struct net_sockets *new)
{
	const struct tcp_conf *conf = ctx->options;
	struct tcp_state *st = ctx->state;
	const uint32_t want = (output == OUTPUT_LISTENERS || conf->idle ? TCP_IDLE : 0) |
			      (conf->owners == OWNERS_ALL ? TCP_OWNERS : 0);
	struct weir_batch *batch = weir_loan_window(ctx, output, new->count, 0, 0);

	if (!batch)
		return 0;
	weir_sample_window(batch, &st->times[!st->last], &st->times[st->last]);
	return weir_commit_filled(ctx, batch,
				  tcp_add_sockets(ctx, batch, &st->owners, old, new, want));
}

static int tcp_emit_sockets(struct weir_ctx *ctx)
{
	struct tcp_state *st = ctx->state;
	const struct tcp_diag *old = &st->diags[!st->last], *new = &st->diags[st->last];
	int err = tcp_emit(ctx, OUTPUT_LISTENERS, &old->listeners, &new->listeners);

	return err ? err : tcp_emit(ctx, OUTPUT_DATAGRAMS, &old->datagrams, &new->datagrams);
}

/* The clock is read first: where a recorded tree's stands still, there is nothing to say yet. */
static int tcp_tick(struct weir_ctx *ctx, uint64_t now __attribute__((unused)))
{
	struct tcp_state *st = ctx->state;
	struct weir_sample_time *from = &st->times[st->last], *to = &st->times[!st->last];
	struct weir_batch *batch;
	int err = weir_sample_time(ctx, to);

	if (err || weir_sample_elapsed(from, to) == 0)
		return err;
	st->last = !st->last;
	err = tcp_sample_all(ctx);
	if (err)
		return err;
	batch = weir_loan_window(ctx, OUTPUT_COUNTERS, st->spaces.count, 0, 0);
	if (!batch)
		return 0;
	weir_sample_window(batch, from, to);
	err = weir_commit_filled(ctx, batch, tcp_add_spaces(ctx, batch));
	return err ? err : tcp_emit_sockets(ctx);
}

static int tcp_start(struct weir_ctx *ctx)
{
	const struct tcp_conf *conf = ctx->options;
	struct tcp_state *st = ctx->state;
	int err = weir_sample_time(ctx, &st->times[st->last]);

	st->live = weir_sample_is_live(ctx);
	st->spaces.others = conf->namespaces == NAMESPACES_ALL;
	st->spaces.free_state = free;
	if (!err)
		err = tcp_sample_all(ctx);
	return err ? err : weir_every(ctx, conf->interval);
}

static int tcp_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	const struct tcp_conf *conf = ctx->options;
	struct tcp_state *st = ctx->state;

	if (!weir_sample_is_due(ctx, &st->times[st->last], conf->interval))
		return 0;
	return tcp_tick(ctx, 0);
}

static void tcp_destroy(struct weir_ctx *ctx)
{
	struct tcp_state *st = ctx->state;

	net_spaces_release(&st->spaces);
	weir_buffer_release(&st->buffer);
	owners_release(&st->owners);
	tcp_diag_release(&st->diags[0]);
	tcp_diag_release(&st->diags[1]);
}

static void tcp_probe(struct weir_ctx *ctx)
{
	weir_probe_capability(ctx, CAP_SYS_ADMIN, "CAP_SYS_ADMIN", WEIR_NEED_LIMITED,
			      "ports and limits of listeners of other network namespaces");
	weir_probe_capability(ctx, CAP_SYS_PTRACE, "CAP_SYS_PTRACE", WEIR_NEED_LIMITED,
			      "network namespaces of other users' processes, owners of sockets");
}

WEIR_COMPONENT(
	"net.tcp", WEIR_SOURCE, .summary = "opens, segments, losses and listeners of TCP, and UDP",
	.doc = "From /proc/net/snmp, netstat, snmp6 and sockstat, in each network namespace that "
	       "has a process, whose counters those of the host do not hold. A namespace other "
	       "than "
	       "weir's own that did nothing is left out. Listeners, sockets of UDP, and how many "
	       "of "
	       "the ports for outgoing connections are taken, come from the kernel's socket "
	       "diagnostics; where they are not to be had, as in a recorded tree, from "
	       "/proc/net/tcp, udp and their like, which tell of no ports and limits.",
	.options_size = sizeof(struct tcp_conf), .state_size = sizeof(struct tcp_state),
	.options = WEIR_TABLE(tcp_options), .outputs = WEIR_TABLE(tcp_outputs), .probe = tcp_probe,
	.start = tcp_start, .tick = tcp_tick, .drain = tcp_drain, .destroy = tcp_destroy);
