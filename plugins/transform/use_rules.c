/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules: from the file's tree to resources and figures, compiled against inputs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "use_rules.h"

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
	figure->notable = NAN;
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

/* utilization, saturation, errors: each the name of a figure. */
static int rules_role(struct weir_ctx *ctx, struct use_resource *resource,
		      const struct weir_tree *map, const char *key, uint32_t *found)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);

	*found = USE_NONE;
	return tree ? rules_find_figure(ctx, resource, tree, found) : 0;
}

static int rules_roles(struct weir_ctx *ctx, struct use_resource *resource,
		       const struct weir_tree *map)
{
	int err = rules_role(ctx, resource, map, "utilization", &resource->utilization);

	if (!err)
		err = rules_role(ctx, resource, map, "saturation", &resource->saturation);
	return err ? err : rules_role(ctx, resource, map, "errors", &resource->errors);
}

static int rules_resource(struct weir_ctx *ctx, struct use_resource *resource,
			  const struct weir_tree *map)
{
	static const char *const known[] = { "resource", "input",       "where",      "instance",
					     "figures",  "utilization", "saturation", "errors",
					     "busy",     "drop",        "unknown",    "findings",
					     "notable" };
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
		err = rules_roles(ctx, resource, map);
	if (!err && !rules_is_moot(ctx, resource, map, "busy"))
		err = rules_condition(ctx, map, "busy", &resource->schema, &resource->busy);
	if (!err && !rules_is_moot(ctx, resource, map, "drop"))
		err = rules_condition(ctx, map, "drop", &resource->schema, &resource->drop);
	if (!err)
		err = rules_notable(ctx, resource, map);
	if (!err)
		err = rules_findings(ctx, resource, map);
	if (!err && !use_instance(resource, "", 0))
		err = weir_fail(ctx, -ENOMEM, "keep the figures of %s", resource->name);
	return err;
}

static int rules_version(struct weir_ctx *ctx, const struct weir_tree *rules)
{
	static const char *const known[] = { "weir-rules", "resources", "compare", "why_now" };
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

	if (!err)
		err = rules_compare(ctx, st->rules);
	if (!err)
		err = use_why_bind(ctx, st->rules);
	if (!err && count == 0)
		err = weir_tree_fail(ctx, st->rules, -EINVAL, "resources is missing, or empty");
	if (err)
		return err;
	st->resources = calloc(count + 1, sizeof(*st->resources));
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
	free(resource->slots);
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
	rules_free_ask(ctx, &st->why.ask);
	ctx->host->expr_free(st->why.since);
	free(st->why.starters);
}

void use_group_free(struct weir_ctx *ctx, struct use_group *group)
{
	if (!group)
		return;
	rules_free_ask(ctx, &group->ask);
	ctx->host->expr_free(group->pid);
	ctx->host->expr_free(group->who);
	ctx->host->expr_free(group->since);
	ctx->host->expr_free(group->within);
	free(group);
}
