/* SPDX-License-Identifier: BSD-2-Clause */
/* Source cgroup.stat: what each cgroup uses, against its limits, in version 1, version 2 and both. */
#include <stdio.h>

#include <weir/cgroup.h>
#include <weir/probe.h>
#include <weir/reading.h>

#include "row.h"

struct stat_conf {
	uint64_t interval;
	bool all;
};

static const struct weir_option stat_options[] = {
	WEIR_OPT_DURATION(struct stat_conf, interval, "1s", 10000000, 24 * WEIR_HOUR,
			  "length of a window"),
	WEIR_OPT_BOOL(struct stat_conf, all, "false",
		      "also cgroups that have no limit of CPU or memory and did nothing"),
};

static const struct weir_output stat_outputs[] = {
	{ "cgroups", "one row per cgroup, parents before their children", &cgroup_schema, 0, 0 },
};

struct stat_state {
	struct cgroup_mounts mounts;
	struct weir_buffer buffer;
	struct cgroup_sample samples[2]; /* in turn the last one and the new one */
	uint32_t last;
};

static int stat_add(struct weir_ctx *ctx, struct weir_batch *batch, const char *path,
		    const struct cgroup_entry *old, const struct cgroup_entry *new)
{
	const struct stat_conf *conf = ctx->options;
	struct cgroup_row *row = weir_add_row(ctx, batch);
	const char *state = cgroup_state(old, new);

	if (!row)
		return -ENOMEM;
	snprintf(row->state, sizeof(row->state), "%s", state);
	cgroup_row_fill(row, batch, old, new, batch->end - batch->start);
	/* What a cgroup that is gone did last is not known. */
	if (state[0] && strcmp(state, "new") != 0)
		batch->flags |= WEIR_BATCH_GAP;
	if (!conf->all && !cgroup_row_matters(row)) {
		batch->row_count--;
		return 0;
	}
	weir_container_name(path, row->container, sizeof(row->container));
	return weir_add_text(ctx, batch, path, strlen(path), &row->cgroup);
}

/* Both samples are in the order of paths. */
static int stat_add_all(struct weir_ctx *ctx, struct weir_batch *batch,
			const struct cgroup_sample *old, const struct cgroup_sample *new)
{
	uint32_t i = 0, j = 0;
	int err = 0;

	while (!err && (i < old->count || j < new->count)) {
		const struct cgroup_entry *before = &old->entries[i], *after = &new->entries[j];
		int order = i == old->count   ? 1
			    : j == new->count ? -1
					      : cgroup_compare(before->path, after->path);

		i += order <= 0;
		j += order >= 0;
		err = stat_add(ctx, batch, order <= 0 ? before->path : after->path,
			       order <= 0 ? before : NULL, order >= 0 ? after : NULL);
	}
	return err;
}

static int stat_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct stat_state *st = ctx->state;
	struct cgroup_sample *old = &st->samples[st->last], *new = &st->samples[!st->last];
	struct weir_batch *batch;
	int err = cgroup_sample_read(ctx, &st->mounts, &st->buffer, old, new);

	(void)now;
	if (err)
		return err;
	weir_lost(ctx, "files of cgroups that could not be read", new->unreadable, NULL);
	st->last = !st->last;
	batch = weir_loan_window(ctx, 0, new->count, 0, 0);
	if (!batch)
		return 0;
	weir_sample_window(batch, &old->time, &new->time);
	return weir_commit_filled(ctx, batch, stat_add_all(ctx, batch, old, new));
}

static int stat_start(struct weir_ctx *ctx)
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	int err = cgroup_mounts_find(ctx, &st->mounts);

	if (!err)
		err = cgroup_sample_read(ctx, &st->mounts, &st->buffer, NULL,
					 &st->samples[st->last]);
	return err ? err : weir_every(ctx, conf->interval);
}

/* The last window is shorter; one that is much too short is left out. */
static int stat_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	uint64_t now = weir_now(ctx);

	(void)deadline;
	if ((now - st->samples[st->last].time.now) * 10 < conf->interval)
		return 0;
	return stat_tick(ctx, now);
}

static void stat_destroy(struct weir_ctx *ctx)
{
	struct stat_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
	cgroup_sample_release(&st->samples[0]);
	cgroup_sample_release(&st->samples[1]);
}

static void stat_probe(struct weir_ctx *ctx)
{
	weir_probe_cgroup(ctx, "limits of cgroups and containers");
	weir_probe_psi(ctx, "how long tasks waited for a resource");
}

WEIR_COMPONENT(
	"cgroup.stat", WEIR_SOURCE, .summary = "what each cgroup uses, against its limits",
	.doc = "From the files of all mounted hierarchies, joined by path: version 2, version 1, "
	       "or both. A limit\nthat is not set is absent, as is what the kernel does not tell. "
	       "In version 2, counters of memory,\npids and I/O include the cgroups below; those "
	       "of throttling never do. Limits are read every 10 s.\nSo are all files of a cgroup "
	       "of version 2 that sleeps: nothing happened in it, and since then no CPU\ntime was "
	       "used. A cgroup made within the window counts from 0 and is marked new; one that is "
	       "gone\nhas no numbers.",
	.options_size = sizeof(struct stat_conf), .state_size = sizeof(struct stat_state),
	.options = WEIR_TABLE(stat_options), .outputs = WEIR_TABLE(stat_outputs),
	.probe = stat_probe, .start = stat_start, .tick = stat_tick, .drain = stat_drain,
	.destroy = stat_destroy);
