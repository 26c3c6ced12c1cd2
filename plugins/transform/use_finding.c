/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures and findings as rows: evidence, causes, victims, what to run next. */
#include <math.h>
#include <stdio.h>

#include <weir/quantity.h>

#include "use_row.h"

/* A ratio of two times: a number without a name. */
static bool row_is_bare(const struct weir_unit *unit)
{
	return !unit->size || strcmp(unit->ucum, "1") == 0;
}

const char *row_unit(const struct weir_unit *unit)
{
	return row_is_bare(unit) ? "" : unit->ucum;
}

double row_value(double value, const struct weir_unit *unit)
{
	if (!unit->size || !row_is_bare(unit))
		return value;
	return value * (double)unit->numerator / (double)unit->denominator;
}

struct weir_rows_ref row_figures(struct row_maker *maker, const struct use_case *found)
{
	const struct use_resource *resource = found->resource;
	struct weir_rows_ref rows =
		row_table(maker, resource->figure_count, sizeof(struct figure_row));

	rows.count = 0;
	for (uint32_t i = 0; i < resource->figure_count; i++) {
		const struct use_figure *figure = &resource->figures[i];
		const struct use_level *level = &found->levels[i];
		struct figure_row row = { .windows = level->count };

		if (!figure->told || figure->text || figure->moot)
			continue;
		row.metric = row_text(maker, figure->name);
		row.value = row_value(found->values[i], &figure->unit);
		row.unit = row_text(maker, row_unit(&figure->unit));
		row.mean = row_value(level->mean, &figure->unit);
		row.spread = row_value(use_level_spread(level), &figure->unit);
		row_put(maker, rows, rows.count++, &row, sizeof(row));
	}
	return rows;
}

static struct weir_rows_ref row_evidence(struct row_maker *maker, const struct use_verdict *verdict)
{
	const struct use_finding *finding = verdict->finding;
	const struct use_case *found = verdict->found;
	struct weir_rows_ref rows =
		row_table(maker, finding->evidence_count, sizeof(struct evidence_row));

	for (uint32_t i = 0; i < finding->evidence_count; i++) {
		const uint32_t number = finding->evidence[i];
		const struct use_figure *figure = &found->resource->figures[number];
		const struct evidence_row row = {
			.metric = row_text(maker, figure->name),
			.value = row_value(found->values[number], &figure->unit),
			.spread =
				row_value(use_level_spread(&found->levels[number]), &figure->unit),
			.unit = row_text(maker, row_unit(&figure->unit)),
		};

		row_put(maker, rows, i, &row, sizeof(row));
	}
	return rows;
}

static struct weir_text row_say(struct row_maker *maker, const struct use_words *words,
				const char *text)
{
	char said[USE_TEXT];

	use_say(words, text, said, sizeof(said));
	return row_text(maker, said);
}

static struct weir_rows_ref row_causes(struct row_maker *maker, const struct use_verdict *verdict)
{
	const struct use_group *group = verdict->finding->causes;
	struct weir_rows_ref rows =
		row_table(maker, verdict->causes.count, sizeof(struct cause_row));

	for (uint32_t i = 0; i < verdict->causes.count; i++) {
		const struct use_member *member = verdict->causes.members[i];
		const double value = verdict->causes.values[i], total = verdict->causes.total;
		const struct use_words words = {
			maker->ctx->state, verdict->found, verdict, group, member, value, total
		};
		const struct cause_row row = {
			.pid = member->pid ? member->pid : WEIR_ABSENT_U32,
			.comm = row_text(maker, member->name),
			.share = total > 0 ? value / total : NAN,
			.value = row_value(value, &group->unit),
			.unit = row_text(maker, row_unit(&group->unit)),
			.text = row_say(maker, &words, group->say),
		};

		row_put(maker, rows, i, &row, sizeof(row));
	}
	return rows;
}

static struct weir_rows_ref row_victims(struct row_maker *maker, const struct use_verdict *verdict)
{
	const struct use_group *group = verdict->finding->victims;
	struct weir_rows_ref rows =
		row_table(maker, verdict->victims.count, sizeof(struct victim_row));

