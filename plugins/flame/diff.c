/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform flame.diff: two profiles as one, each stack with its weight before and after. Stacks are
 * the same by what people read of them: the names of their frames, and whose they are.
 */
#include <stdlib.h>

#include "profile.h"

enum { DIFF_BEFORE = 0, DIFF_AFTER = 1, DIFF_INPUTS = 2 };

enum {
	DIFF_ROWS = 1024,
	DIFF_ARENA = 4 << 20, /* bytes of a batch's frames: it ends with the row that passes them */
};

struct diff_conf {
	bool normalize;
};

static const struct weir_option diff_options[] = {
	WEIR_OPT_BOOL(struct diff_conf, normalize, "false",
		      "make the earlier profile as large as the later one: compare shares"),
};

struct diff_row {
	struct weir_name comm;
	uint32_t pad;
	struct weir_stack_ref stack;
	uint64_t weight;
	uint64_t before;
	uint64_t samples;
};

enum { DIFF_FIELD_WEIGHT = 2, DIFF_FIELD_BEFORE = 3 };

static const struct weir_field diff_fields[] = {
	WEIR_FIELD(struct diff_row, comm, WEIR_NONE, WEIR_KEY, "command"),
	WEIR_FIELD(struct diff_row, stack, WEIR_NONE, WEIR_KEY, "functions, leaf first"),
	WEIR_FIELD(struct diff_row, weight, WEIR_NONE, WEIR_DELTA, "weight in the later profile"),
	WEIR_FIELD(struct diff_row, before, WEIR_NONE, WEIR_DELTA, "weight in the earlier profile"),
	WEIR_FIELD(struct diff_row, samples, WEIR_SAMPLES, WEIR_DELTA,
		   "samples in the later profile"),
};

struct diff_state {
	struct profile profile;
	struct profile_input inputs[DIFF_INPUTS];
	struct weir_field fields[sizeof(diff_fields) / sizeof(diff_fields[0])];
	struct weir_schema schema;
	uint64_t before; /* the whole of each profile */
	uint64_t after;
};

static const struct weir_want diff_wants[] = { PROFILE_WANTS };
static const struct weir_slot diff_inputs[] = {
	[DIFF_BEFORE] = { "before", "stacks of the earlier profile", WEIR_TABLE(diff_wants), 0, 0 },
	[DIFF_AFTER] = { "after", "stacks of the later profile", WEIR_TABLE(diff_wants), 0, 0 },
};
static const struct weir_output diff_outputs[] = {
	{ "stacks", "one row per stack of either profile", NULL, 0, 0 },
};

static int diff_bind(struct weir_ctx *ctx)
{
	struct diff_state *state = ctx->state;
	int err = profile_bind(ctx, &state->profile, PROFILE_BY_KIND);
	uint32_t i;

	for (i = 0; i < DIFF_INPUTS && !err; i++)
		err = profile_input_bind(ctx, &state->inputs[i], i);
	if (err)
		return err;
	if (state->inputs[0].unit != state->inputs[1].unit &&
	    (!state->inputs[0].unit || !state->inputs[1].unit ||
	     strcmp(state->inputs[0].unit->ucum, state->inputs[1].unit->ucum) != 0))
		return weir_fail(ctx, -EINVAL, "the weights of the two are not in one unit");
	memcpy(state->fields, diff_fields, sizeof(diff_fields));
	state->fields[DIFF_FIELD_WEIGHT].unit = state->inputs[0].unit;
	state->fields[DIFF_FIELD_BEFORE].unit = state->inputs[0].unit;
	state->schema = (struct weir_schema){ sizeof(state->schema), WEIR_ROW_SIZE(struct diff_row),
					      "compared stacks", WEIR_TABLE(diff_fields) };
	state->schema.fields.items = state->fields;
	return ctx->host->declare(ctx, 0, &state->schema);
}

static int diff_add(struct weir_ctx *ctx, const struct weir_batch *batch,
		    const struct profile_row *row, bool before)
{
	struct diff_state *state = ctx->state;
	struct calltree *tree = &state->profile.tree;
	uint32_t node;
	int err = profile_leaf(ctx, &state->profile, batch, row, &node);

	if (err)
		return err;
	if (before) {
		state->before += row->weight;
		return calltree_add_before(tree, node, row->weight)
			       ? weir_fail(ctx, -ENOMEM, "weights of %u nodes", tree->count)
			       : 0;
	}
	state->after += row->weight;
	return calltree_add(tree, node, row->weight, row->samples)
		       ? weir_fail(ctx, -ENOMEM, "weights of %u nodes", tree->count)
		       : 0;
}

