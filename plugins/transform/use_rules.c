/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules: from the file's tree to figures, conditions and findings, compiled against inputs. */
#include "use.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT_OF(array_) (sizeof(array_) / sizeof((array_)[0]))

static uint32_t rules_count(struct weir_ctx *ctx, const struct weir_tree *tree)
{
	struct weir_tree_look look = { 0 };

	if (tree)
		ctx->host->tree_look(tree, &look);
	return look.count;
}

static uint32_t rules_kind(struct weir_ctx *ctx, const struct weir_tree *tree)
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
static bool rules_is_moot(struct weir_ctx *ctx, const struct use_resource *resource,
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
static int rules_expr(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
		      const struct weir_schema *schema, struct weir_expr **expr)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);

	if (!tree)
		return 0;
	*expr = ctx->host->tree_expr(ctx, tree, schema);
	return *expr ? 0 : -EINVAL;
}

static int rules_condition(struct weir_ctx *ctx, const struct weir_tree *map, const char *key,
			   const struct weir_schema *schema, struct weir_expr **expr)
{
	int err = rules_expr(ctx, map, key, schema, expr);

	if (!err && *expr && ctx->host->expr_type(*expr) != WEIR_TYPE_BOOL)
		err = weir_tree_fail(ctx, weir_tree_get(ctx, map, key), -EINVAL,
				     "%s takes a condition", key);
	return err;
}

static bool rules_is_name(struct weir_ctx *ctx, const struct weir_expr *expr)
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
	ask->name = name ? name : own->name;
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

static int rules_join(struct weir_ctx *ctx, const struct weir_tree *map, enum use_join *join)
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

static bool rules_is(const struct weir_unit *unit, const char *dimension)
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

/* What a figure may be made of, by what it takes. */
static int rules_check_of(struct weir_ctx *ctx, const struct weir_tree *map,
			  struct use_figure *figure)
{
	const uint32_t type = ctx->host->expr_type(figure->ask.of);
	const bool number =
		type == WEIR_TYPE_UINT || type == WEIR_TYPE_INT || type == WEIR_TYPE_DOUBLE;

	figure->text = figure->take == USE_LAST && type == WEIR_TYPE_TEXT;
	if (figure->text || number || type == WEIR_TYPE_BOOL) {
		figure->unit = use_unit_of(ctx->host->expr_unit(figure->ask.of), figure->take);
		return 0;
	}
	return weir_tree_fail(ctx, weir_tree_get(ctx, map, "of"), -EINVAL,
			      "a number is expected here; a text only with take: last");
}

static int rules_measured(struct weir_ctx *ctx, const struct use_resource *resource,
			  const struct weir_tree *map, struct use_figure *figure)
{
	const bool peaks = figure->take == USE_PEAKS;
	int err = use_bind_ask(ctx, map, &resource->ask, peaks ? "" : "of", &figure->ask);
	const char *of = use_bind_text(ctx, map, "of", true, &err);
	const struct weir_field *field;

	if (err || figure->ask.input == USE_NONE)
		return err;
	if (!peaks)
		return rules_check_of(ctx, map, figure);
	field = weir_find(weir_input(ctx, figure->ask.input)->schema, of);
	if (!field || field->type != WEIR_TYPE_HISTOGRAM)
		return weir_tree_fail(ctx, weir_tree_get(ctx, map, "of"), -EINVAL,
				      "modes are those of a column that is a histogram");
	figure->peaks = field;
	figure->unit = use_unit_of(NULL, USE_PEAKS);
	return 0;
}

/* The figure as a column, for expressions of those that follow it. */
static void rules_add_column(struct use_resource *resource, struct use_figure *figure)
{
	struct weir_field *field = &resource->fields[resource->schema.fields.count++];
	const uint32_t number = (uint32_t)(figure - resource->figures);

	*field = (struct weir_field){ .name = figure->name,
				      .doc = "",
				      .unit = figure->unit.size ? &figure->unit : NULL,
				      .type = WEIR_TYPE_DOUBLE,
				      .role = WEIR_GAUGE,
				      .offset = number * (uint32_t)sizeof(double),
				      .bytes = sizeof(double),
				      .flags = WEIR_OPTIONAL };
}

