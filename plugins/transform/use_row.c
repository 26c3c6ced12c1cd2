/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict as one row: its headline, and the resources. */
#include <math.h>
#include <stdio.h>

#include <weir/quantity.h>

#include "use_row.h"

struct weir_text row_text(struct row_maker *maker, const char *text)
{
	struct weir_text made = { 0, 0 };

	if (!maker->err && text)
		maker->err = weir_add_text(maker->ctx, maker->batch, text, strlen(text), &made);
	return made;
}

struct weir_rows_ref row_table(struct row_maker *maker, uint32_t count, uint32_t row_size)
{
	struct weir_rows_ref rows = { 0, count };

	if (!maker->err && count &&
	    !weir_add_bytes(maker->ctx, maker->batch, count * row_size, &rows.offset))
		maker->err = -ENOMEM;
	return rows;
}

void row_put(struct row_maker *maker, struct weir_rows_ref rows, uint32_t i, const void *row,
	     uint32_t row_size)
{
	if (!maker->err)
		memcpy(maker->batch->arena + rows.offset + (size_t)i * row_size, row, row_size);
}

static double row_figure(const struct use_case *found, uint32_t figure, bool base)
{
	const struct weir_unit *unit;

	if (figure == USE_NONE)
		return NAN;
	unit = &found->resource->figures[figure].unit;
	return base && unit->size
		       ? found->values[figure] * (double)unit->numerator / (double)unit->denominator
		       : found->values[figure];
}

const char *row_state(struct weir_ctx *ctx, const struct use_judgement *judgement,
		      const struct use_case *found)
{
	static const struct weir_batch batch;
	struct weir_value busy = { 0 };
	const char *state = NULL;
	bool found_something = false;

	for (uint32_t i = 0; i < judgement->verdict_count; i++) {
		const char *kind = judgement->verdicts[i].finding->kind;

		if (judgement->verdicts[i].found != found)
			continue;
		if (strcmp(kind, "saturation") == 0)
			return "SATURATED";
		if (strcmp(kind, "errors") == 0)
			state = "ERRORS";
		else if (strcmp(kind, "limit") == 0 && !state)
			state = "LIMIT";
		found_something = true;
	}
	if (found->resource->busy)
		ctx->host->expr_eval(found->resource->busy, &batch, found->values, &busy);
	return state ? state : busy.u || found_something ? "busy" : "ok";
}

/* Why a figure that has a role is not there, as the rules say it. */
static const char *row_reason(struct weir_ctx *ctx, const struct use_case *found)
{
	const struct use_resource *resource = found->resource;
	const uint32_t roles[] = { resource->utilization, resource->saturation, resource->errors };
	struct weir_tree_look look = { 0 };

	for (size_t i = 0; i < 3; i++) {
		const struct weir_tree *tree;

		if (roles[i] == USE_NONE || !isnan(found->values[roles[i]]))
			continue;
		tree = weir_tree_get(ctx, resource->unknown, resource->figures[roles[i]].name);
		if (tree)
			ctx->host->tree_look(tree, &look);
		return look.text ? look.text : "";
	}
	return "";
}

static bool row_is_dropped(struct weir_ctx *ctx, const struct use_judgement *judgement,
			   const struct use_case *found)
{
	static const struct weir_batch batch;
	struct weir_value drop = { 0 };

	if (found->resource->drop)
		ctx->host->expr_eval(found->resource->drop, &batch, found->values, &drop);
	for (uint32_t i = 0; drop.u && i < judgement->verdict_count; i++)
		drop.u = judgement->verdicts[i].found != found;
	return drop.u;
}

static struct weir_rows_ref row_resources(struct row_maker *maker)
{
	struct use_judgement *judgement = maker->judgement;
	const struct use_state *st = maker->ctx->state;
	struct weir_rows_ref rows = row_table(maker, judgement->case_count + st->resource_count,
					      sizeof(struct resource_row));
	uint32_t count = 0;

