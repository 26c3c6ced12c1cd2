/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform use: the method of utilization, saturation and errors, applied to whatever its inputs
 * say. What is asked of which input, and what follows from it, is in a file of rules that users may
 * change; here is no resource, no column and no threshold.
 */
#include "use.h"

#include <math.h>
#include <stdlib.h>

static const struct weir_option use_options[] = {
	WEIR_OPT_TEXT(struct use_conf, rules, NULL,
		      "file of rules; a relative path begins beside the pipeline"),
	WEIR_OPT_TEXT(struct use_conf, compare, "",
		      "JSON of an earlier verdict: tells what has changed since then"),
};

static const struct weir_output use_outputs[] = {
	{ "verdict", "one row at the end: resources, findings, what was not checked", &use_schema,
	  0, 0 },
};

static const struct weir_slot use_inputs[] = {
	{ .name = "in", .doc = "what the rules ask of: rows of any kind", .flags = WEIR_MANY },
};

static int use_create(struct weir_ctx *ctx)
{
	const struct use_conf *conf = ctx->options;
	struct use_state *st = ctx->state;

	st->rules = ctx->host->tree_read(ctx, conf->rules, WEIR_TREE_BESIDE);
	if (!st->rules)
		return -EINVAL;
	if (!conf->compare[0])
		return 0;
	st->earlier = ctx->host->tree_read(ctx, conf->compare, 0);
	return st->earlier ? use_earlier_check(ctx) : -EINVAL;
}

static int use_bind(struct weir_ctx *ctx)
{
	struct use_state *st = ctx->state;

	st->inputs = calloc(ctx->input_count, sizeof(*st->inputs));
	st->names = ctx->host->names_new(ctx);
	if (!st->inputs || !st->names)
		return weir_fail(ctx, -ENOMEM, "keep what %u inputs say", ctx->input_count);
	return use_rules_bind(ctx);
}

static int use_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct use_judgement judgement = { 0 };
	struct use_state *st = ctx->state;
	int err;

	(void)deadline;
	for (uint32_t i = 0; i < ctx->input_count; i++)
		use_fold(st, i);
	err = use_judge(ctx, &judgement);
	if (!err)
		err = use_send(ctx, &judgement);
	use_judgement_free(&judgement);
	return err == -ENOMEM ? weir_fail(ctx, err, "judge") : err;
}

static void use_destroy(struct weir_ctx *ctx)
{
	struct use_state *st = ctx->state;

	use_rules_free(ctx);
	free(st->inputs);
	ctx->host->names_release(st->names);
}

WEIR_COMPONENT(
	"use", WEIR_TRANSFORM, .summary = "judges resources by utilization, saturation and errors",
	.doc = "Gathers figures of each resource over the whole run by rules that are data, "
	       "and tells at\nthe end which resource holds the machine back, who causes it, "
	       "who suffers, the\nevidence, and what to run next. What could not be looked at "
	       "is told, too.",
	.options_size = sizeof(struct use_conf), .state_size = sizeof(struct use_state),
	.options = WEIR_TABLE(use_options), .outputs = WEIR_TABLE(use_outputs),
	.inputs = WEIR_TABLE(use_inputs), .create = use_create, .bind = use_bind,
	.push = use_gather, .drain = use_drain, .destroy = use_destroy);
