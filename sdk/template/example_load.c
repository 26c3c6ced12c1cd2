/* SPDX-License-Identifier: BSD-2-Clause */
/* Source example.load: the load averages. A template: copy this folder, rename, go on from there. */
#include <stdio.h>

#include <weir/file.h>
#include <weir/plugin.h>

/* 1. What the user can set. weir fills this struct, checked, before create(). */
struct load_conf {
	uint64_t interval;
	double threshold;
};

static const struct weir_option load_options[] = {
	WEIR_OPT_DURATION(struct load_conf, interval, "1s", 10000000, WEIR_HOUR,
			  "time between two readings"),
	WEIR_OPT_DOUBLE(struct load_conf, threshold, "0", 0, 10000,
			"say nothing while the one-minute load is below this"),
};

/* 2. What a row is. Sinks, filters and metrics need nothing but this table. */
struct load_row {
	double load1;
	double load5;
	double load15;
	uint32_t runnable;
	uint32_t tasks;
};

static const struct weir_field load_fields[] = {
	WEIR_FIELD(struct load_row, load1, WEIR_COUNT, WEIR_GAUGE, "load over one minute"),
	WEIR_FIELD(struct load_row, load5, WEIR_COUNT, WEIR_GAUGE, "load over five minutes"),
	WEIR_FIELD(struct load_row, load15, WEIR_COUNT, WEIR_GAUGE, "load over fifteen minutes"),
	WEIR_FIELD(struct load_row, runnable, WEIR_COUNT, WEIR_GAUGE, "tasks that want a CPU"),
	WEIR_FIELD(struct load_row, tasks, WEIR_COUNT, WEIR_GAUGE, "tasks in all"),
};
WEIR_SCHEMA(load_schema, "load", struct load_row, load_fields);

static const struct weir_output load_outputs[] = {
	{ "load", "one row each interval", &load_schema, 0, 0 },
};

/* 3. What an instance keeps. Zeroed memory from the host; no globals, so it can run twice. */
struct load_state {
	struct weir_buffer buffer;
};

/* 4. The callbacks. Each returns 0, or says why not in the same line. */
static int load_start(struct weir_ctx *ctx)
{
	const struct load_conf *conf = ctx->options;

	return weir_every(ctx, conf->interval);
}

static int load_read(struct weir_ctx *ctx, struct load_row *row)
{
	struct load_state *st = ctx->state;
	int err = weir_read_file(ctx, "proc/loadavg", &st->buffer);

	if (err)
		return weir_fail(ctx, err, "read /proc/loadavg");
	if (sscanf(st->buffer.bytes, "%lf %lf %lf %u/%u", &row->load1, &row->load5, &row->load15,
		   &row->runnable, &row->tasks) != 5)
		return weir_fail(ctx, -EBADMSG, "/proc/loadavg: cannot read \"%s\"",
				 st->buffer.bytes);
	return 0;
}

static int load_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct load_conf *conf = ctx->options;
	struct load_row row = { 0 };
	struct weir_batch *batch;
	void *room;
	int err = load_read(ctx, &row);

	if (err || row.load1 < conf->threshold)
		return err;
	batch = weir_loan(ctx, 0, 1, 0);
	room = batch ? weir_add_row(ctx, batch) : NULL;
	if (!room) {
		weir_discard(ctx, batch);
		weir_lost(ctx, "no room in the queue", 1, NULL);
		return 0;
	}
	memcpy(room, &row, sizeof(row));
	batch->start = batch->end = now;
	return weir_commit(ctx, batch);
}

/* Called once, whatever happened before; copes with an instance that never started. */
static void load_destroy(struct weir_ctx *ctx)
{
	struct load_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
}

/* 5. The plugin: a note that weir reads before it loads the file, and one symbol. */
WEIR_COMPONENT("example.load", WEIR_SOURCE, .summary = "load averages (an example)",
	       .options_size = sizeof(struct load_conf), .state_size = sizeof(struct load_state),
	       .options = WEIR_TABLE(load_options), .outputs = WEIR_TABLE(load_outputs),
	       .start = load_start, .tick = load_tick, .destroy = load_destroy);
