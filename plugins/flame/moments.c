/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples in the order of time; see moments.h. */
#include <stdlib.h>

#include "moments.h"

static int moments_add(struct moments *moments, const struct moment *moment)
{
	if (moments->count == moments->capacity) {
		size_t capacity = moments->capacity ? moments->capacity * 2 : 1024;
		struct moment *items = reallocarray(moments->items, capacity, sizeof(*items));

		if (!items)
			return -ENOMEM;
		moments->items = items;
		moments->capacity = capacity;
	}
	moments->items[moments->count] = *moment;
	moments->items[moments->count].order = moments->count;
	moments->count++;
	return 0;
}

int moments_push(struct weir_ctx *ctx, struct moments *moments, struct profile *profile,
		 const struct weir_batch *batch)
{
	struct profile_row row;
	uint32_t i;
	int err = 0;

	profile_begin(ctx, profile, batch);
	for (i = 0; i < batch->row_count && !err; i++) {
		struct moment moment = { 0 };

		profile_input_row(ctx, &profile->input, batch, i, &row);
		moment.time = row.time;
		moment.weight = row.weight;
		moment.samples = row.samples;
		profile->samples += row.samples;
		err = profile_leaf(ctx, profile, batch, &row, &moment.node);
		if (!err && moments_add(moments, &moment))
			err = weir_fail(ctx, -ENOMEM, "%zu samples", moments->count);
	}
	return err;
}

static int moments_compare(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

void moments_sort(struct moments *moments)
{
	if (moments->count)
		qsort(moments->items, moments->count, sizeof(*moments->items), moments_compare);
}

void moments_clear(struct moments *moments)
{
	free(moments->items);
	memset(moments, 0, sizeof(*moments));
}

/* A path through both trees: of the sample before, then of the one at hand. */
struct moments_path {
	struct moments_step {
		uint32_t node;  /* of the merged tree */
		uint32_t chart; /* its like in the chart */
	} * steps;
	uint32_t count;
	uint32_t capacity;
};

static int moments_room(struct moments_path *path, uint32_t count)
{
	struct moments_step *steps;

	if (count <= path->capacity)
		return 0;
	steps = reallocarray(path->steps, (size_t)count * 2, sizeof(*steps));
	if (!steps)
		return -ENOMEM;
	path->steps = steps;
	path->capacity = count * 2;
	return 0;
}

/* Leads the path to `node`; steps that are the same as before keep their place in the chart. */
static int moments_lead(const struct calltree *tree, struct moments_path *path, uint32_t node)
{
	uint32_t count = 0, at, i;

	for (at = node; at; at = tree->nodes[at].parent)
		count++;
	if (moments_room(path, count))
		return -ENOMEM;
	for (at = node, i = count; at; at = tree->nodes[at].parent) {
		struct moments_step *step = &path->steps[--i];

		if (i >= path->count || step->node != at)
			*step = (struct moments_step){ at, 0 };
	}
	path->count = count;
	return 0;
}

/* The node of the path's end in the chart; 0 with *err: no memory. */
static uint32_t moments_follow(const struct calltree *tree, struct calltree *chart,
			       struct moments_path *path, int *err)
{
	uint32_t node = 0, i;
	bool fresh = false;

	for (i = 0; i < path->count; i++) {
		struct moments_step *step = &path->steps[i];

		fresh = fresh || !step->chart;
		if (fresh)
			step->chart = calltree_append(chart, node, calltree_name(tree, step->node),
						      calltree_tag(tree, step->node));
		node = step->chart;
		if (!node)
			*err = -ENOMEM;
	}
	return node;
}

int moments_chart(struct moments *moments, struct profile *profile)
{
	struct moments_path path = { 0 };
	struct calltree chart;
	size_t i;
	int err = calltree_init(&chart);

	moments_sort(moments);
	for (i = 0; i < moments->count && !err; i++) {
		const struct moment *moment = &moments->items[i];
		uint32_t node;

		err = moments_lead(&profile->tree, &path, moment->node);
		node = err ? 0 : moments_follow(&profile->tree, &chart, &path, &err);
		if (!err)
			err = calltree_add(&chart, node, moment->weight, moment->samples);
	}
	free(path.steps);
	if (err) {
		calltree_clear(&chart);
		return err;
	}
	calltree_clear(&profile->tree);
	profile->tree = chart;
	return 0;
}
