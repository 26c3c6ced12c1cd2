/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The run in slices of equal length, so that it is known how much each figure varies by itself: by that,
 * what differs between two runs is told from chance. Windows that are shorter share a slice; when there
 * are more slices than are kept, each two become one.
 */
#include "use.h"

#include <math.h>
#include <stdlib.h>

static bool slice_is_weighted(enum use_take take)
{
	return take == USE_MEAN || take == USE_SHARE;
}

/* Adds what came to `sum` within `seconds`. */
static void slice_join(struct use_slice *slice, enum use_take take, float sum, float seconds)
{
	const bool first = slice->seconds == 0;

	if (slice_is_weighted(take) || take == USE_SUM || take == USE_RATE)
		slice->sum += sum;
	else if (first || take == USE_LAST || (take == USE_MOST && sum > slice->sum) ||
		 (take == USE_LEAST && sum < slice->sum))
		slice->sum = sum;
	slice->seconds += seconds;
}

static void slice_add(struct use_slice *slice, enum use_take take, double value, double seconds)
{
	const double sum = slice_is_weighted(take) ? value * seconds : value;

	slice_join(slice, take, (float)sum, (float)seconds);
}

static void fold_total(struct use_total *total, const struct use_figure *figure, double seconds,
		       struct use_slice *slice)
{
	const bool weighted = figure->take == USE_MEAN || figure->take == USE_SHARE;
	const double value = total->window;

	if (!total->rows)
		return;
	total->sum += weighted ? value * seconds : value;
	total->seconds += seconds;
	total->most = !total->windows || value > total->most ? value : total->most;
	total->least = !total->windows || value < total->least ? value : total->least;
	total->last = value;
	slice_add(slice, figure->take, value, seconds);
	total->windows++;
	total->rows = 0;
}

static void fold_figure(const struct use_resource *resource, uint32_t number,
			const struct use_input *input)
{
	for (uint32_t i = 0; i < resource->instance_count; i++) {
		struct use_instance *instance = &resource->instances[i];

		fold_total(&instance->totals[number], &resource->figures[number], input->window,
			   &instance->slices[USE_SLICES * number + input->slice]);
	}
}

void use_fold(struct use_state *st, uint32_t input)
{
	for (uint32_t r = 0; r < st->resource_count; r++) {
		const struct use_resource *resource = &st->resources[r];

		for (uint32_t f = 0; f < resource->figure_count; f++)
			if (resource->figures[f].ask.input == input)
				fold_figure(resource, f, &st->inputs[input]);
	}
}

static void slice_halve(struct use_slice *slices, enum use_take take)
{
	for (uint32_t i = 0; i < USE_SLICES; i++) {
		const struct use_slice from = slices[i];

		slices[i] = (struct use_slice){ 0, 0 };
		if (from.seconds > 0)
			slice_join(&slices[i / 2], take, from.sum, from.seconds);
	}
}

static void slice_halve_resource(struct use_resource *resource)
{
	for (uint32_t i = 0; i < resource->instance_count; i++)
		for (uint32_t f = 0; f < resource->figure_count; f++)
			slice_halve(&resource->instances[i].slices[USE_SLICES * f],
				    resource->figures[f].take);
}

static void slice_halve_all(struct weir_ctx *ctx)
{
	struct use_state *st = ctx->state;

	for (uint32_t r = 0; r < st->resource_count; r++)
		slice_halve_resource(&st->resources[r]);
	for (uint32_t n = 0; n < ctx->input_count; n++) {
		struct use_input *input = &st->inputs[n];

		for (uint32_t i = 0; i < USE_SLICES; i++)
			input->slices[i] = i < USE_SLICES / 2
						   ? input->slices[2 * i] + input->slices[2 * i + 1]
						   : 0;
		input->slice /= 2;
	}
	st->slice_ns *= 2;
}