static int rules_figure(struct weir_ctx *ctx, struct use_resource *resource, const char *name,
			const struct weir_tree *map)
{
	static const char *const known[] = { "input", "where", "match", "of",
					     "take",  "rows",  "value" };
	struct use_figure *figure = &resource->figures[resource->figure_count++];
	int err = use_bind_keys(ctx, map, known, COUNT_OF(known));

	figure->name = name;
	figure->ask.input = USE_NONE;
	if (!err && rules_is_moot(ctx, resource, map, "value")) {
		figure->moot = true;
		return 0;
	}
	if (!err)
		err = rules_expr(ctx, map, "value", &resource->schema, &figure->value);
	if (!err && figure->value) {
		figure->unit = use_unit_of(ctx->host->expr_unit(figure->value), USE_LAST);
	} else if (!err) {
		err = use_bind_take(ctx, map, &figure->take);
		if (!err)
			err = rules_join(ctx, map, &figure->join);
		if (!err)
			err = rules_measured(ctx, resource, map, figure);
		figure->moot = !err && figure->ask.input == USE_NONE;
	}
	if (!err && !figure->text && !figure->moot)
		rules_add_column(resource, figure);
	return err;
}

static int rules_figures(struct weir_ctx *ctx, struct use_resource *resource,
			 const struct weir_tree *map)
{
	const struct weir_tree *figures = weir_tree_get(ctx, map, "figures"), *item;
	const uint32_t count = rules_count(ctx, figures);
	const char *name;
	int err = 0;

	if (!figures || rules_kind(ctx, figures) != WEIR_TREE_MAP)
		return weir_tree_fail(ctx, map, -EINVAL, "figures is missing, or no map");
	resource->figures = calloc(count + 1, sizeof(*resource->figures));
	resource->fields = calloc(count + 1, sizeof(*resource->fields));
	if (!resource->figures || !resource->fields)
		return weir_fail(ctx, -ENOMEM, "keep %u figures", count);
	resource->schema =
		(struct weir_schema){ sizeof(resource->schema),
				      (count + 1) * (uint32_t)sizeof(double),
				      resource->name,
				      { resource->fields, 0, sizeof(struct weir_field) } };
	for (uint32_t i = 0; !err && (item = ctx->host->tree_item(figures, i, &name)); i++)
		err = rules_figure(ctx, resource, name, item);
	return err;
}

static int rules_find_figure(struct weir_ctx *ctx, const struct use_resource *resource,
			     const struct weir_tree *tree, uint32_t *found)
{
	struct weir_tree_look look;

	ctx->host->tree_look(tree, &look);
	for (uint32_t i = 0; look.text && i < resource->figure_count; i++)
		if (strcmp(resource->figures[i].name, look.text) == 0) {
			*found = i;
			return 0;
		}
	return weir_tree_fail(ctx, tree, -EINVAL, "the name of a figure is expected here");
}

/* utilization, saturation, errors: each the name of a figure. */
static int rules_role(struct weir_ctx *ctx, struct use_resource *resource,
		      const struct weir_tree *map, const char *key, uint32_t *found)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);

	*found = USE_NONE;
	return tree ? rules_find_figure(ctx, resource, tree, found) : 0;
}

static int rules_evidence(struct weir_ctx *ctx, const struct use_resource *resource,
			  const struct weir_tree *list, struct use_finding *finding)
{
	const struct weir_tree *item;
	int err = 0;

	finding->evidence = calloc(rules_count(ctx, list) + 1, sizeof(*finding->evidence));
	if (!finding->evidence)
		return weir_fail(ctx, -ENOMEM, "keep the evidence of a finding");
	for (uint32_t i = 0; list && !err && (item = ctx->host->tree_item(list, i, NULL)); i++)
		err = rules_find_figure(ctx, resource, item,
					&finding->evidence[finding->evidence_count++]);
	return err;
}

