/* SPDX-License-Identifier: BSD-2-Clause */
/* The flat view of flame.tree: one row per command, object and function. */
#include <stdlib.h>

#include "tree.h"

static struct tree_function *tree_new_function(struct tree_flat *flat)
{
	if (flat->count == flat->capacity) {
		uint32_t capacity = flat->capacity ? flat->capacity * 2 : 256;
		void *functions = reallocarray(flat->functions, capacity, sizeof(*flat->functions));

		if (!functions)
			return NULL;
		flat->functions = functions;
		flat->capacity = capacity;
	}
	memset(&flat->functions[flat->count], 0, sizeof(*flat->functions));
	return &flat->functions[flat->count++];
}

static struct tree_function *tree_function(struct tree_flat *flat, uint32_t comm, uint32_t object,
					   uint32_t symbol)
{
	uint64_t key = (uint64_t)comm << 32 | object;
	uint32_t place = intmap_get(&flat->ids, key, symbol);
	struct tree_function *function;

	if (place)
		return &flat->functions[place - 1];
	function = tree_new_function(flat);
	if (!function || intmap_add(&flat->ids, key, symbol, flat->count))
		return NULL;
	function->comm = comm;
	function->object = object;
	function->symbol = symbol;
	return function;
}

static int tree_flat_row(struct weir_ctx *ctx, struct tree_flat *flat,
			 const struct weir_batch *batch, const struct profile_row *row)
{
	struct tree_state *state = ctx->state;
	uint32_t comm, i;
	int err = profile_root_label(ctx, &state->profile, row, &comm);

	flat->row++;
	state->total += row->weight;
	state->profile.samples += row->samples;
	for (i = 0; i < row->frame_count && !err; i++) {
		struct profile_label label;
		struct tree_function *function;

		err = profile_label(ctx, &state->profile, batch, &row->frames[i], &label);
		function = err ? NULL : tree_function(flat, comm, label.object, label.label);
		if (!function)
			return -ENOMEM;
		if (function->last_row != flat->row)
			function->weight += row->weight;
		function->last_row = flat->row;
		if (i == 0) {
			function->self += row->weight;
			function->samples += row->samples;
		}
	}
	return err;
}

int tree_flat_push(struct weir_ctx *ctx, struct tree_flat *flat, const struct weir_batch *batch)
{
	struct tree_state *state = ctx->state;
	struct profile_row row;
	uint32_t i;

	profile_begin(ctx, &state->profile, batch);
	for (i = 0; i < batch->row_count; i++) {
		profile_input_row(ctx, &state->profile.input, batch, i, &row);
		if (tree_flat_row(ctx, flat, batch, &row))
			return weir_fail(ctx, -ENOMEM, "%u functions", flat->count);
	}
	return 0;
}

static int tree_flat_compare(const void *left, const void *right, void *arg)
{
	const struct tree_function *a = left, *b = right;
	struct weir_ctx *ctx = arg;
	struct tree_state *state = ctx->state;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return profile_compare(ctx, &state->profile, a->symbol, b->symbol);
}

static int tree_flat_send_one(struct weir_ctx *ctx, struct weir_batch **batch,
			      const struct tree_function *function)
{
	struct tree_state *state = ctx->state;
	struct tree_row *row = tree_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	row->children = tree_share(function->weight, state->total);
	row->self = tree_share(function->self, state->total);
	row->samples = function->samples;
	row->comm.id = function->comm;
	row->object.id = function->object;
	row->symbol.id = function->symbol;
	return 0;
}

int tree_flat_send(struct weir_ctx *ctx, struct tree_flat *flat, struct weir_batch **batch)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;
	struct tree_rest rest = { 0 };
	struct tree_row *row;
	uint32_t i;
	int err = 0;

	if (flat->count)
		qsort_r(flat->functions, flat->count, sizeof(*flat->functions), tree_flat_compare,
			ctx);
	for (i = 0; i < flat->count && !err; i++) {
		const struct tree_function *function = &flat->functions[i];

		if (tree_share(function->weight, state->total) >= conf->percent_limit) {
			err = tree_flat_send_one(ctx, batch, function);
			continue;
		}
		rest.count++;
		rest.self += function->self;
		rest.samples += function->samples;
	}
	return err || rest.count == 0 ? err : tree_add_rest(ctx, batch, &rest, &row);
}

void tree_flat_clear(struct tree_flat *flat)
{
	free(flat->functions);
	intmap_clear(&flat->ids);
}
