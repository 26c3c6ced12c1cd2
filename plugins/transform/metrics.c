/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform metrics: what counts of events mean. Formulas, units and rules are data (sets of metrics);
 * here is no event and no threshold.
 */
#include "metrics.h"

static const struct weir_option metrics_options[] = {
	WEIR_OPT_TEXTS(struct metrics_conf, metrics, "",
		       "sets of metrics, by name or path; \"\": generic, unless events are given"),
	WEIR_OPT_TEXT(struct metrics_conf, events, "",
		      "what the source was told to count: then no set is taken unless it is named"),
};

static const struct weir_output metrics_outputs[] = {
	{ "values", "one row per metric and window", &metrics_value_schema, 0, 0 },
	{ "readings", "what they say, and what to look at next", &metrics_reading_schema, 0, 0 },
};

static const struct weir_want metrics_wants[] = {
	{ "event", WEIR_TYPE_TEXT, 0, NULL, 0, 0 },
	{ "amount", WEIR_TYPE_DOUBLE, 0, NULL, 0, 0 },
	{ "place", WEIR_TYPE_TEXT, 0, NULL, WEIR_OPTIONAL, 0 },
	{ "note", WEIR_TYPE_TEXT, 0, NULL, WEIR_OPTIONAL, 0 },
	{ "unit", WEIR_TYPE_TEXT, 0, NULL, WEIR_OPTIONAL, 0 },
};

static const struct weir_slot metrics_inputs[] = {
	{ .name = "in", .doc = "counts, as cpu.pmu has them", .wants = WEIR_TABLE(metrics_wants) },
};

static int metrics_create(struct weir_ctx *ctx)
{
	const struct metrics_conf *conf = ctx->options;
	struct metrics_state *state = ctx->state;
	bool given = false;
	int err = weir_pmus_open(ctx, &state->pmus);

	for (uint32_t i = 0; !err && i < conf->metrics.count; i++)
		if (conf->metrics.items[i][0]) {
			given = true;
			err = metrics_set_read(ctx, conf->metrics.items[i]);
		}
	return err || given || conf->events[0] ? err : metrics_set_read(ctx, "generic");
}

static int metrics_bind(struct weir_ctx *ctx)
{
	const struct weir_schema *schema = weir_input(ctx, 0)->schema;
	struct metrics_state *state = ctx->state;
	int err = 0;

	state->event = weir_find(schema, "event");
	state->amount = weir_find(schema, "amount");
	state->place = weir_find(schema, "place");
	state->note = weir_find(schema, "note");
	state->unit = weir_find(schema, "unit");
	for (uint32_t i = 0; !err && i < state->set_count; i++)
		err = metrics_set_bind(ctx, state->sets[i]);
	return err;
}

static int metrics_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	(void)input;
	return metrics_send(ctx, batch);
}

static void metrics_destroy(struct weir_ctx *ctx)
{
	struct metrics_state *state = ctx->state;

	for (uint32_t i = 0; i < state->set_count; i++)
		metrics_set_free(ctx, state->sets[i]);
	weir_pmus_close(&state->pmus);
}

WEIR_COMPONENT(
	"metrics", WEIR_TRANSFORM, .summary = "what counts of events mean, and what to do",
	.doc = "Evaluates sets of metrics (docs/metrics.md) over the counts of each window. A "
	       "metric\nwhose events are not there is absent, with the reason; the others are "
	       "not touched by it.",
	.options_size = sizeof(struct metrics_conf), .state_size = sizeof(struct metrics_state),
	.options = WEIR_TABLE(metrics_options), .outputs = WEIR_TABLE(metrics_outputs),
	.inputs = WEIR_TABLE(metrics_inputs), .create = metrics_create, .bind = metrics_bind,
	.push = metrics_push, .destroy = metrics_destroy);
