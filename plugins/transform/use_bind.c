/* SPDX-License-Identifier: BSD-2-Clause */
/* The pieces of rules: keys, texts, expressions, and which input is asked. */
#include <stdio.h>
#include <stdlib.h>

#include "use_rules.h"

uint32_t rules_count(struct weir_ctx *ctx, const struct weir_tree *tree)
{
	struct weir_tree_look look = { 0 };

	if (tree)
		ctx->host->tree_look(tree, &look);
	return look.count;
}

uint32_t rules_kind(struct weir_ctx *ctx, const struct weir_tree *tree)
{
	struct weir_tree_look look;

	ctx->host->tree_look(tree, &look);
	return look.kind;
}

int use_bind_keys(struct weir_ctx *ctx, const struct weir_tree *map, const char *const *known,
		  size_t count)
{
	const struct weir_tree *item;
	const char *key;

	if (rules_kind(ctx, map) != WEIR_TREE_MAP)
		return weir_tree_fail(ctx, map, -EINVAL, "a map is expected here");
	for (uint32_t i = 0; (item = ctx->host->tree_item(map, i, &key)); i++) {
		size_t k = 0;

		while (k < count && strcmp(known[k], key) != 0)
			k++;
		if (k == count)
			return weir_tree_fail(ctx, item, -EINVAL, "\"%s\" means nothing here", key);
	}
	return 0;
}

const char *use_bind_text(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
			  bool needed, int *err)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);
	struct weir_tree_look look;

	if (!tree) {
		if (needed && !*err)
			*err = weir_tree_fail(ctx, map, -EINVAL, "\"%s\" is missing", key);
		return NULL;
	}
	ctx->host->tree_look(tree, &look);
	if (look.kind != WEIR_TREE_SCALAR && !*err)
		*err = weir_tree_fail(ctx, tree, -EINVAL, "%s takes one text", key);
	return look.text;
}

/* "node" is the only output that is read of a node; "node.output" one of several. */
static uint32_t rules_find_input(struct weir_ctx *ctx, const char *name)
{
	const size_t length = strcspn(name, ".");
	const struct weir_input *input;

	for (uint32_t i = 0; (input = weir_input(ctx, i)); i++)
		if (strlen(input->node) == length && strncmp(input->node, name, length) == 0 &&
		    (!name[length] || strcmp(input->output, name + length + 1) == 0))
			return i;
	return USE_NONE;
}

/* True when the text has the name as a word. */
static bool rules_has_word(const char *text, const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const size_t length = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += length)
		if ((at == text || !strchr(letters, at[-1])) &&
		    (!at[length] || !strchr(letters, at[length])))
			return true;
	return false;
}

/* True when a key's text speaks of a figure that this pipeline has no input for. */
bool rules_is_moot(struct weir_ctx *ctx, const struct use_resource *resource,
		   const struct weir_tree *map, const char *key)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);
	struct weir_tree_look look = { 0 };

	if (tree)
		ctx->host->tree_look(tree, &look);
	for (uint32_t i = 0; look.text && i < resource->figure_count; i++)
		if (resource->figures[i].moot &&
		    rules_has_word(look.text, resource->figures[i].name))
			return true;
	return false;
}

/* Compiles the text of a key, if it is there. */
int rules_expr(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
	       const struct weir_schema *schema, struct weir_expr **expr)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);

	if (!tree)
		return 0;
	*expr = ctx->host->tree_expr(ctx, tree, schema);
	return *expr ? 0 : -EINVAL;
}

int rules_condition(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
		    const struct weir_schema *schema, struct weir_expr **expr)
{
	int err = rules_expr(ctx, map, key, schema, expr);

	if (!err && *expr && ctx->host->expr_type(*expr) != WEIR_TYPE_BOOL)
		err = weir_tree_fail(ctx, weir_tree_get(ctx, map, key), -EINVAL,
				     "%s takes a condition", key);
	return err;
}

