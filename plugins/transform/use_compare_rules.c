/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of what counts as a change between two runs. */
#include <math.h>

#include "use_rules.h"

int rules_constant(struct weir_ctx *ctx, const struct weir_tree *tree, const struct weir_unit *unit,
		   double *number)
{
	static const struct weir_schema nothing = { .size = sizeof(nothing), .row_size = 8 };
	static const struct weir_batch batch;
	struct weir_expr *expr = ctx->host->tree_expr(ctx, tree, &nothing);
	const struct weir_unit *own;
	struct weir_value value = { 0 };
	bool fits;

	if (!expr)
		return -EINVAL;
	own = ctx->host->expr_unit(expr);
	fits = !own || (unit && unit->size && rules_is(own, unit->dimension));
	if (ctx->host->expr_eval(expr, &batch, &batch, &value) < 0 || !use_number(&value, number))
		fits = false;
	if (fits && own)
		*number *= (double)own->numerator * (double)unit->denominator /
			   (double)own->denominator / (double)unit->numerator;
	ctx->host->expr_free(expr);
	if (fits && *number >= 0)
		return 0;
	return weir_tree_fail(ctx, tree, -EINVAL, "a number%s%s is expected here",
			      unit && unit->size ? " in units of " : "",
			      unit && unit->size ? unit->dimension : "");
}

int rules_notable(struct weir_ctx *ctx, struct use_resource *resource, const struct weir_tree *map)
{
	const struct weir_tree *notable = weir_tree_get(ctx, map, "notable"), *item;
	const char *name;
	int err = 0;

	if (notable && rules_kind(ctx, notable) != WEIR_TREE_MAP)
		return weir_tree_fail(ctx, notable, -EINVAL, "notable is a map of figures");
	for (uint32_t i = 0; notable && !err && (item = ctx->host->tree_item(notable, i, &name));
	     i++) {
		uint32_t number = 0;

		while (number < resource->figure_count &&
		       strcmp(resource->figures[number].name, name) != 0)
			number++;
		if (number == resource->figure_count)
			return weir_tree_fail(ctx, item, -EINVAL, "\"%s\" is no figure", name);
		resource->figures[number].told = true;
		if (!resource->figures[number].moot)
			err = rules_constant(ctx, item, &resource->figures[number].unit,
					     &resource->figures[number].notable);
	}
	return err;
}

static int rules_needed(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
			const struct weir_unit *unit, double *number)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);

	if (!tree)
		return weir_tree_fail(ctx, map, -EINVAL, "\"%s\" is missing", key);
	return rules_constant(ctx, tree, unit, number);
}

int rules_compare(struct weir_ctx *ctx, const struct weir_tree *rules)
{
	static const char *const known[] = { "chance", "share", "windows" };
	const struct weir_tree *map = weir_tree_get(ctx, rules, "compare");
	struct use_state *st = ctx->state;
	const uint32_t most = USE_SLICES / 2;
	double windows = 0;
	int err;

	if (!map && st->earlier)
		return weir_tree_fail(ctx, rules, -EINVAL,
				      "\"compare\" is missing: it says what counts as a change");
	if (!map)
		return 0;
	err = use_bind_keys(ctx, map, known, COUNT_OF(known));
	if (!err)
		err = rules_needed(ctx, map, "chance", NULL, &st->difference.chance);
	if (!err)
		err = rules_needed(ctx, map, "share", &weir_ratio, &st->difference.share);
	if (!err)
		err = rules_needed(ctx, map, "windows", NULL, &windows);
	st->difference.windows = windows < most ? (uint32_t)windows : most;
	return err;
}
