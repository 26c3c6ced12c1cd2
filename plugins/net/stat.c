/* SPDX-License-Identifier: BSD-2-Clause */
/* Source net.stat: what each interface carried and lost in a window, in each network namespace. */
#include <stdio.h>
#include <stdlib.h>

#include <weir/reading.h>

#include "softnet.h"
#include "stat_row.h"

struct stat_conf {
	uint64_t interval;
	struct weir_texts interface;
	uint32_t namespaces; /* enum stat_namespaces */
	bool idle;
	bool idle_devices;
};

enum stat_namespaces { NAMESPACES_ALL, NAMESPACES_OWN };

static const struct weir_option stat_options[] = {
	WEIR_OPT_DURATION(struct stat_conf, interval, "1s", 10000000, 24 * WEIR_HOUR,
			  "length of a window"),
	WEIR_OPT_TEXTS(struct stat_conf, interface, "", "only these interfaces"),
	WEIR_OPT_CHOICE(struct stat_conf, namespaces, "all", "all own",
			"the network namespaces of all processes, or weir's own"),
	WEIR_OPT_BOOL(struct stat_conf, idle, "no", "also those that did nothing in the window"),
	WEIR_OPT_BOOL(
		struct stat_conf, idle_devices, "no",
		"of these, what is a device whose link is not down: no veth, bridge and the like"),
};

enum { OUTPUT_INTERFACES, OUTPUT_SOFTNET };

static const struct weir_output stat_outputs[] = {
	{ "interfaces", "one row per interface", &net_row_schema, 0, 0 },
	{ "softnet", "what each CPU did with packets that came in", &softnet_schema, 0, 0 },
};

/* Of one namespace. */
struct stat_space {
	struct net_sample samples[2]; /* in turn the last one and the new one */
	uint32_t last;
	bool has_last;
};

struct stat_state {
	struct net_spaces spaces;
	struct weir_buffer buffer;
	struct softnet_sample softnet[2];
	struct weir_sample_time times[2];
	uint32_t last;
	bool gone; /* a namespace, since the last batch */
};

static bool stat_wanted(const struct stat_conf *conf, const char *name)
{
	for (uint32_t i = 0; i < conf->interface.count; i++)
		if (strcmp(conf->interface.items[i], name) == 0)
			return true;
	return conf->interface.count == 0;
}

static int stat_add_gone(struct weir_ctx *ctx, struct weir_batch *batch,
			 const struct net_space *space, const struct net_entry *entry)
{
	struct net_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	net_row_name(row, space, entry);
	net_row_empty(row, "gone");
	batch->flags |= WEIR_BATCH_GAP;
	return 0;
}

/* Behind which there is a device, as far as it is of weir's own namespace. */
static bool stat_is_device(struct weir_ctx *ctx, const struct net_space *space,
			   const struct net_entry *entry)
{
	char path[96];

	if (space->pid || strcmp(entry->state, "down") == 0)
		return false;
	snprintf(path, sizeof(path), "sys/class/net/%s/device", entry->name);
	return faccessat(ctx->root, path, F_OK, 0) == 0;
}

static bool stat_hides(struct weir_ctx *ctx, const struct net_space *space,
		       const struct net_entry *entry, const struct net_row *row)
{
	const struct stat_conf *conf = ctx->options;

	if (conf->idle || !net_row_is_idle(row))
		return false;
	return !conf->idle_devices || !stat_is_device(ctx, space, entry);
}

/* One that took the name of another is counted from zero, and the other one is told as gone. */
static int stat_add_interface(struct weir_ctx *ctx, struct weir_batch *batch,
			      const struct net_space *space, const struct net_entry *old,
			      const struct net_entry *new)
{
	static const struct net_entry zero;
	bool replaced = old && old->index && new->index && old->index != new->index;
	struct net_row *row;

	if (replaced && stat_add_gone(ctx, batch, space, old) < 0)
		return -ENOMEM;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	net_row_name(row, space, new);
	net_row_fill(row, old && !replaced ? old : &zero, new, batch->end - batch->start);
	if (!old || replaced)
		memcpy(row->note, "new", 4);
	if (row->note[0])
		batch->flags |= WEIR_BATCH_GAP;
	else if (stat_hides(ctx, space, new, row))
		batch->row_count--;
	return 0;
}

static int stat_add_interfaces(struct weir_ctx *ctx, struct weir_batch *batch,
			       const struct net_space *space, const struct net_sample *old,
			       const struct net_sample *new)
{
	const struct stat_conf *conf = ctx->options;
	int err = 0;

	for (uint32_t i = 0; !err && i < new->count; i++)
		if (stat_wanted(conf, new->entries[i].name))
			err = stat_add_interface(ctx, batch, space,
						 net_find(old, new->entries[i].name, i),
						 &new->entries[i]);
	for (uint32_t i = 0; !err && i < old->count; i++)
		if (stat_wanted(conf, old->entries[i].name) &&
		    !net_find(new, old->entries[i].name, i))
			err = stat_add_gone(ctx, batch, space, &old->entries[i]);
	return err;
}

static void stat_space_free(void *state)
{
	struct stat_space *space = state;

	free(space->samples[0].entries);
	free(space->samples[1].entries);
	free(space);
}

