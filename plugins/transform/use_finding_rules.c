/* SPDX-License-Identifier: BSD-2-Clause */
/* The rules of findings. */
#include <stdlib.h>

#include "use_rules.h"

int rules_find_figure(struct weir_ctx *ctx, const struct use_resource *resource,
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

static int rules_evidence(struct weir_ctx *ctx, const struct use_resource *resource,
			  const struct weir_tree *list, struct use_finding *finding)
{
	const struct weir_tree *item;
	uint32_t figure = 0;
	int err = 0;

	finding->evidence = calloc(rules_count(ctx, list) + 1, sizeof(*finding->evidence));
	if (!finding->evidence)
		return weir_fail(ctx, -ENOMEM, "keep the evidence of a finding");
	for (uint32_t i = 0; list && !err && (item = ctx->host->tree_item(list, i, NULL)); i++) {
		err = rules_find_figure(ctx, resource, item, &figure);
		if (err)
			return err;
		finding->evidence[finding->evidence_count++] = figure;
		resource->figures[figure].told = true;
	}
	return err;
}

/* The words that readers of the verdict know. */
static int rules_kind_of(struct weir_ctx *ctx, const struct weir_tree *map, const char *kind)
{
	static const char *const kinds[] = { "saturation", "errors", "limit", "imbalance",
					     "churn" };

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (strcmp(kinds[i], kind) == 0)
			return 0;
	return weir_tree_fail(ctx, weir_tree_get(ctx, map, "kind"), -EINVAL,
			      "kind is one of saturation, errors, limit, imbalance, churn");
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
		err = rules_kind_of(ctx, map, finding->kind);
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

int rules_findings(struct weir_ctx *ctx, struct use_resource *resource, const struct weir_tree *map)
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