static int rules_texts(struct weir_ctx *ctx, const struct use_resource *resource,
		       const struct weir_tree *map, struct use_finding *finding)
{
	const struct weir_tree *item;
	struct weir_tree_look look;
	int err = 0;

	finding->kind = use_bind_text(ctx, map, "kind", true, &err);
	finding->summary = use_bind_text(ctx, map, "summary", true, &err);
	finding->because = use_bind_text(ctx, map, "because", true, &err);
	finding->unless = weir_tree_get(ctx, map, "unless");
	finding->next = weir_tree_get(ctx, map, "next");
	if (!err)
		err = use_check_text(ctx, resource, weir_tree_get(ctx, map, "summary"),
				     finding->summary);
	for (uint32_t i = 0;
	     finding->next && !err && (item = ctx->host->tree_item(finding->next, i, NULL)); i++) {
		ctx->host->tree_look(item, &look);
		err = use_check_text(ctx, resource, item, look.text ? look.text : "");
	}
	return err;
}

static int rules_finding(struct weir_ctx *ctx, struct use_resource *resource,
			 const struct weir_tree *map)
{
	static const char *const known[] = { "kind",   "when",     "cost",   "summary", "because",
					     "unless", "evidence", "causes", "victims", "next" };
	struct use_finding *finding = &resource->findings[resource->finding_count++];
	int err = use_bind_keys(ctx, map, known, COUNT_OF(known));

	if (!err)
		err = rules_texts(ctx, resource, map, finding);
	if (!err && !weir_tree_get(ctx, map, "when"))
		err = weir_tree_fail(ctx, map, -EINVAL, "\"when\" is missing");
	if (!err && !rules_is_moot(ctx, resource, map, "when"))
		err = rules_condition(ctx, map, "when", &resource->schema, &finding->when);
	if (!err && !rules_is_moot(ctx, resource, map, "cost"))
		err = rules_expr(ctx, map, "cost", &resource->schema, &finding->cost);
	if (!err && finding->cost && !rules_is(ctx->host->expr_unit(finding->cost), "time"))
		err = weir_tree_fail(ctx, weir_tree_get(ctx, map, "cost"), -EINVAL,
				     "cost is the time that was lost");
	if (!err)
		err = rules_evidence(ctx, resource, weir_tree_get(ctx, map, "evidence"), finding);
	if (!err)
		err = use_bind_group(ctx, resource, weir_tree_get(ctx, map, "causes"),
				     &finding->causes);
	return err ? err
		   : use_bind_group(ctx, resource, weir_tree_get(ctx, map, "victims"),
				    &finding->victims);
}

static int rules_findings(struct weir_ctx *ctx, struct use_resource *resource,
			  const struct weir_tree *map)
{
	const struct weir_tree *list = weir_tree_get(ctx, map, "findings"), *item;
	const uint32_t count = rules_count(ctx, list);
	int err = 0;

	resource->findings = calloc(count + 1, sizeof(*resource->findings));
	if (!resource->findings)
		return weir_fail(ctx, -ENOMEM, "keep %u findings", count);
	for (uint32_t i = 0; list && !err && (item = ctx->host->tree_item(list, i, NULL)); i++)
		err = rules_finding(ctx, resource, item);
	return err;
}

static int rules_resource(struct weir_ctx *ctx, struct use_resource *resource,
			  const struct weir_tree *map)
{
	static const char *const known[] = { "resource", "input",       "where",      "instance",
					     "figures",  "utilization", "saturation", "errors",
					     "busy",     "drop",        "unknown",    "findings" };
	int err = use_bind_keys(ctx, map, known, COUNT_OF(known));

	resource->name = err ? NULL : use_bind_text(ctx, map, "resource", true, &err);
	resource->unknown = weir_tree_get(ctx, map, "unknown");
	if (!err)
		err = use_bind_ask(ctx, map, NULL, "instance", &resource->ask);
	if (!err && resource->ask.of && !rules_is_name(ctx, resource->ask.of))
		err = weir_tree_fail(ctx, weir_tree_get(ctx, map, "instance"), -EINVAL,
				     "instance takes a name: a text, or a whole number");
	if (!err)
		err = rules_figures(ctx, resource, map);
	if (!err)
		err = rules_role(ctx, resource, map, "utilization", &resource->utilization);
	if (!err)
		err = rules_role(ctx, resource, map, "saturation", &resource->saturation);
	if (!err)
		err = rules_role(ctx, resource, map, "errors", &resource->errors);
	if (!err && !rules_is_moot(ctx, resource, map, "busy"))
		err = rules_condition(ctx, map, "busy", &resource->schema, &resource->busy);
	if (!err && !rules_is_moot(ctx, resource, map, "drop"))
		err = rules_condition(ctx, map, "drop", &resource->schema, &resource->drop);
	if (!err)
		err = rules_findings(ctx, resource, map);
	if (!err && !use_instance(resource, "", 0))
		err = weir_fail(ctx, -ENOMEM, "keep the figures of %s", resource->name);
	return err;
}

