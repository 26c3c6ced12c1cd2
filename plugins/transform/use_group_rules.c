/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of who causes and who suffers. */
#include <stdlib.h>

#include "use_rules.h"

static int group_number(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
			const struct weir_unit *unit, double *number)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);

	return tree ? rules_constant(ctx, tree, unit, number) : 0;
}

static int group_column(struct weir_ctx *ctx, const struct use_group *group,
			const struct weir_tree *map, const char *key, const char *fallback,
			struct weir_expr **expr)
{
	const struct weir_schema *schema = weir_input(ctx, group->ask.input)->schema;
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);

	if (tree)
		*expr = ctx->host->tree_expr(ctx, tree, schema);
	else if (fallback && weir_find(schema, fallback))
		*expr = ctx->host->expr_compile(ctx, fallback, schema, "rules");
	else
		return 0;
	return *expr ? 0 : -EINVAL;
}

static int group_columns(struct weir_ctx *ctx, struct use_group *group, const struct weir_tree *map)
{
	int err = group_column(ctx, group, map, "who", "comm", &group->who);

	/* Who is named by something else is no process. */
	if (!err && !weir_tree_get(ctx, map, "who"))
		err = group_column(ctx, group, map, "pid", "pid", &group->pid);
	if (!err)
		err = group_column(ctx, group, map, "since", NULL, &group->since);
	if (!err)
		err = group_column(ctx, group, map, "within", NULL, &group->within);
	if (!err && !group->who)
		err = weir_tree_fail(ctx, map, -EINVAL,
				     "\"who\" is missing, and the input has no column comm");
	if (!err && !group->ask.of)
		err = weir_tree_fail(ctx, map, -EINVAL, "\"by\" is missing");
	if (!err)
		group->unit = use_unit_of(ctx->host->expr_unit(group->ask.of), group->take);
	return err;
}

int use_bind_group(struct weir_ctx *ctx, const struct use_resource *resource,
		   const struct weir_tree *map, struct use_group **made)
{
	static const char *const known[] = { "input", "where",  "match", "by",      "take",
					     "who",   "pid",    "since", "at_most", "at_least",
					     "say",   "others", "within" };
	struct use_group *group;
	double most = 3, others = 0;
	int err;

	if (!map)
		return 0;
	group = *made = calloc(1, sizeof(*group));
	if (!group)
		return weir_fail(ctx, -ENOMEM, "keep a group of %s", resource->name);
	group->take = USE_SUM;
	err = use_bind_keys(ctx, map, known, sizeof(known) / sizeof(known[0]));
	if (!err)
		err = use_bind_ask(ctx, map, &resource->ask, "by", &group->ask);
	if (!err)
		err = use_bind_take(ctx, map, &group->take);
	if (!err)
		err = group_number(ctx, map, "at_most", NULL, &most);
	if (!err)
		err = group_number(ctx, map, "at_least", &weir_ratio, &group->least);
	if (!err)
		err = group_number(ctx, map, "others", NULL, &others);
	group->most = most < 1 ? 1 : most > USE_BEST ? USE_BEST : (uint32_t)most;
	group->others = others != 0;
	group->say = err ? NULL : use_bind_text(ctx, map, "say", true, &err);
	if (!err)
		err = use_check_text(ctx, resource, weir_tree_get(ctx, map, "say"), group->say);
	return err || group->ask.input == USE_NONE ? err : group_columns(ctx, group, map);
}