	for (uint32_t i = 0; i < verdict->victims.count; i++) {
		const struct use_member *member = verdict->victims.members[i];
		const double value = verdict->victims.values[i];
		const bool time = group->unit.size && strcmp(group->unit.dimension, "time") == 0;
		const struct use_words words = {
			maker->ctx->state, verdict->found, verdict, group, member, value, 0
		};
		const struct victim_row row = {
			.pid = member->pid ? member->pid : WEIR_ABSENT_U32,
			.comm = row_text(maker, member->name),
			.wait_s = time ? value * (double)group->unit.numerator /
						  (double)group->unit.denominator
				       : NAN,
			.text = row_say(maker, &words, group->say),
		};

		row_put(maker, rows, i, &row, sizeof(row));
	}
	return rows;
}

/* Commands whose placeholders can all be filled in. */
static struct weir_names_ref row_next(struct row_maker *maker, const struct use_words *words)
{
	const struct weir_tree *next = words->verdict->finding->next, *item;
	struct use_state *st = maker->ctx->state;
	struct weir_names_ref ids = { 0, 0 };
	struct weir_tree_look look;
	char said[USE_TEXT];
	uint32_t found[16];

	for (uint32_t i = 0; next && ids.count < 16; i++) {
		item = maker->ctx->host->tree_item(next, i, NULL);
		if (!item)
			break;
		maker->ctx->host->tree_look(item, &look);
		if (!look.text || !use_say(words, look.text, said, sizeof(said)))
			continue;
		found[ids.count++] = maker->ctx->host->names_intern(st->names, said, strlen(said));
	}
	if (!maker->err && ids.count) {
		uint32_t *room =
			weir_add_bytes(maker->ctx, maker->batch, 4 * ids.count, &ids.offset);

		if (room)
			memcpy(room, found, 4 * (size_t)ids.count);
		else
			maker->err = -ENOMEM;
	}
	return ids;
}

/* Of the finding as a whole, and of no process. */
static struct use_words row_words(const struct row_maker *maker, const struct use_verdict *verdict)
{
	static const struct use_group nobody;

	return (struct use_words){ .st = maker->ctx->state,
				   .found = verdict->found,
				   .verdict = verdict,
				   .group = &nobody };
}

void row_summary(struct row_maker *maker, const struct use_verdict *verdict, char out[USE_TEXT])
{
	const struct use_words words = row_words(maker, verdict);

	use_say(&words, verdict->finding->summary, out, USE_TEXT);
}

static void row_finding(struct row_maker *maker, const struct use_verdict *verdict,
			struct finding_row *row)
{
	const struct use_case *found = verdict->found;
	const struct use_words words = row_words(maker, verdict);
	const struct use_level *cost =
		&found->levels[found->resource->figure_count +
			       (size_t)(verdict->finding - found->resource->findings)];

	row->resource = row_text(maker, found->resource->name);
	row->instance = row_text(maker, found->instance->name);
	row->kind = row_text(maker, verdict->finding->kind);
	row->cost_s = verdict->cost / 1e9;
	row->cost_rate = cost->mean / 1e9;
	row->cost_spread = use_level_spread(cost) / 1e9;
	row->windows = cost->count;
	row->summary = row_say(maker, &words, verdict->finding->summary);
	row->because = row_text(maker, verdict->finding->because);
	row->evidence = row_evidence(maker, verdict);
	row->causes = row_causes(maker, verdict);
	row->victims = row_victims(maker, verdict);
	row->why_now = row_why_now(maker, verdict);
	row->next = row_next(maker, &words);
}

struct weir_rows_ref row_findings(struct row_maker *maker)
{
	const struct use_judgement *judgement = maker->judgement;
	struct weir_rows_ref rows =
		row_table(maker, judgement->verdict_count, sizeof(struct finding_row));

	rows.count = 0;
	for (uint32_t i = 0; i < judgement->verdict_count; i++) {
		struct finding_row row = { .rank = rows.count + 1 };

		if (judgement->verdicts[i].explained)
			continue;
		row_finding(maker, &judgement->verdicts[i], &row);
		row_put(maker, rows, rows.count++, &row, sizeof(row));
	}
	return rows;
}
