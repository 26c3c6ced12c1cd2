/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What has changed since an earlier verdict. A figure has changed when both runs lie further apart than
 * their own windows make likely, than a share of the larger one, and than what the rules call notable.
 * A finding came or went when a figure behind it has changed; otherwise it is undecided.
 */
#include <math.h>
#include <stdio.h>

#include <weir/quantity.h>

#include "use_change.h"

struct use_level change_level(const struct use_level *level, const struct weir_unit *unit)
{
	const double one = row_value(1, unit);

	return (struct use_level){ level->mean * one, level->squares * one * one, level->count };
}

int change_of(const struct use_difference *rule, const struct use_level *before,
	      const struct use_level *after, double notable)
{
	const double difference = after->mean - before->mean, size = fabs(difference);
	const double larger = fmax(fabs(before->mean), fabs(after->mean));
	double chance;

	if (isnan(difference) || before->count < rule->windows || after->count < rule->windows ||
	    before->count < 2 || after->count < 2)
		return 0;
	chance = sqrt(before->squares / (before->count - 1) / before->count +
		      after->squares / (after->count - 1) / after->count);
	if (size <= rule->chance * chance || size <= rule->share * larger || size <= notable)
		return 0;
	return difference < 0 ? -1 : 1;
}

int change_figure(struct row_maker *maker, const struct use_case *found, uint32_t number,
		  const struct weir_tree *earlier, struct use_level levels[2])
{
	const struct use_state *st = maker->ctx->state;
	const struct use_figure *figure = &found->resource->figures[number];
	const double notable =
		isnan(figure->notable) ? 0 : row_value(figure->notable, &figure->unit);

	levels[1] = change_level(&found->levels[number], &figure->unit);
	if (!use_earlier_level(maker->ctx, earlier, figure->name, &levels[0]))
		return 0;
	return change_of(&st->difference, &levels[0], &levels[1], notable);
}

void change_put(struct changes *changes, struct change_row *row, const char *change,
		const char *text)
{
	char said[USE_TEXT + 32];

	snprintf(said, sizeof(said), "%s: %s", change, text);
	row->change = row_text(changes->maker, change);
	row->text = row_text(changes->maker, said);
	row_put(changes->maker, changes->rows, changes->rows.count++, row, sizeof(*row));
}

struct change_row change_row(struct changes *changes, const char *resource, const char *instance,
			     const char *about, const char *what)
{
	return (struct change_row){ .resource = row_text(changes->maker, resource),
				    .instance = row_text(changes->maker, instance),
				    .about = row_text(changes->maker, about),
				    .what = row_text(changes->maker, what),
				    .before = NAN,
				    .before_spread = NAN,
				    .after = NAN,
				    .after_spread = NAN };
}

void change_levels(struct change_row *row, const struct use_level levels[2])
{
	row->before = levels[0].mean;
	row->before_spread = use_level_spread(&levels[0]);
	row->after = levels[1].mean;
	row->after_spread = use_level_spread(&levels[1]);
}

/* "12 % (spread 1 %), now 99 % (spread 0.3 %)". */
void change_say_levels(const struct use_level levels[2], const struct weir_unit *unit,
		       bool per_second, char *out, size_t size)
{
	const char *suffix = per_second ? "/s" : "";
	char said[2][2][32];

	for (size_t i = 0; i < 2; i++) {
		weir_quantity(levels[i].mean, unit, said[i][0], sizeof(said[i][0]));
		weir_quantity(use_level_spread(&levels[i]), unit, said[i][1], sizeof(said[i][1]));
	}
	snprintf(out, size, "was %s%s (spread %s), is %s%s (spread %s)", said[0][0], suffix,
		 said[0][1], said[1][0], suffix, said[1][1]);
}

/* A figure that the rules call notable, which is worse when it is higher. */
static void change_add_figure(struct changes *changes, const struct use_case *found,
			      uint32_t number, const struct weir_tree *earlier)
{
	const struct use_resource *resource = found->resource;
	const struct use_figure *figure = &resource->figures[number];
	/* A ratio, of whatever, is in ones. */
	const struct weir_unit *unit =
		figure->unit.size && strcmp(figure->unit.dimension, "ratio") == 0 ? &weir_ratio
										  : &figure->unit;
	struct use_level levels[2];
	const int change = change_figure(changes->maker, found, number, earlier, levels);
	char said[160], text[USE_TEXT];
	struct change_row row;

	if (!change)
		return;
	row = change_row(changes, resource->name, found->instance->name, "figure", figure->name);
	change_levels(&row, levels);
	row.unit = row_text(changes->maker, row_unit(&figure->unit));
	change_say_levels(levels, unit, figure->take == USE_SUM && !figure->value, said,
			  sizeof(said));
	snprintf(text, sizeof(text), "%s%s%s: %s %s", resource->name,
		 found->instance->name[0] ? " " : "", found->instance->name, figure->name, said);
	change_put(changes, &row, change > 0 ? "worse" : "better", text);
}

