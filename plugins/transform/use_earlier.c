/* SPDX-License-Identifier: BSD-2-Clause */
/* An earlier verdict: the JSON that this transform's row became, held against what is expected of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "use_rules.h"

static int earlier_foreign(struct weir_ctx *ctx, const struct weir_tree *tree, const char *what)
{
	return weir_tree_fail(ctx, tree, -EINVAL,
			      "%s is expected here, as `weir verdict --format json` writes it",
			      what);
}

static const struct weir_tree *earlier_list(struct weir_ctx *ctx, const struct weir_tree *map,
					    const char *key, int *err)
{
	const struct weir_tree *list = *err ? NULL : weir_tree_get(ctx, map, key);
	char what[64];

	if (*err || (list && rules_kind(ctx, list) == WEIR_TREE_LIST))
		return list;
	snprintf(what, sizeof(what), "a list \"%s\"", key);
	*err = earlier_foreign(ctx, list ? list : map, what);
	return NULL;
}

const char *use_earlier_text(struct weir_ctx *ctx, const struct weir_tree *item, const char *key)
{
	const struct weir_tree *tree = weir_tree_get(ctx, item, key);
	struct weir_tree_look look = { 0 };

	if (tree)
		ctx->host->tree_look(tree, &look);
	return look.text && strcmp(look.text, "null") != 0 ? look.text : "";
}

/* NaN: null. False: it is neither. */
static bool earlier_number(struct weir_ctx *ctx, const struct weir_tree *item, const char *key,
			   double *number)
{
	const struct weir_tree *tree = weir_tree_get(ctx, item, key);
	struct weir_tree_look look = { 0 };
	char *end;

	*number = NAN;
	if (tree)
		ctx->host->tree_look(tree, &look);
	if (!look.text)
		return false;
	if (strcmp(look.text, "null") == 0)
		return true;
	*number = strtod(look.text, &end);
	return end != look.text && !*end && isfinite(*number);
}

static int earlier_check_words(struct weir_ctx *ctx, const struct weir_tree *item,
			       const char *const *words, size_t count)
{
	char what[64];

	if (rules_kind(ctx, item) != WEIR_TREE_MAP)
		return earlier_foreign(ctx, item, "an object");
	for (size_t i = 0; i < count; i++) {
		const struct weir_tree *tree = weir_tree_get(ctx, item, words[i]);

		if (tree && rules_kind(ctx, tree) == WEIR_TREE_SCALAR)
			continue;
		snprintf(what, sizeof(what), "a text \"%s\"", words[i]);
		return earlier_foreign(ctx, tree ? tree : item, what);
	}
	return 0;
}

static int earlier_check_numbers(struct weir_ctx *ctx, const struct weir_tree *item,
				 const char *const *words)
{
	char what[64];
	double number;

	for (size_t i = 0; i < 3; i++) {
		const struct weir_tree *tree = weir_tree_get(ctx, item, words[i]);

		if (earlier_number(ctx, item, words[i], &number) && !(number < 0 && i))
			continue;
		snprintf(what, sizeof(what), "a number \"%s\"", words[i]);
		return earlier_foreign(ctx, tree ? tree : item, what);
	}
	return 0;
}

/* What a level is made of: of a figure, and of what a finding cost. */
static const char *const earlier_figure[] = { "mean", "spread", "windows" };
static const char *const earlier_cost[] = { "cost_rate", "cost_spread", "windows" };

static int earlier_check_resource(struct weir_ctx *ctx, const struct weir_tree *item)
{
	static const char *const words[] = { "resource", "instance", "state" };
	static const char *const metric[] = { "metric" };
	int err = earlier_check_words(ctx, item, words, COUNT_OF(words));
	const struct weir_tree *figures = earlier_list(ctx, item, "figures", &err), *figure;

	for (uint32_t i = 0; !err && (figure = ctx->host->tree_item(figures, i, NULL)); i++) {
		err = earlier_check_words(ctx, figure, metric, 1);
		if (!err)
			err = earlier_check_numbers(ctx, figure, earlier_figure);
	}
	return err;
}

static int earlier_check_finding(struct weir_ctx *ctx, const struct weir_tree *item)
{
	static const char *const words[] = { "resource", "instance", "kind", "summary" };
	static const char *const metric[] = { "metric" };
	int err = earlier_check_words(ctx, item, words, COUNT_OF(words));
	const struct weir_tree *evidence = earlier_list(ctx, item, "evidence", &err), *figure;

	if (!err)
		err = earlier_check_numbers(ctx, item, earlier_cost);
	for (uint32_t i = 0; !err && (figure = ctx->host->tree_item(evidence, i, NULL)); i++)
		err = earlier_check_words(ctx, figure, metric, 1);
	return err;
}

int use_earlier_check(struct weir_ctx *ctx)
{
	const struct use_state *st = ctx->state;
	int err = 0;
	const struct weir_tree *resources = earlier_list(ctx, st->earlier, "resources", &err);
	const struct weir_tree *findings = earlier_list(ctx, st->earlier, "findings", &err), *item;

	for (uint32_t i = 0; !err && (item = ctx->host->tree_item(resources, i, NULL)); i++)
		err = earlier_check_resource(ctx, item);
	for (uint32_t i = 0; !err && (item = ctx->host->tree_item(findings, i, NULL)); i++)
		err = earlier_check_finding(ctx, item);
	return err;
}

const struct weir_tree *use_earlier_item(struct weir_ctx *ctx, const char *list, uint32_t i)
{
	const struct use_state *st = ctx->state;

	return ctx->host->tree_item(weir_tree_get(ctx, st->earlier, list), i, NULL);
}

const struct weir_tree *use_earlier_find(struct weir_ctx *ctx, const char *list,
					 const char *resource, const char *instance,
					 const char *kind)
{
	const struct weir_tree *item;

	for (uint32_t i = 0; (item = use_earlier_item(ctx, list, i)); i++)
		if (strcmp(use_earlier_text(ctx, item, "resource"), resource) == 0 &&
		    strcmp(use_earlier_text(ctx, item, "instance"), instance) == 0 &&
		    (!kind || strcmp(use_earlier_text(ctx, item, "kind"), kind) == 0))
			return item;
	return NULL;
}

static bool earlier_read(struct weir_ctx *ctx, const struct weir_tree *item,
			 const char *const *words, struct use_level *level)
{
	double spread, windows;

	earlier_number(ctx, item, words[0], &level->mean);
	earlier_number(ctx, item, words[1], &spread);
	earlier_number(ctx, item, words[2], &windows);
	level->count = windows >= 1 && windows < 1e6 ? (uint32_t)windows : 0;
	level->squares = level->count > 1 ? spread * spread * (level->count - 1) : (double)NAN;
	return !isnan(level->mean) && level->count;
}

bool use_earlier_level(struct weir_ctx *ctx, const struct weir_tree *item, const char *figure,
		       struct use_level *level)
{
	const struct weir_tree *figures = weir_tree_get(ctx, item, "figures"), *one;

	if (!figure)
		return earlier_read(ctx, item, earlier_cost, level);
	for (uint32_t i = 0; (one = ctx->host->tree_item(figures, i, NULL)); i++)
		if (strcmp(use_earlier_text(ctx, one, "metric"), figure) == 0)
			return earlier_read(ctx, one, earlier_figure, level);
	return false;
}
