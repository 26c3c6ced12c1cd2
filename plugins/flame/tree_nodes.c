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
	const struct calltree *tree = &state->profile.tree;
	const struct calltree_node *nodes = tree->nodes;

	if (nodes[a->node].weight != nodes[b->node].weight)
		return nodes[a->node].weight < nodes[b->node].weight ? -1 : 1;
	return profile_compare(ctx, &state->profile, calltree_name(tree, b->node),
			       calltree_name(tree, a->node));
}

static bool tree_is_small(struct weir_ctx *ctx, uint64_t weight)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;

	return tree_share(weight, state->total) < conf->percent_limit;
}

/* Room for the rests of one level more than there are. */
static int tree_rest_room(struct tree_nodes *nodes, size_t depth)
{
	size_t capacity = depth + 64;
	struct tree_rest *rests;

	if (depth + 1 < nodes->rest_capacity)
		return 0;
	rests = reallocarray(nodes->rests, capacity, sizeof(*rests));
	if (!rests)
		return -ENOMEM;
	memset(rests + nodes->rest_capacity, 0, (capacity - nodes->rest_capacity) * sizeof(*rests));
	nodes->rests = rests;
	nodes->rest_capacity = capacity;
	return 0;
}

static void tree_rest_join(struct tree_rest *rest, struct tree_rest *other)
{
	rest->count += other->count;
	rest->weight += other->weight;
	rest->samples += other->samples;
	rest->self += other->self;
	memset(other, 0, sizeof(*other));
}

/* A node that is too small, with everything below it: all of that ran there. */
static void tree_rest_add(struct weir_ctx *ctx, struct tree_rest *rest, uint32_t node,
			  uint32_t depth)
{
	struct tree_state *state = ctx->state;
	const struct calltree_node *at = &state->profile.tree.nodes[node];

	rest->count++;
	rest->weight += at->weight;
	rest->samples += calltree_samples(&state->profile.tree, node);
	if (!state->profile.leaf_first || depth == 0)
		rest->self += at->weight;
}

/*
 * How a node's children are indented: where there is one alone that took nearly all of the weight,
 * a chain begins or goes on.
 */
static void tree_indent(struct weir_ctx *ctx, const struct tree_step *from, struct tree_step *first,
			size_t count)
{
	struct tree_state *state = ctx->state;
	const struct calltree_node *nodes = state->profile.tree.nodes;
	uint64_t elsewhere = nodes[from->node].weight - nodes[first->node].weight;
	bool chain = count == 1 && from->node && (!elsewhere || tree_is_small(ctx, elsewhere));
	size_t i;

	for (i = 0; i < count; i++) {
		first[i].chain = chain;
		if (chain && from->chain)
			first[i].indent = from->indent;
	}
}

/*
 * Puts a node's children on the list. Those that are too small are one step: of their parent, and
 * marked as a rest. It is taken last.
 */
static int tree_go_down(struct weir_ctx *ctx, const struct tree_step *from, uint32_t depth)
{
	struct tree_state *state = ctx->state;
	const struct calltree_node *nodes = state->profile.tree.nodes;
	struct tree_step step = { .comm = from->comm,
				  .depth = depth,
				  .indent = from->node ? from->indent + 1 : 0 };
	size_t first;
	int err = tree_rest_room(&state->nodes, depth);

	if (err || !nodes[from->node].child)
		return err;
	step.node = from->node;
	step.rest = true;
	err = tree_add_step(&state->nodes, &step);
	first = state->nodes.count;
	step.rest = false;
	for (step.node = nodes[from->node].child; step.node && !err;
	     step.node = nodes[step.node].next)
		if (!tree_is_small(ctx, nodes[step.node].weight))
			err = tree_add_step(&state->nodes, &step);
	if (err || state->nodes.count == first)
		return err;
	qsort_r(state->nodes.steps + first, state->nodes.count - first, sizeof(*state->nodes.steps),
		tree_compare, ctx);
	tree_indent(ctx, from, state->nodes.steps + first, state->nodes.count - first);
	return 0;
}

/*
 * What is too small among a node's children and was not shown yet of what is below them: a row when
 * that makes enough together, else the caller's caller's matter.
 */
static int tree_send_rest(struct weir_ctx *ctx, struct weir_batch **batch,
			  const struct tree_step *step)
{
	struct tree_state *state = ctx->state;
	const struct calltree_node *nodes = state->profile.tree.nodes;
	struct tree_rest *rest = &state->nodes.rests[step->depth];
	struct tree_row *row;
	uint32_t child;
	int err;

	tree_rest_join(rest, rest + 1);
	for (child = nodes[step->node].child; child; child = nodes[child].next)
		if (tree_is_small(ctx, nodes[child].weight))
			tree_rest_add(ctx, rest, child, step->depth);
	if (rest->count == 0 || (step->depth && tree_is_small(ctx, rest->weight)))
		return 0;
	rest->has_children = true;
	err = tree_add_rest(ctx, batch, rest, &row);
	memset(rest, 0, sizeof(*rest));
	if (err)
		return err;
	row->depth = step->depth;
	row->indent = step->indent;
	row->comm.id = step->comm;
	return 0;
}

static int tree_send_node(struct weir_ctx *ctx, struct weir_batch **batch,
			  const struct tree_step *step)
{
	struct tree_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	const struct calltree_node *node = &tree->nodes[step->node];
	struct tree_row *row = tree_add_row(ctx, batch);
	uint32_t tag;

	if (!row)
		return -ENOMEM;
	row->depth = step->depth;
	row->indent = step->indent;
	row->children = tree_share(node->weight, state->total);
	if (!state->profile.leaf_first)
		row->self = tree_share(calltree_self(tree, step->node), state->total);
	else if (step->depth == 0)
		row->self = row->children;
	row->samples = calltree_samples(tree, step->node);
	row->comm.id = step->comm;
	tag = calltree_tag(tree, step->node);
	row->object.id = tag & PROFILE_ROOT ? 0 : tag;
	row->symbol.id = calltree_name(tree, step->node);
	return 0;
}

static int tree_take_step(struct weir_ctx *ctx, struct weir_batch **batch, struct tree_step *step)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	int err;

	if (step->rest)
		return tree_send_rest(ctx, batch, step);
	if (tree->nodes[step->node].parent == 0 && (calltree_tag(tree, step->node) & PROFILE_ROOT))
		step->comm = calltree_name(tree, step->node);
	err = tree_send_node(ctx, batch, step);
	return err || step->depth + 1 >= conf->max_depth ? err
							 : tree_go_down(ctx, step, step->depth + 1);
}

int tree_nodes_send(struct weir_ctx *ctx, struct weir_batch **batch)
{
	struct tree_state *state = ctx->state;
	struct tree_nodes *nodes = &state->nodes;
	struct tree_step step = { 0 };
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

void tree_nodes_clear(struct tree_nodes *nodes)
{
	free(nodes->steps);
	free(nodes->rests);
	memset(nodes, 0, sizeof(*nodes));
}
