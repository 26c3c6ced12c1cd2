/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sets of metrics by name: a provider's, a file beside the pipeline (metrics/NAME.yaml), or any file by
 * its path. docs/metrics.md says what is in them.
 */
#ifndef WEIR_METRIC_SET_H
#define WEIR_METRIC_SET_H

#include "pmu_events.h"

struct weir_metric_set_search {
	const char *name;
	char *text;
};

static inline int weir_metric_set_see(const struct weir_pmu_metrics *metrics, void *with)
{
	struct weir_metric_set_search *search = (struct weir_metric_set_search *)with;

	if (strcmp(metrics->name, search->name) != 0)
		return 0;
	search->text = strdup(metrics->text);
	return search->text ? 1 : -ENOMEM;
}

/* create(): the set's map, or NULL after having failed. */
static inline const struct weir_tree *
weir_metric_set_read(struct weir_ctx *ctx, const struct weir_pmus *pmus, const char *name)
{
	struct weir_metric_set_search search = { name, NULL };
	const struct weir_tree *tree;
	char path[256];
	int found = 0;

	if (strchr(name, '/'))
		return ctx->host->tree_read(ctx, name, WEIR_TREE_BESIDE);
	for (uint32_t i = 0; i < pmus->count && !found; i++) {
		const struct weir_pmu_v1 *calls = pmus->items[i].calls;

		if (WEIR_HAS(calls, metrics) && calls->metrics)
			found = calls->metrics(pmus->items[i].ctx, weir_metric_set_see, &search);
	}
	if (!search.text) {
		snprintf(path, sizeof(path), "metrics/%s.yaml", name);
		return ctx->host->tree_read(ctx, path, WEIR_TREE_BESIDE);
	}
	tree = ctx->host->tree_text(ctx, name, search.text);
	free(search.text);
	return tree;
}

/* The name of event i of a set, and by which word its formulas know it; NULL past the last. */
static inline const char *weir_metric_set_event(struct weir_ctx *ctx, const struct weir_tree *set,
						uint32_t i, const char **word)
{
	const struct weir_tree *events = weir_tree_get(ctx, set, "events");
	const struct weir_tree *item = events ? ctx->host->tree_item(events, i, word) : NULL;
	struct weir_tree_look look;

	if (!item)
		return NULL;
	memset(&look, 0, sizeof(look));
	ctx->host->tree_look(item, &look);
	if (look.kind == WEIR_TREE_MAP) {
		item = weir_tree_get(ctx, item, "event");
		if (item)
			ctx->host->tree_look(item, &look);
	}
	return look.text ? look.text : "";
}

#endif
