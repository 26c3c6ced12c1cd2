/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform flame.tree: a profile as rows of text: a tree of callers and callees, or a flat list of
 * functions. What is below the limit of the shares is brought together, so that shares add up.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tree.h"

static const struct weir_option tree_options[] = {
	WEIR_OPT_CHOICE(struct tree_conf, view, "tree", "tree flat",
			"callers above callees, or one row per function"),
	WEIR_OPT_CHOICE(struct tree_conf, order, "caller", "caller callee",
			"what a tree stands on: outermost callers, or the functions that ran"),
	WEIR_OPT_RATIO(struct tree_conf, percent_limit, "0.5%",
		       "bring together what has a smaller share"),
	WEIR_OPT_UINT(struct tree_conf, max_depth, "1000", 1, 100000, "levels of a tree to show"),
};

#define TREE_SHARE(member_, flags_, doc_)                                                          \
	WEIR_FIELD_WITH(struct tree_row, member_, WEIR_RATIO, WEIR_DELTA, flags_, doc_)

static const struct weir_field tree_fields[] = {
	TREE_SHARE(children, WEIR_OPTIONAL, "share of the whole, callees included"),
	TREE_SHARE(self, 0, "share of the whole, callees not included"),
	WEIR_FIELD(struct tree_row, samples, WEIR_SAMPLES, WEIR_DELTA,
		   "samples, callees included; in the flat view without them"),
	WEIR_FIELD(struct tree_row, comm, WEIR_NONE, WEIR_KEY, "command"),
	WEIR_FIELD(struct tree_row, object, WEIR_NONE, WEIR_KEY, "binary, without its path"),
	WEIR_FIELD_WITH(struct tree_row, depth, WEIR_NONE, WEIR_KEY, WEIR_QUIET,
			"depth in the tree"),
	WEIR_FIELD_WITH(struct tree_row, indent, WEIR_NONE, WEIR_KEY, WEIR_DEPTH | WEIR_QUIET,
			"depth as it is shown: a chain of calls stands on one indentation"),
	WEIR_FIELD(struct tree_row, symbol, WEIR_NONE, WEIR_KEY,
		   "function; the command itself at the foot of its stacks"),
};
WEIR_SCHEMA(tree_schema, "profile", struct tree_row, tree_fields);

static const struct weir_want tree_wants[] = { PROFILE_WANTS };
static const struct weir_slot tree_inputs[] = {
	{ "stacks", "rows with a stack", WEIR_TABLE(tree_wants), 0, 0 },
};
static const struct weir_output tree_outputs[] = {
	{ "functions", "shares of functions", &tree_schema, 0, 0 },
};

static int tree_bind(struct weir_ctx *ctx)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;

	state->profile.leaf_first = conf->view == TREE_VIEW_TREE && conf->order == TREE_CALLEE;
	return profile_bind(ctx, &state->profile, PROFILE_BY_OBJECT);
}

static int tree_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;

	(void)input;
	return conf->view == TREE_VIEW_FLAT ? tree_flat_push(ctx, &state->flat, batch)
					    : profile_push(ctx, &state->profile, batch);
}

double tree_share(uint64_t weight, uint64_t total)
{
	return total ? (double)weight / (double)total : 0;
}

struct tree_row *tree_add_row(struct weir_ctx *ctx, struct weir_batch **batch)
{
	struct tree_state *state = ctx->state;

	if (*batch && (*batch)->row_count >= TREE_ROWS) {
		int err = weir_commit(ctx, *batch);

		*batch = NULL;
		if (err)
			return NULL;
	}
	if (!*batch)
		*batch = weir_loan(ctx, 0, 64, 0);
	if (!*batch)
		return NULL;
	(*batch)->names = state->profile.names;
	(*batch)->start = state->profile.start;
	(*batch)->end = state->profile.end;
	return weir_add_row(ctx, *batch);
}

int tree_add_rest(struct weir_ctx *ctx, struct weir_batch **batch, const struct tree_rest *rest,
		  struct tree_row **row)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;
	char text[96];
	int length = snprintf(text, sizeof(text), "(%u more below %g%%)", rest->count,
			      conf->percent_limit * 100);

	*row = tree_add_row(ctx, batch);
	if (!*row)
		return -ENOMEM;
	(*row)->children = rest->has_children ? tree_share(rest->weight, state->total) : NAN;
	(*row)->self = tree_share(rest->self, state->total);
	(*row)->samples = rest->samples;
	(*row)->symbol.id = ctx->host->names_intern(state->profile.names, text, (size_t)length);
	return (*row)->symbol.id ? 0 : -ENOMEM;
}

static int tree_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct tree_conf *conf = ctx->options;
	struct tree_state *state = ctx->state;
	struct weir_batch *batch = NULL;
	int err;

	(void)deadline;
	if (state->profile.samples == 0)
		weir_log(ctx, WEIR_LOG_WARNING, "no samples");
	else if (state->profile.samples < TREE_FEW)
		weir_log(ctx, WEIR_LOG_WARNING, "%" PRIu64 " samples only: shares are rough",
			 state->profile.samples);
	err = conf->view == TREE_VIEW_FLAT ? tree_flat_send(ctx, &state->flat, &batch)
					   : tree_nodes_send(ctx, &batch);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "rows of the profile");
	}
	return batch ? weir_commit(ctx, batch) : 0;
}

static void tree_destroy(struct weir_ctx *ctx)
{
	struct tree_state *state = ctx->state;

	profile_clear(ctx, &state->profile);
	tree_flat_clear(&state->flat);
	tree_nodes_clear(&state->nodes);
}

WEIR_COMPONENT(
	"flame.tree", WEIR_TRANSFORM, .summary = "a profile as a tree or list of functions",
	.doc = "The tree stands on commands, whose rows bear the command's name as symbol; "
	       "below it come\nthe outermost functions (order caller). With order callee it "
	       "stands on the functions\nthat ran, and their callers are below them. Rows are "
	       "sorted by weight.\n\n"
	       "A function that is all that its caller called stands right below it, not further "
	       "to the\nright: only where a path divides, the rows below are indented. What is "
	       "below percent_limit\nis brought together with its like, in one row as soon as "
	       "that reaches the limit, else at\nthe end.\n\n"
	       "The flat view has one row per command, object and function: children counts a "
	       "recursive\nfunction once.",
	.options_size = sizeof(struct tree_conf), .state_size = sizeof(struct tree_state),
	.options = WEIR_TABLE(tree_options), .outputs = WEIR_TABLE(tree_outputs),
	.inputs = WEIR_TABLE(tree_inputs), .bind = tree_bind, .push = tree_push,
	.drain = tree_drain, .destroy = tree_destroy);
