/* SPDX-License-Identifier: BSD-2-Clause */
/* The transform metrics: a window's counts to values, place by place, and which readings hold. */
#include <math.h>

#include "metrics.h"

static const char *metrics_cell(const struct weir_batch *batch, const void *row,
				const struct weir_field *field)
{
	struct weir_text text = { 0, 0 };

	if (field)
		memcpy(&text, (const char *)row + field->offset, sizeof(text));
	return weir_text_of(batch, text);
}

/* 0 or a negative errno; *value is NaN where the expression is absent. */
static int metrics_eval(struct weir_ctx *ctx, const struct metrics_set *set,
			const struct weir_expr *expr, double *value)
{
	const struct weir_batch row = {
		.size = sizeof(row),
		.row_size = sizeof(set->values),
		.row_count = 1,
		.row_capacity = 1,
	};
	struct weir_value result = { 0 };
	int err = ctx->host->expr_eval(expr, &row, set->values, &result);

	*value = NAN;
	if (result.type == WEIR_TYPE_UINT || result.type == WEIR_TYPE_BOOL)
		*value = (double)result.u;
	else if (result.type == WEIR_TYPE_INT)
		*value = (double)result.i;
	else if (result.type == WEIR_TYPE_DOUBLE && isfinite(result.d))
		*value = result.d;
	return err;
}

static int metrics_read_values(const struct metrics_out *out, struct metrics_set *set)
{
	bool said = false;
	int err = 0;

	for (uint32_t i = 0; !err && i < set->rule_count; i++) {
		double holds = !said;

		if (set->rules[i].when)
			err = metrics_eval(out->ctx, set, set->rules[i].when, &holds);
		if (err || holds != 1)
			continue;
		said = true;
		err = metrics_add_reading(out, set, &set->rules[i]);
	}
	return err;
}

static int metrics_compute(const struct metrics_out *out, struct metrics_set *set)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < set->count; i++) {
		if (set->words[i].event)
			continue;
		err = metrics_eval(out->ctx, set, set->words[i].expr, &set->values[i]);
		if (!err)
			err = metrics_add_value(out, set, i);
	}
	return err ? err : metrics_read_values(out, set);
}

/* A count in another unit is not what is meant. */
static void metrics_take_row(const struct metrics_state *state, const struct weir_batch *batch,
			     const char *row, struct metrics_set *set)
{
	const char *event = metrics_cell(batch, row, state->event);
	const char *unit = metrics_cell(batch, row, state->unit);

	for (uint32_t i = 1; i < set->count; i++) {
		const char *wanted = "";

		if (!set->words[i].event || strcmp(set->words[i].event, event) != 0)
			continue;
		if (strcmp(set->fields[i].unit->ucum, WEIR_COUNT->ucum) != 0)
			wanted = set->fields[i].unit->ucum;
		memcpy(&set->values[i], row + state->amount->offset, sizeof(double));
		set->notes[i] = metrics_cell(batch, row, state->note);
		if (state->unit && !isnan(set->values[i]) && strcmp(unit, wanted) != 0) {
			set->values[i] = NAN;
			set->notes[i] = "it is counted in another unit than the set says";
		}
	}
}

/* The counts of one place. */
static void metrics_take(struct weir_ctx *ctx, const struct weir_batch *batch, const char *place,
			 struct metrics_set *set)
{
	const struct metrics_state *state = ctx->state;

	for (uint32_t i = 0; i < METRICS_WORDS; i++) {
		set->values[i] = NAN;
		set->notes[i] = "it was not counted";
	}
	set->values[0] = (double)(batch->end - batch->start);
	for (uint32_t r = 0; r < batch->row_count; r++)
		if (strcmp(metrics_cell(batch, weir_row(batch, r), state->place), place) == 0)
			metrics_take_row(state, batch, weir_row(batch, r), set);
}

/* True when an earlier row is of the same place. */
static bool metrics_seen(const struct metrics_state *state, const struct weir_batch *batch,
			 uint32_t r)
{
	const char *place = metrics_cell(batch, weir_row(batch, r), state->place);

	for (uint32_t i = 0; i < r; i++)
		if (strcmp(metrics_cell(batch, weir_row(batch, i), state->place), place) == 0)
			return true;
	return false;
}

static bool metrics_has_places(const struct metrics_state *state, const struct weir_batch *batch)
{
	for (uint32_t r = 0; r < batch->row_count; r++)
		if (metrics_cell(batch, weir_row(batch, r), state->place)[0])
			return true;
	return false;
}

static int metrics_fill(struct metrics_out *out, const struct weir_batch *batch)
{
	const struct metrics_state *state = out->ctx->state;
	bool places = metrics_has_places(state, batch);
	int err = 0;

	for (uint32_t r = 0; !err && r < batch->row_count; r++) {
		out->place = metrics_cell(batch, weir_row(batch, r), state->place);
		/* Beside places, what is of none (the time) is no place of its own. */
		if ((places && !out->place[0]) || metrics_seen(state, batch, r))
			continue;
		for (uint32_t i = 0; !err && i < state->set_count; i++) {
			metrics_take(out->ctx, batch, out->place, state->sets[i]);
			err = metrics_compute(out, state->sets[i]);
		}
	}
	return err;
}

int metrics_send(struct weir_ctx *ctx, const struct weir_batch *batch)
{
	const struct metrics_state *state = ctx->state;
	struct metrics_out out = { ctx, weir_loan(ctx, 0, 32, 4096), weir_loan(ctx, 1, 8, 1024),
				   "" };
	int err = 0;

	if (state->set_count == 0 || !out.values || !out.readings) {
		if (state->set_count)
			weir_lost(ctx, "no room behind metrics", 1, NULL);
		weir_discard(ctx, out.values);
		weir_discard(ctx, out.readings);
		return 0;
	}
	out.values->start = out.readings->start = batch->start;
	out.values->end = out.readings->end = batch->end;
	err = metrics_fill(&out, batch);
	if (err) {
		weir_discard(ctx, out.values);
		weir_discard(ctx, out.readings);
		return weir_fail(ctx, err, "metrics of %u counts", batch->row_count);
	}
	err = weir_commit(ctx, out.values);
	if (err) {
		weir_discard(ctx, out.readings);
		return err;
	}
	return weir_commit(ctx, out.readings);
}