/*
 * Reads a namespace again. 1: there are two samples now; 0: one, or it could not be read; a
 * negative errno.
 */
static int stat_read_space(struct weir_ctx *ctx, struct net_space *space)
{
	struct stat_state *st = ctx->state;
	struct stat_space *kept = space->state;
	int err;

	if (!kept)
		kept = space->state = calloc(1, sizeof(*kept));
	if (!kept)
		return weir_fail(ctx, -ENOMEM, "remember a network namespace");
	err = net_read(ctx, &st->spaces, space, &st->buffer, &kept->samples[!kept->last]);
	if (err) {
		kept->has_last = false;
		return err == -ESRCH ? 0 : err;
	}
	kept->last = !kept->last;
	if (kept->has_last)
		return 1;
	kept->has_last = true;
	return 0;
}

/* A namespace that came has no rows before its second sample; one that could not be read neither. */
static int stat_add_spaces(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct stat_state *st = ctx->state;
	int err = 0;

	for (uint32_t i = 0; err >= 0 && i < st->spaces.count; i++) {
		struct net_space *space = &st->spaces.spaces[i];
		const struct stat_space *kept;

		err = stat_read_space(ctx, space);
		kept = space->state;
		if (err > 0)
			err = stat_add_interfaces(ctx, batch, space, &kept->samples[!kept->last],
						  &kept->samples[kept->last]);
		else if (err == 0)
			batch->flags |= WEIR_BATCH_GAP;
	}
	if (st->gone)
		batch->flags |= WEIR_BATCH_GAP;
	st->gone = false;
	return err < 0 ? err : 0;
}

static void stat_space_gone(struct weir_ctx *ctx, struct net_space *space __attribute__((unused)))
{
	struct stat_state *st = ctx->state;

	st->gone = true;
}

static int stat_emit_softnet(struct weir_ctx *ctx, const struct weir_sample_time *from,
			     const struct weir_sample_time *to)
{
	struct stat_state *st = ctx->state;
	const struct softnet_sample *old = &st->softnet[!st->last], *new = &st->softnet[st->last];
	struct weir_batch *batch;

	if (!new->there)
		return 0;
	batch = weir_loan_window(ctx, OUTPUT_SOFTNET, new->count, 0, 0);
	if (!batch)
		return 0;
	weir_sample_window(batch, from, to);
	return weir_commit_filled(ctx, batch, softnet_add_rows(ctx, batch, old, new));
}

/* The clock is read first: where a recorded tree's stands still, there is nothing to say yet. */
static int stat_tick(struct weir_ctx *ctx, uint64_t now __attribute__((unused)))
{
	struct stat_state *st = ctx->state;
	struct weir_sample_time *from = &st->times[st->last], *to = &st->times[!st->last];
	struct weir_batch *batch;
	int err = weir_sample_time(ctx, to);

	if (err || weir_sample_elapsed(from, to) == 0)
		return err;
	err = net_spaces_update(ctx, &st->spaces, stat_space_gone);
	if (err)
		return err;
	st->last = !st->last;
	err = softnet_read(ctx, &st->buffer, &st->softnet[st->last]);
	if (err)
		return err;
	batch = weir_loan_window(ctx, OUTPUT_INTERFACES, 16, 0, 0);
	if (!batch)
		return 0;
	weir_sample_window(batch, from, to);
	err = weir_commit_filled(ctx, batch, stat_add_spaces(ctx, batch));
	return err ? err : stat_emit_softnet(ctx, from, to);
}

static int stat_start(struct weir_ctx *ctx)
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	int err = weir_sample_time(ctx, &st->times[st->last]);

	st->spaces.others = conf->namespaces == NAMESPACES_ALL;
	st->spaces.free_state = stat_space_free;
	if (!err)
		err = net_spaces_update(ctx, &st->spaces, NULL);
	if (!err)
		err = softnet_read(ctx, &st->buffer, &st->softnet[st->last]);
	for (uint32_t i = 0; err >= 0 && i < st->spaces.count; i++)
		err = stat_read_space(ctx, &st->spaces.spaces[i]);
	return err < 0 ? err : weir_every(ctx, conf->interval);
}

static int stat_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;

	if (!weir_sample_is_due(ctx, &st->times[st->last], conf->interval))
		return 0;
	return stat_tick(ctx, 0);
}

static void stat_destroy(struct weir_ctx *ctx)
{
	struct stat_state *st = ctx->state;

	net_spaces_release(&st->spaces);
	weir_buffer_release(&st->buffer);
	free(st->softnet[0].cpus);
	free(st->softnet[1].cpus);
}

WEIR_COMPONENT(
	"net.stat", WEIR_SOURCE, .summary = "packets, bytes, errors and drops of each interface",
	.doc = "From /proc/net/dev, in each network namespace that has a process, whose counters "
	       "those of the host do not hold. State, speed and utilization of the link are known "
	       "of "
	       "weir's own namespace; a speed that the device does not tell leaves the utilization "
	       "absent. An interface that came, went or was replaced within the window is marked.",
	.options_size = sizeof(struct stat_conf), .state_size = sizeof(struct stat_state),
	.options = WEIR_TABLE(stat_options), .outputs = WEIR_TABLE(stat_outputs),
	.start = stat_start, .tick = stat_tick, .drain = stat_drain, .destroy = stat_destroy);