	for (uint32_t i = 0; i < judgement->case_count; i++) {
		struct use_case *found = &judgement->cases[i];
		struct resource_row row = {
			.utilization = row_figure(found, found->resource->utilization, true),
			.saturation = row_figure(found, found->resource->saturation, true),
			.errors = row_figure(found, found->resource->errors, true),
		};

		found->dropped = row_is_dropped(maker->ctx, judgement, found);
		if (found->dropped)
			continue;
		if (!maker->err)
			maker->err = use_slice_levels(maker->ctx, found);
		if (maker->err)
			break;
		row.resource = row_text(maker, found->resource->name);
		row.instance = row_text(maker, found->instance->name);
		row.state = row_text(maker, row_state(maker->ctx, judgement, found));
		row.reason = row_text(maker, row_reason(maker->ctx, found));
		row.figures = row_figures(maker, found);
		row_put(maker, rows, count++, &row, sizeof(row));
	}
	for (uint32_t i = 0; i < st->resource_count; i++)
		count = row_add_unchecked_resource(maker, rows, count, &st->resources[i]);
	rows.count = count;
	return rows;
}

/* "; 2 changes since before.json". */
static void row_say_changes(const struct row_maker *maker, const struct verdict_row *row, char *out,
			    size_t size)
{
	const struct use_conf *conf = maker->ctx->options;
	const struct use_state *st = maker->ctx->state;
	char count[16] = "no", more[32] = "";
	uint32_t sure;

	if (!st->earlier)
		return;
	sure = row->changes.count - maker->undecided;
	if (sure)
		snprintf(count, sizeof(count), "%u", sure);
	if (maker->undecided)
		snprintf(more, sizeof(more), " (%u undecided)", maker->undecided);
	snprintf(out, size, "; %s difference%s from %s%s", count, sure == 1 ? "" : "s",
		 conf->compare, more);
}

static struct weir_text row_headline(struct row_maker *maker, const struct verdict_row *row)
{
	const struct use_state *st = maker->ctx->state;
	char window[32], unchecked[64] = "", changes[USE_NAME] = "", said[USE_TEXT];

	weir_quantity((double)(st->end - st->start), &weir_ns, window, sizeof(window));
	if (row->not_checked.count)
		snprintf(unchecked, sizeof(unchecked), "; %u not checked", row->not_checked.count);
	row_say_changes(maker, row, changes, sizeof(changes));
	if (row->findings.count)
		snprintf(said, sizeof(said), "%u finding%s in %s%s%s", row->findings.count,
			 row->findings.count == 1 ? "" : "s", window, unchecked, changes);
	else
		snprintf(said, sizeof(said), "nothing holds this machine back in %s%s%s", window,
			 unchecked, changes);
	return row_text(maker, said);
}

int use_send(struct weir_ctx *ctx, struct use_judgement *judgement)
{
	const struct use_conf *conf = ctx->options;
	struct use_state *st = ctx->state;
	struct row_maker maker = { .ctx = ctx, .judgement = judgement };
	struct verdict_row row = { .summary = { 0, 0 } };

	maker.batch = weir_loan(ctx, 0, 1, 4096);
	if (!maker.batch) {
		weir_lost(ctx, "no room behind the verdict", 1, NULL);
		return 0;
	}
	maker.batch->start = st->start;
	maker.batch->end = st->end;
	maker.batch->names = st->names;
	row.resources = row_resources(&maker);
	if (!maker.err)
		row.findings = row_findings(&maker);
	if (!maker.err && st->earlier)
		row.changes = row_changes(&maker);
	row.compared_with = row_text(&maker, conf->compare);
	row.not_checked = row_not_checked(&maker);
	row.lost = row_lost(&maker);
	row.summary = row_headline(&maker, &row);
	if (maker.err) {
		weir_discard(ctx, maker.batch);
		return maker.err;
	}
	memcpy(maker.batch->rows, &row, sizeof(row));
	maker.batch->row_count = 1;
	return weir_commit(ctx, maker.batch);
}