static void change_add_figures(struct changes *changes, const struct use_case *found,
			       const struct weir_tree *earlier)
{
	for (uint32_t i = 0; i < found->resource->figure_count; i++)
		if (!isnan(found->resource->figures[i].notable))
			change_add_figure(changes, found, i, earlier);
}

struct use_case *change_case(struct changes *changes, const char *resource, const char *instance)
{
	struct row_maker *maker = changes->maker;
	struct use_case *found = NULL;

	for (uint32_t i = 0; i < maker->judgement->case_count && !found; i++) {
		struct use_case *at = &maker->judgement->cases[i];

		if (strcmp(at->resource->name, resource) == 0 &&
		    strcmp(at->instance->name, instance) == 0)
			found = at;
	}
	if (found && !found->levels && !maker->err)
		maker->err = use_slice_levels(maker->ctx, found);
	return maker->err ? NULL : found;
}

bool change_is_checked(const struct changes *changes, const char *resource)
{
	struct weir_ctx *ctx = changes->maker->ctx;
	const struct use_state *st = ctx->state;

	for (uint32_t i = 0; i < st->resource_count; i++) {
		const struct use_ask *ask = &st->resources[i].ask;

		if (strcmp(st->resources[i].name, resource) == 0 &&
		    (ask->input == USE_NONE || weir_input(ctx, ask->input)->absent))
			return false;
	}
	return true;
}

/* A resource that one of both runs does not know is worth a word when something is said of it. */
static void change_add_resource(struct changes *changes, const char *change, const char *resource,
				const char *instance, const char *state)
{
	const bool checked = change_is_checked(changes, resource);
	struct change_row row;
	char text[USE_TEXT];

	if (strcmp(state, "ok") == 0 || strcmp(state, "not checked") == 0)
		return;
	row = change_row(changes, resource, instance, "resource", "");
	snprintf(text, sizeof(text), "%s%s%s, %s%s", resource, instance[0] ? " " : "", instance,
		 state, checked ? "" : "; it is not checked now");
	change_put(changes, &row, checked ? change : "undecided", text);
	changes->maker->undecided += !checked;
}

static void change_add_resources(struct changes *changes)
{
	struct weir_ctx *ctx = changes->maker->ctx;
	struct use_judgement *judgement = changes->maker->judgement;
	const struct weir_tree *earlier;

	for (uint32_t i = 0; (earlier = use_earlier_item(ctx, "resources", i)); i++) {
		const char *resource = use_earlier_text(ctx, earlier, "resource");
		const char *instance = use_earlier_text(ctx, earlier, "instance");
		const struct use_case *found = change_case(changes, resource, instance);

		if (found)
			change_add_figures(changes, found, earlier);
		else
			change_add_resource(changes, "went", resource, instance,
					    use_earlier_text(ctx, earlier, "state"));
	}
	for (uint32_t i = 0; i < judgement->case_count; i++) {
		const struct use_case *found = &judgement->cases[i];

		if (!found->dropped && !use_earlier_find(ctx, "resources", found->resource->name,
							 found->instance->name, NULL))
			change_add_resource(changes, "came", found->resource->name,
					    found->instance->name,
					    row_state(ctx, judgement, found));
	}
}

/* How many rows there can be. */
static uint32_t change_room(struct row_maker *maker)
{
	const struct use_judgement *judgement = maker->judgement;
	uint32_t room = judgement->verdict_count, i;

	for (i = 0; i < judgement->case_count; i++)
		room += 1 + judgement->cases[i].resource->figure_count;
	for (i = 0; use_earlier_item(maker->ctx, "resources", i); i++)
		room++;
	for (i = 0; use_earlier_item(maker->ctx, "findings", i); i++)
		room++;
	return room;
}

struct weir_rows_ref row_changes(struct row_maker *maker)
{
	struct changes changes = { .maker = maker,
				   .rows = row_table(maker, change_room(maker),
						     sizeof(struct change_row)) };

	changes.rows.count = 0;
	change_add_findings(&changes);
	change_add_resources(&changes);
	return changes.rows;
}