static int rules_version(struct weir_ctx *ctx, const struct weir_tree *rules)
{
	static const char *const known[] = { "weir-rules", "resources" };
	int err = use_bind_keys(ctx, rules, known, COUNT_OF(known));
	const char *version = err ? NULL : use_bind_text(ctx, rules, "weir-rules", true, &err);

	if (!err && strcmp(version, "1") != 0)
		err = weir_tree_fail(ctx, weir_tree_get(ctx, rules, "weir-rules"), -EINVAL,
				     "this weir reads rules of version 1");
	return err;
}

int use_rules_bind(struct weir_ctx *ctx)
{
	struct use_state *st = ctx->state;
	const struct weir_tree *list = weir_tree_get(ctx, st->rules, "resources"), *item;
	const uint32_t count = rules_count(ctx, list);
	int err = rules_version(ctx, st->rules);

	if (!err && count == 0)
		err = weir_tree_fail(ctx, st->rules, -EINVAL, "resources is missing, or empty");
	if (err)
		return err;
	st->resources = calloc(count, sizeof(*st->resources));
	if (!st->resources)
		return weir_fail(ctx, -ENOMEM, "keep %u resources", count);
	for (uint32_t i = 0; !err && (item = ctx->host->tree_item(list, i, NULL)); i++)
		err = rules_resource(ctx, &st->resources[st->resource_count++], item);
	return err;
}

static void rules_free_ask(struct weir_ctx *ctx, struct use_ask *ask)
{
	ctx->host->expr_free(ask->where);
	ctx->host->expr_free(ask->match);
	ctx->host->expr_free(ask->of);
}

static void rules_free_resource(struct weir_ctx *ctx, struct use_resource *resource)
{
	rules_free_ask(ctx, &resource->ask);
	ctx->host->expr_free(resource->busy);
	ctx->host->expr_free(resource->drop);
	for (uint32_t i = 0; i < resource->instance_count; i++)
		use_instance_free(resource, &resource->instances[i]);
	for (uint32_t i = 0; i < resource->figure_count; i++) {
		rules_free_ask(ctx, &resource->figures[i].ask);
		ctx->host->expr_free(resource->figures[i].value);
	}
	for (uint32_t i = 0; i < resource->finding_count; i++) {
		ctx->host->expr_free(resource->findings[i].when);
		ctx->host->expr_free(resource->findings[i].cost);
		use_group_free(ctx, resource->findings[i].causes);
		use_group_free(ctx, resource->findings[i].victims);
		free(resource->findings[i].evidence);
	}
	free(resource->instances);
	free(resource->figures);
	free(resource->fields);
	free(resource->findings);
}

void use_rules_free(struct weir_ctx *ctx)
{
	struct use_state *st = ctx->state;

	for (uint32_t i = 0; i < st->resource_count; i++)
		rules_free_resource(ctx, &st->resources[i]);
	free(st->resources);
}

void use_group_free(struct weir_ctx *ctx, struct use_group *group)
{
	if (!group)
		return;
	rules_free_ask(ctx, &group->ask);
	ctx->host->expr_free(group->pid);
	ctx->host->expr_free(group->who);
	ctx->host->expr_free(group->since);
	free(group);
}
