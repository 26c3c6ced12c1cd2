/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathering: rows of the windows to what each figure of each instance comes to. */
#include "use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/histogram.h>

bool use_number(const struct weir_value *value, double *number)
{
	switch (value->type) {
	case WEIR_TYPE_UINT:
	case WEIR_TYPE_BOOL:
		*number = (double)value->u;
		return true;
	case WEIR_TYPE_INT:
		*number = (double)value->i;
		return true;
	case WEIR_TYPE_DOUBLE:
		*number = value->d;
		return !isnan(value->d);
	default:
		return false;
	}
}

static void gather_join(struct use_total *total, enum use_join join, double value)
{
	const bool further = join == USE_HIGHEST ? value > total->window : value < total->window;

	if (join == USE_ADD && total->rows)
		total->window += value;
	else if (!total->rows || further)
		total->window = value;
	total->rows++;
}

static int gather_text(struct use_total *total, const struct weir_value *value)
{
	char *text = value->type == WEIR_TYPE_TEXT ? strndup(value->text, value->length) : NULL;

	if (value->type != WEIR_TYPE_TEXT)
		return 0;
	if (!text)
		return -ENOMEM;
	free(total->text);
	total->text = text;
	return 0;
}

/* All windows in one, at the coarsest resolution that one of them had. */
static int gather_histogram(struct use_total *total, const struct weir_histogram *from)
{
	enum { BUCKETS = 64 * 8 + 1 };
	struct weir_histogram *copy;
	int err;

	if (!from || !from->count)
		return 0;
	if (!total->histogram) {
		total->histogram = calloc(1, weir_histogram_bytes(BUCKETS));
		if (!total->histogram)
			return -ENOMEM;
		total->histogram->scale = from->scale < 3 ? from->scale : 3;
		total->histogram->buckets = BUCKETS;
	}
	while (total->histogram->scale > from->scale)
		weir_histogram_halve(total->histogram);
	if (from->scale == total->histogram->scale)
		return weir_histogram_merge(total->histogram, from);
	copy = malloc(weir_histogram_bytes(from->buckets));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, from, weir_histogram_bytes(from->buckets));
	while (copy->scale > total->histogram->scale)
		weir_histogram_halve(copy);
	err = weir_histogram_merge(total->histogram, copy);
	free(copy);
	return err;
}

static int gather_value(struct weir_ctx *ctx, const struct use_figure *figure,
			struct use_total *total, const struct weir_batch *batch, const void *row)
{
	struct weir_value value;
	double number;
	int err;

	if (figure->peaks) {
		const uint8_t *at = (const uint8_t *)row + figure->peaks->offset;
		struct weir_histogram_ref ref;

		memcpy(&ref, at, sizeof(ref));
		return gather_histogram(total, ref.bytes ? weir_arena(batch, ref.offset) : NULL);
	}
	err = ctx->host->expr_eval(figure->ask.of, batch, row, &value);
	if (err)
		return err;
	if (figure->text)
		return gather_text(total, &value);
	if (use_number(&value, &number))
		gather_join(total, figure->join, number);
	return 0;
}

static int gather_figure(struct weir_ctx *ctx, struct use_resource *resource, uint32_t number,
			 const struct weir_batch *batch)
{
	const struct use_figure *figure = &resource->figures[number];
	int err = 0;

	for (uint32_t i = 0; i < batch->row_count && !err; i++) {
		const void *row = weir_row(batch, i);
		struct use_instance *instance =
			use_instance_of(ctx, resource, &figure->ask, batch, row, &err);

		if (instance)
			err = gather_value(ctx, figure, &instance->totals[number], batch, row);
	}
	return err;
}

/* The instances that the resource's own input tells of. */
static int gather_own(struct weir_ctx *ctx, struct use_resource *resource,
		      const struct weir_batch *batch)
{
	int err = 0;

	for (uint32_t i = 0; i < batch->row_count && !err; i++) {
		struct use_instance *instance = use_instance_of(ctx, resource, &resource->ask,
								batch, weir_row(batch, i), &err);

		if (instance)
			instance->own = true;
	}
	return err;
}

static int gather_resource(struct weir_ctx *ctx, struct use_resource *resource, uint32_t input,
			   const struct weir_batch *batch)
{
	int err = resource->ask.input == input ? gather_own(ctx, resource, batch) : 0;

	for (uint32_t i = 0; i < resource->figure_count && !err; i++)
		if (resource->figures[i].ask.input == input)
			err = gather_figure(ctx, resource, i, batch);
	for (uint32_t i = 0; i < resource->finding_count && !err; i++) {
		const struct use_finding *finding = &resource->findings[i];

		if (finding->causes && finding->causes->ask.input == input)
			err = use_group_add(ctx, resource, i, false, batch);
		if (!err && finding->victims && finding->victims->ask.input == input)
			err = use_group_add(ctx, resource, i, true, batch);
	}
	return err;
}

/* A window may come in several batches: it is over when another one begins. */
static void gather_begin(struct weir_ctx *ctx, uint32_t number, const struct weir_batch *batch)
{
	struct use_state *st = ctx->state;
	struct use_input *input = &st->inputs[number];

	if (input->end == batch->end)
		return;
	use_fold(st, number);
	input->end = batch->end;
	input->window = batch->end > batch->start ? (double)(batch->end - batch->start) / 1e9 : 1;
	input->seconds += input->window;
	use_slice_begin(ctx, input, batch);
	if (!st->start || batch->start < st->start)
		st->start = batch->start;
	if (batch->end > st->end)
		st->end = batch->end;
}

int use_gather(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct use_state *st = ctx->state;
	int err = 0;

	gather_begin(ctx, input, batch);
	for (uint32_t i = 0; i < st->resource_count && !err; i++)
		err = gather_resource(ctx, &st->resources[i], input, batch);
	if (!err)
		err = use_why_add(ctx, input, batch);
	return err == -ENOMEM ? weir_fail(ctx, err, "keep what input %u says", input) : err;
}
