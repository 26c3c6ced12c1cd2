/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings that came, went, or cost more or less than in an earlier verdict. */
#include <math.h>
#include <stdio.h>

#include "use_change.h"

/* A finding that only one of both runs has. */
struct change_seen {
	const char *resource;
	const char *instance;
	const char *kind;
	const struct use_verdict *verdict;
	const struct weir_tree *earlier;
};

/* True of what a finding in either run has for evidence. */
static bool change_is_evidence(struct weir_ctx *ctx, const struct change_seen *seen,
			       const char *figure)
{
	const struct weir_tree *evidence =
		seen->earlier ? weir_tree_get(ctx, seen->earlier, "evidence") : NULL;
	const struct weir_tree *item;

	for (uint32_t i = 0; seen->verdict && i < seen->verdict->finding->evidence_count; i++) {
		const uint32_t number = seen->verdict->finding->evidence[i];

		if (strcmp(seen->verdict->found->resource->figures[number].name, figure) == 0)
			return true;
	}
	for (uint32_t i = 0; evidence && (item = ctx->host->tree_item(evidence, i, NULL)); i++)
		if (strcmp(use_earlier_text(ctx, item, "metric"), figure) == 0)
			return true;
	return false;
}

/* Something behind a finding has changed; or one of both runs knows nothing that it could differ in. */
static bool change_is_sure(struct changes *changes, const struct change_seen *seen)
{
	const char *resource = seen->resource, *instance = seen->instance;
	struct weir_ctx *ctx = changes->maker->ctx;
	const struct weir_tree *earlier =
		use_earlier_find(ctx, "resources", resource, instance, NULL);
	const struct weir_tree *other = use_earlier_find(ctx, "resources", resource, "", NULL);
	const struct use_case *found = change_case(changes, resource, instance);
	struct use_level levels[2];

	if (!found)
		return change_is_checked(changes, resource);
	if (!earlier)
		return !other || strcmp(use_earlier_text(ctx, other, "state"), "not checked") != 0;
	for (uint32_t i = 0; i < found->resource->figure_count; i++)
		if (change_is_evidence(ctx, seen, found->resource->figures[i].name) &&
		    change_figure(changes->maker, found, i, earlier, levels))
			return true;
	return false;
}

static void change_add_finding(struct changes *changes, const char *change,
			       const struct change_seen *seen, const char *summary)
{
	const bool sure = change_is_sure(changes, seen);
	struct change_row row =
		change_row(changes, seen->resource, seen->instance, "finding", seen->kind);
	char text[USE_TEXT + 64];

	snprintf(text, sizeof(text), "%s, but chance may explain it: %s", change, summary);
	change_put(changes, &row, sure ? change : "undecided", sure ? summary : text);
	changes->maker->undecided += !sure;
}

/* What it costs, where both runs know. */
static void change_add_cost(struct changes *changes, const struct use_verdict *verdict,
			    const struct weir_tree *earlier)
{
	const struct use_state *st = changes->maker->ctx->state;
	const struct use_case *found = verdict->found;
	const struct use_resource *resource = found->resource;
	const size_t number =
		resource->figure_count + (size_t)(verdict->finding - resource->findings);
	struct use_level levels[2] = { { .mean = NAN },
				       change_level(&found->levels[number], &weir_ns) };
	char said[160], text[USE_TEXT];
	struct change_row row;
	int change;

	levels[1].mean /= 1e9;
	levels[1].squares /= 1e18;
	if (!use_earlier_level(changes->maker->ctx, earlier, NULL, &levels[0]))
		return;
	change = change_of(&st->difference, &levels[0], &levels[1], 0);
	if (!change)
		return;
	row = change_row(changes, resource->name, found->instance->name, "finding",
			 verdict->finding->kind);
	change_levels(&row, levels);
	change_say_levels(levels, &weir_seconds, true, said, sizeof(said));
	snprintf(text, sizeof(text), "%s%s%s: time lost to %s %s", resource->name,
		 found->instance->name[0] ? " " : "", found->instance->name, verdict->finding->kind,
		 said);
	change_put(changes, &row, change > 0 ? "worse" : "better", text);
}

static void change_add_verdict(struct changes *changes, const struct use_verdict *verdict)
{
	const struct change_seen seen = { verdict->found->resource->name,
					  verdict->found->instance->name, verdict->finding->kind,
					  verdict, NULL };
	const struct weir_tree *earlier = use_earlier_find(changes->maker->ctx, "findings",
							   seen.resource, seen.instance, seen.kind);
	char summary[USE_TEXT];

	if (earlier) {
		change_add_cost(changes, verdict, earlier);
		return;
	}
	row_summary(changes->maker, verdict, summary);
	change_add_finding(changes, "came", &seen, summary);
}

/* True of a finding that there is, be it explained by another one. */
static bool change_is_found(const struct use_judgement *judgement, const struct change_seen *seen)
{
	for (uint32_t i = 0; i < judgement->verdict_count; i++) {
		const struct use_verdict *verdict = &judgement->verdicts[i];

		if (strcmp(verdict->found->resource->name, seen->resource) == 0 &&
		    strcmp(verdict->found->instance->name, seen->instance) == 0 &&
		    strcmp(verdict->finding->kind, seen->kind) == 0)
			return true;
	}
	return false;
}

static void change_add_gone(struct changes *changes, const struct weir_tree *earlier)
{
	struct weir_ctx *ctx = changes->maker->ctx;
	const struct change_seen seen = { use_earlier_text(ctx, earlier, "resource"),
					  use_earlier_text(ctx, earlier, "instance"),
					  use_earlier_text(ctx, earlier, "kind"), NULL, earlier };

	if (!change_is_found(changes->maker->judgement, &seen))
		change_add_finding(changes, "went", &seen,
				   use_earlier_text(ctx, earlier, "summary"));
}

void change_add_findings(struct changes *changes)
{
	const struct use_judgement *judgement = changes->maker->judgement;
	const struct weir_tree *earlier;

	for (uint32_t i = 0; (earlier = use_earlier_item(changes->maker->ctx, "findings", i)); i++)
		change_add_gone(changes, earlier);
	for (uint32_t i = 0; i < judgement->verdict_count; i++)
		if (!judgement->verdicts[i].explained)
			change_add_verdict(changes, &judgement->verdicts[i]);
}
