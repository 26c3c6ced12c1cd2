/* SPDX-License-Identifier: BSD-2-Clause */
/* The tree view of flame.tree. The walk keeps its steps in a list: stacks may be very deep. */
#include <stdlib.h>

#include "tree.h"

static int tree_add_step(struct tree_nodes *nodes, const struct tree_step *step)
{
	if (nodes->count == nodes->capacity) {
		size_t capacity = nodes->capacity ? nodes->capacity * 2 : 256;
		struct tree_step *steps = reallocarray(nodes->steps, capacity, sizeof(*steps));

		if (!steps)
			return -ENOMEM;
		nodes->steps = steps;
		nodes->capacity = capacity;
	}
	nodes->steps[nodes->count++] = *step;
	return 0;
}

/* The next step is the last of the list: lightest first. */
static int tree_compare(const void *left, const void *right, void *arg)
{
	const struct tree_step *a = left, *b = right;
	struct weir_ctx *ctx = arg;
	struct tree_state *state = ctx->state;
	const struct calltree_node *nodes = state->profile.tree.nodes;

	if (nodes[a->node].weight != nodes[b->node].weight)
		return nodes[a->node].weight < nodes[b->node].weight ? -1 : 1;
	return profile_compare(ctx, &state->profile, nodes[b->node].name, nodes[a->node].name);
}

static bool tree_is_small(struct weir_ctx *ctx, uint64_t weight)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;

	return tree_share(weight, state->total) < conf->percent_limit;
}

static void tree_rest_add(struct weir_ctx *ctx, struct tree_rest *rest, uint32_t node)
{
	struct tree_state *state = ctx->state;
	const struct calltree_node *at = &state->profile.tree.nodes[node];

	rest->count++;
	rest->weight += at->weight;
	rest->samples += at->samples;
	/* All of it ran there or below, and nothing below is shown. */
	if (!state->profile.leaf_first || rest->depth == 0)
		rest->self += at->weight;
}

/*
 * Puts a node's children on the list. Those that are too small are one step: of their parent, and
 * marked as a rest. It is taken last.
 */
static int tree_go_down(struct weir_ctx *ctx, const struct tree_step *from, uint32_t depth)
{
	struct tree_state *state = ctx->state;
	const struct calltree_node *nodes = state->profile.tree.nodes;
	struct tree_step rest = { from->node, from->comm, depth, true };
	size_t first;
	uint32_t child;
	int err = 0;

	if (nodes[from->node].child)
		err = tree_add_step(&state->nodes, &rest);
	first = state->nodes.count;
	for (child = nodes[from->node].child; child && !err; child = nodes[child].next) {
		struct tree_step step = { child, from->comm, depth, false };

		if (!tree_is_small(ctx, nodes[child].weight))
			err = tree_add_step(&state->nodes, &step);
	}
	if (state->nodes.count > first + 1)
		qsort_r(state->nodes.steps + first, state->nodes.count - first,
			sizeof(*state->nodes.steps), tree_compare, ctx);
	return err;
}

static int tree_send_rest(struct weir_ctx *ctx, struct weir_batch **batch,
			  const struct tree_step *step)
{
	struct tree_state *state = ctx->state;
	const struct calltree_node *nodes = state->profile.tree.nodes;
	struct tree_rest rest = { .depth = step->depth, .comm = step->comm, .has_children = true };
	uint32_t child;

	for (child = nodes[step->node].child; child; child = nodes[child].next)
		if (tree_is_small(ctx, nodes[child].weight))
			tree_rest_add(ctx, &rest, child);
	return tree_add_rest(ctx, batch, &rest);
}

static int tree_send_node(struct weir_ctx *ctx, struct weir_batch **batch,
			  const struct tree_step *step)
{
	struct tree_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	const struct calltree_node *node = &tree->nodes[step->node];
	struct tree_row *row = tree_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	row->depth = step->depth;
	row->children = tree_share(node->weight, state->total);
	if (!state->profile.leaf_first)
		row->self = tree_share(calltree_self(tree, step->node), state->total);
	else if (step->depth == 0)
		row->self = row->children;
	row->samples = node->samples;
	row->comm.id = step->comm;
	row->object.id = node->tag & PROFILE_ROOT ? 0 : node->tag;
	row->symbol.id = node->name;
	return 0;
}

static int tree_take_step(struct weir_ctx *ctx, struct weir_batch **batch, struct tree_step *step)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;
	const struct calltree_node *node = &state->profile.tree.nodes[step->node];
	int err;

	if (step->rest)
		return tree_send_rest(ctx, batch, step);
	if (node->parent == 0 && (node->tag & PROFILE_ROOT))
		step->comm = node->name;
	err = tree_send_node(ctx, batch, step);
	return err || step->depth + 1 >= conf->max_depth ? err
							 : tree_go_down(ctx, step, step->depth + 1);
}

int tree_nodes_send(struct weir_ctx *ctx, struct weir_batch **batch)
{
	struct tree_state *state = ctx->state;
	struct tree_nodes *nodes = &state->nodes;
	struct tree_step step = { 0, 0, 0, false };
	int err;

	calltree_sum(&state->profile.tree);
	state->total = state->profile.tree.nodes[0].weight;
	err = tree_go_down(ctx, &step, 0);
	while (!err && nodes->count) {
		step = nodes->steps[--nodes->count];
		err = tree_take_step(ctx, batch, &step);
	}
	return err;
}