static int diff_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct diff_state *state = ctx->state;
	bool before = weir_input(ctx, input)->slot == DIFF_BEFORE;
	struct profile_row row;
	uint32_t i;
	int err = 0;

	profile_begin(ctx, &state->profile, batch);
	for (i = 0; i < batch->row_count && !err; i++) {
		profile_input_row(ctx, &state->inputs[input], batch, i, &row);
		err = diff_add(ctx, batch, &row, before);
	}
	return err;
}

/* The frames from a node up. A stack may stand on its command, which is none of them. */
static int diff_add_stack(struct weir_ctx *ctx, struct weir_batch *batch, struct diff_row *row,
			  uint32_t node)
{
	struct diff_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	const struct calltree_node *nodes = tree->nodes;
	struct weir_frame *frames;
	uint32_t count = 0, at, i;

	for (at = node; at && !(calltree_tag(tree, at) & PROFILE_ROOT); at = nodes[at].parent)
		count++;
	if (at)
		row->comm.id = calltree_name(tree, at);
	if (count == 0)
		return 0;
	frames = weir_add_bytes(ctx, batch, count * (uint32_t)sizeof(*frames), &row->stack.offset);
	if (!frames)
		return -ENOMEM;
	row->stack.count = count;
	for (i = 0; i < count; i++, node = nodes[node].parent) {
		frames[i].symbol = calltree_name(tree, node);
		frames[i].flags = calltree_tag(tree, node);
	}
	return 0;
}

static uint64_t diff_before(const struct weir_ctx *ctx, uint32_t node)
{
	const struct diff_conf *conf = ctx->options;
	const struct diff_state *state = ctx->state;
	uint64_t before = state->profile.tree.before ? state->profile.tree.before[node] : 0;

	if (!conf->normalize || !state->before || !state->after)
		return before;
	return (uint64_t)(((unsigned __int128)before * state->after + state->before / 2) /
			  state->before);
}

static int diff_add_row(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t node)
{
	struct diff_state *state = ctx->state;
	const struct calltree_node *at = &state->profile.tree.nodes[node];
	struct diff_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	row->weight = at->weight;
	row->samples = calltree_samples(&state->profile.tree, node);
	row->before = diff_before(ctx, node);
	return diff_add_stack(ctx, batch, row, node);
}

/* Fills a batch with the stacks from *node on. */
static int diff_fill(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t *node)
{
	struct diff_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	int err = 0;

	for (; !err && *node < tree->count && batch->row_count < DIFF_ROWS &&
	       batch->arena_used < DIFF_ARENA;
	     (*node)++)
		if (tree->nodes[*node].weight || (tree->before && tree->before[*node]))
			err = diff_add_row(ctx, batch, *node);
	batch->names = state->profile.names;
	batch->start = state->profile.start;
	batch->end = state->profile.end;
	return err;
}

static int diff_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct diff_state *state = ctx->state;
	uint32_t node = 0;
	int err = 0;

	(void)deadline;
	if (!state->before || !state->after)
		weir_log(ctx, WEIR_LOG_WARNING, "the %s profile has no samples: nothing to compare",
			 state->before ? "later" : "earlier");
	while (!err && node < state->profile.tree.count) {
		struct weir_batch *batch = weir_loan(ctx, 0, 64, 0);

		if (!batch)
			return weir_fail(ctx, -ENOMEM, "rows of the comparison");
		err = diff_fill(ctx, batch, &node);
		if (err) {
			weir_discard(ctx, batch);
			return weir_fail(ctx, err, "rows of the comparison");
		}
		err = weir_commit(ctx, batch);
	}
	return err;
}

static void diff_destroy(struct weir_ctx *ctx)
{
	struct diff_state *state = ctx->state;

	profile_clear(ctx, &state->profile);
}

WEIR_COMPONENT("flame.diff", WEIR_TRANSFORM, .summary = "compares two profiles, stack by stack",
	       .doc = "Each stack of either profile is a row, with its weight before and after: 0 "
		      "where it "
		      "does\nnot occur. Sinks that draw show what became more or less; "
		      "flame.folded writes "
		      "both numbers.\nWhere one profile is longer than the other, normalize "
		      "compares shares.",
	       .options_size = sizeof(struct diff_conf), .state_size = sizeof(struct diff_state),
	       .options = WEIR_TABLE(diff_options), .outputs = WEIR_TABLE(diff_outputs),
	       .inputs = WEIR_TABLE(diff_inputs), .bind = diff_bind, .push = diff_push,
	       .drain = diff_drain, .destroy = diff_destroy);