void use_slice_begin(struct weir_ctx *ctx, struct use_input *input, const struct weir_batch *batch)
{
	const uint64_t length = batch->end - batch->start, middle = batch->start + length / 2;
	struct use_state *st = ctx->state;

	if (!st->slice_ns && length) {
		st->base = batch->start;
		st->slice_ns = length;
	}
	input->slice = 0;
	/* What tells of a moment does not say how long a window is. */
	if (!st->slice_ns)
		return;
	while (middle > st->base && (middle - st->base) / st->slice_ns >= USE_SLICES)
		slice_halve_all(ctx);
	if (middle > st->base)
		input->slice = (uint32_t)((middle - st->base) / st->slice_ns);
	input->slices[input->slice] += (double)length / 1e9;
}

/* How many slices the run has; one that it ended in the first half of is none. */
static uint32_t slice_count(const struct use_state *st)
{
	const uint64_t length = st->end - st->base;
	const uint64_t count = st->slice_ns ? (length + st->slice_ns / 2) / st->slice_ns : 0;

	return count < USE_SLICES ? (uint32_t)count : USE_SLICES;
}

/* True of an input that speaks when there is something to tell, and is listened to all the time. */
static bool slice_is_sparse(const struct use_state *st, const struct use_input *input)
{
	double covered = 0;

	for (uint32_t i = 0; i < USE_SLICES; i++)
		covered += input->slices[i];
	return input->seconds > 0 && 2 * covered < (double)(st->end - st->base) / 1e9;
}

/* NaN: absent. */
static double slice_value(const struct use_state *st, const struct use_figure *figure,
			  const struct use_slice *slice, uint32_t number)
{
	const struct use_input *input = &st->inputs[figure->ask.input];
	double seconds = input->slices[number];

	if (slice_is_sparse(st, input))
		seconds = (double)st->slice_ns / 1e9;
	if (figure->take == USE_SUM || figure->take == USE_RATE)
		return seconds > 0 ? slice->sum / seconds : (double)NAN;
	if (slice->seconds == 0)
		return NAN;
	return slice_is_weighted(figure->take) ? slice->sum / slice->seconds : slice->sum;
}

static void slice_values(struct weir_ctx *ctx, const struct use_case *found, uint32_t number,
			 double *values)
{
	const struct use_resource *resource = found->resource;

	for (uint32_t f = 0; f < resource->figure_count; f++) {
		const struct use_figure *figure = &resource->figures[f];
		const struct use_instance *instance =
			use_judge_instance(resource, found->instance, &figure->ask);

		values[f] = NAN;
		if (figure->value)
			use_judge_expr(ctx, values, figure->value, &values[f]);
		else if (figure->ask.input != USE_NONE && !figure->text && !figure->peaks)
			values[f] = slice_value(ctx->state, figure,
						&instance->slices[USE_SLICES * f + number], number);
	}
}

static void level_add(struct use_level *level, double value)
{
	const double before = level->count ? level->mean : 0;

	if (isnan(value))
		return;
	level->count++;
	level->mean = before + (value - before) / level->count;
	level->squares += (value - before) * (value - level->mean);
}

double use_level_spread(const struct use_level *level)
{
	return level->count > 1 ? sqrt(level->squares / (level->count - 1)) : (double)NAN;
}

int use_slice_levels(struct weir_ctx *ctx, struct use_case *found)
{
	const struct use_resource *resource = found->resource;
	const uint32_t figures = resource->figure_count, all = figures + resource->finding_count;
	const uint32_t slices = slice_count(ctx->state);
	double *values = calloc(figures + 1, sizeof(*values));

	found->levels = calloc(all + 1, sizeof(*found->levels));
	if (!values || !found->levels) {
		free(values);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < all; i++)
		found->levels[i].mean = NAN;
	for (uint32_t slice = 0; slice < slices; slice++) {
		slice_values(ctx, found, slice, values);
		for (uint32_t f = 0; f < figures; f++)
			level_add(&found->levels[f], values[f]);
		for (uint32_t i = 0; i < resource->finding_count; i++) {
			double cost = NAN;

			use_judge_cost(ctx, values, &resource->findings[i], &cost);
			level_add(&found->levels[figures + i], cost);
		}
	}
	free(values);
	return 0;
}
