/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathering: rows of the windows to what each figure of each instance comes to. */
#include "use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/histogram.h>

#define GATHER_INSTANCES 4096 /* of a resource; the rest is told as lost */

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

static void gather_name(char out[USE_NAME], const char *name, size_t length)
{
	length = length < USE_NAME ? length : USE_NAME - 1;
	memcpy(out, name, length);
	out[length] = '\0';
}

static struct use_instance *gather_find(const struct use_resource *resource, const char *name)
{
	for (uint32_t i = 0; i < resource->instance_count; i++)
		if (strcmp(resource->instances[i].name, name) == 0)
			return &resource->instances[i];
	return NULL;
}

struct use_instance *use_instance(struct use_resource *resource, const char *name, size_t length)
{
	struct use_instance *instances, *made;
	char wanted[USE_NAME];

	gather_name(wanted, name, length);
	made = gather_find(resource, wanted);
	if (made)
		return made;
	instances =
		reallocarray(resource->instances, resource->instance_count + 1, sizeof(*instances));
	if (!instances)
		return NULL;
	resource->instances = instances;
	made = &instances[resource->instance_count];
	memset(made, 0, sizeof(*made));
	memcpy(made->name, wanted, sizeof(wanted));
	made->totals = calloc(resource->figure_count + 1, sizeof(*made->totals));
	made->tallies = calloc(2 * resource->finding_count + 1, sizeof(*made->tallies));
	made->slices = calloc(USE_SLICES * resource->figure_count + 1, sizeof(*made->slices));
	if (!made->totals || !made->tallies || !made->slices) {
		free(made->totals);
		free(made->tallies);
		free(made->slices);
		return NULL;
	}
	resource->instance_count++;
	return made;
}

void use_instance_free(const struct use_resource *resource, struct use_instance *instance)
{
	for (uint32_t i = 0; i < resource->figure_count; i++) {
		free(instance->totals[i].text);
		free(instance->totals[i].histogram);
	}
	for (uint32_t i = 0; i < 2 * resource->finding_count; i++)
		use_tally_free(&instance->tallies[i]);
	free(instance->totals);
	free(instance->tallies);
	free(instance->slices);
}

static struct use_instance *gather_new_instance(struct weir_ctx *ctx, struct use_resource *resource,
						const struct weir_value *name, int *err)
{
	struct use_instance *instance;
	char wanted[USE_NAME];

	if (name->type == WEIR_TYPE_UINT)
		snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)name->u);
	else
		gather_name(wanted, name->text, name->length);
	instance = gather_find(resource, wanted);
	if (instance)
		return instance;
	if (resource->instance_count >= GATHER_INSTANCES) {
		weir_lost(ctx, "more instances of a resource than are kept", 1, NULL);
		return NULL;
	}
	instance = use_instance(resource, wanted, strlen(wanted));
	if (!instance)
		*err = weir_fail(ctx, -ENOMEM, "keep another instance of %s", resource->name);
	return instance;
}

struct use_instance *use_instance_of(struct weir_ctx *ctx, struct use_resource *resource,
				     const struct use_ask *ask, const struct weir_batch *batch,
				     const void *row, int *err)
{
	const bool own = ask->input == resource->ask.input && !ask->match;
	const struct weir_expr *where = !ask->where && own ? resource->ask.where : ask->where;
	const struct weir_expr *name = own ? resource->ask.of : ask->match;
	struct weir_value value;

	if (where) {
		*err = ctx->host->expr_eval(where, batch, row, &value);
		if (*err || !value.u)
			return NULL;
	}
	if (!name)
		return &resource->instances[0];
	*err = ctx->host->expr_eval(name, batch, row, &value);
	if (*err)
		return NULL;
	/* The one that has no name. */
	if (value.type == WEIR_TYPE_NONE)
		return &resource->instances[0];
	return gather_new_instance(ctx, resource, &value, err);
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
	return err == -ENOMEM ? weir_fail(ctx, err, "keep what input %u says", input) : err;
}