bool rules_is_name(struct weir_ctx *ctx, const struct weir_expr *expr)
{
	const uint32_t type = ctx->host->expr_type(expr);

	return type == WEIR_TYPE_TEXT || type == WEIR_TYPE_UINT;
}

/* A name: a text, or a number such as a namespace's. */
static int rules_name_expr(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
			   const struct weir_schema *schema, struct weir_expr **expr)
{
	int err = rules_expr(ctx, map, key, schema, expr);

	if (!err && *expr && !rules_is_name(ctx, *expr))
		err = weir_tree_fail(ctx, weir_tree_get(ctx, map, key), -EINVAL,
				     "%s takes a name: a text, or a whole number", key);
	return err;
}

int use_bind_ask(struct weir_ctx *ctx, const struct weir_tree *map, const struct use_ask *own,
		 const char *of_key, struct use_ask *ask)
{
	int err = 0;
	const char *name = use_bind_text(ctx, map, "input", !own, &err);
	const struct weir_schema *schema;

	if (err)
		return err;
	ask->name = name ? name : own ? own->name : "";
	ask->input = rules_find_input(ctx, ask->name);
	if (ask->input == USE_NONE)
		return 0;
	schema = weir_input(ctx, ask->input)->schema;
	err = rules_condition(ctx, map, "where", schema, &ask->where);
	if (!err)
		err = rules_name_expr(ctx, map, "match", schema, &ask->match);
	return err ? err : rules_expr(ctx, map, of_key, schema, &ask->of);
}

int use_bind_take(struct weir_ctx *ctx, const struct weir_tree *map, enum use_take *take)
{
	static const struct {
		const char *name;
		enum use_take take;
	} takes[] = {
		{ "mean", USE_MEAN },   { "sum", USE_SUM },     { "rate", USE_RATE },
		{ "share", USE_SHARE }, { "max", USE_MOST },    { "min", USE_LEAST },
		{ "last", USE_LAST },   { "modes", USE_PEAKS },
	};
	int err = 0;
	const char *text = use_bind_text(ctx, map, "take", false, &err);

	if (err || !text)
		return err;
	for (size_t i = 0; i < COUNT_OF(takes); i++)
		if (strcmp(takes[i].name, text) == 0) {
			*take = takes[i].take;
			return 0;
		}
	return weir_tree_fail(ctx, weir_tree_get(ctx, map, "take"), -EINVAL,
			      "take is one of mean, sum, rate, share, max, min, last, modes");
}

int rules_join(struct weir_ctx *ctx, const struct weir_tree *map, enum use_join *join)
{
	int err = 0;
	const char *text = use_bind_text(ctx, map, "rows", false, &err);

	if (err || !text)
		return err;
	if (strcmp(text, "max") == 0)
		*join = USE_HIGHEST;
	else if (strcmp(text, "min") == 0)
		*join = USE_LOWEST;
	else if (strcmp(text, "sum") != 0)
		err = weir_tree_fail(ctx, weir_tree_get(ctx, map, "rows"), -EINVAL,
				     "rows is one of sum, max, min");
	return err;
}

bool rules_is(const struct weir_unit *unit, const char *dimension)
{
	return unit && strcmp(unit->dimension, dimension) == 0;
}

struct weir_unit use_unit_of(const struct weir_unit *unit, enum use_take take)
{
	struct weir_unit made = { 0 };

	if (take == USE_SHARE)
		return weir_ratio;
	if (take == USE_PEAKS)
		return weir_count;
	if (take != USE_RATE)
		return unit ? *unit : made;
	made = weir_hertz;
	made.ucum = "/s";
	made.symbol = "/s";
	if (rules_is(unit, "data"))
		made = (struct weir_unit){ sizeof(made),     0,     "data rate",
					   "By/s",           "B/s", unit->numerator,
					   unit->denominator };
	else if (rules_is(unit, "time"))
		made = (struct weir_unit){ sizeof(made),     0, "ratio", "1", "", unit->numerator,
					   unit->denominator };
	return made;
}
