/* SPDX-License-Identifier: BSD-2-Clause */
/* From a schema to columns, and to what is put below a row. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

#include "columns.h"
#include "value.h"

/* The DEPTH field whose next text column this is, or NULL. */
static const struct weir_field *view_depth(const struct weir_schema *schema,
					   const struct weir_field *field)
{
	const struct weir_field *depth = NULL;

	for (uint32_t i = 0; i < schema->fields.count && weir_field_at(schema, i) != field; i++) {
		const struct weir_field *before = weir_field_at(schema, i);

		if (before->flags & WEIR_DEPTH)
			depth = before;
		else if (value_is_text(before))
			depth = NULL;
	}
	return value_is_text(field) ? depth : NULL;
}

/* "latency", "latency.p99", and with raw numbers "latency.p99[ns]". NULL: no memory. */
static char *view_head(const struct table_conf *conf, const struct table_column *column)
{
	static const char *const parts[] = { "", ".count", ".mean", ".p", ".max" };
	const struct weir_unit *unit = column->field->unit;
	const char *percentile = "";
	char *head = NULL;
	bool raw = conf->units == TABLE_UNITS_RAW && unit && *unit->symbol &&
		   column->field->type != WEIR_TYPE_TIME && column->part != TABLE_COUNT;

	if (column->field->head && conf->units != TABLE_UNITS_RAW)
		return strdup(column->field->head->text);
	if (column->part == TABLE_PERCENTILE)
		percentile = conf->percentiles.items[column->percentile];
	if (asprintf(&head, "%s%s%s%s%s%s", column->field->name, parts[column->part], percentile,
		     raw ? "[" : "", raw ? unit->symbol : "", raw ? "]" : "") < 0)
		return NULL;
	return head;
}

static int view_add_column(struct table_view *view, const struct table_conf *conf,
			   const struct weir_field *field, enum table_part part,
			   uint32_t percentile)
{
	struct table_column *column = &view->columns[view->column_count];

	column->field = field;
	column->part = part;
	column->percentile = percentile;
	column->text = part == TABLE_VALUE && value_is_text(field);
	column->depth = view_depth(view->schema, field);
	column->head = view_head(conf, column);
	if (!column->head)
		return -ENOMEM;
	view->column_count++;
	return 0;
}

static int view_add_parts(struct table_view *view, const struct table_conf *conf,
			  const struct weir_field *field)
{
	int err = view_add_column(view, conf, field, TABLE_COUNT, 0);

	if (!err)
		err = view_add_column(view, conf, field, TABLE_MEAN, 0);
	for (uint32_t i = 0; i < conf->percentiles.count && !err; i++)
		err = view_add_column(view, conf, field, TABLE_PERCENTILE, i);
	return err ? err : view_add_column(view, conf, field, TABLE_MAX, 0);
}

static int view_add_below(struct table_view *view, const struct table_conf *conf,
			  const struct weir_field *field)
{
	static const struct weir_texts all;
	struct table_below *below = &view->below[view->below_count];

	below->field = field;
	if (field->type == WEIR_TYPE_ROWS) {
		below->rows = table_view_new(conf, field->rows, &all);
		if (!below->rows)
			return -ENOMEM;
	}
	if (field->type == WEIR_TYPE_HISTOGRAM)
		view->bars = true;
	view->below_count++;
	return 0;
}

static int view_add(struct table_view *view, const struct table_conf *conf,
		    const struct weir_field *field)
{
	if (view->sentence && field->flags & WEIR_SENTENCE)
		return view_add_below(view, conf, field);
	switch (field->type) {
	case WEIR_TYPE_HISTOGRAM:
		if (conf->histogram == TABLE_HISTOGRAM_OFF)
			return 0;
		if (conf->histogram == TABLE_HISTOGRAM_LINE)
			return view_add_parts(view, conf, field);
		return view_add_below(view, conf, field);
	case WEIR_TYPE_STACK:
	case WEIR_TYPE_ROWS:
		return view_add_below(view, conf, field);
	default:
		return view_add_column(view, conf, field, TABLE_VALUE, 0);
	}
}

/* Beside a sentence, only what is below it. */
static bool view_is_shown(const struct table_view *view, const struct weir_field *field)
{
	if (field->flags & (WEIR_QUIET | WEIR_DEPTH) || field == view->sentence)
		return false;
	return !view->sentence || field->flags & WEIR_SENTENCE || field->type == WEIR_TYPE_ROWS;
}

static int view_add_all(struct table_view *view, const struct table_conf *conf)
{
	int err = 0;

	for (uint32_t i = 0; i < view->schema->fields.count && !err; i++) {
		const struct weir_field *field = weir_field_at(view->schema, i);

		if (view_is_shown(view, field))
			err = view_add(view, conf, field);
	}
	return err;
}

static int view_add_chosen(struct table_view *view, const struct table_conf *conf,
			   const struct weir_texts *columns)
{
	bool any = false;
	int err = 0;

	for (uint32_t i = 0; i < columns->count && !err; i++) {
		const struct weir_field *field = columns_find(view->schema, columns->items[i]);

		if (!field)
			continue;
		any = true;
		err = view_add(view, conf, field);
	}
	return any || err ? err : view_add_all(view, conf);
}

/* What the schema is for, whatever is shown of it. */
static void view_look(struct table_view *view)
{
	for (uint32_t i = 0; i < view->schema->fields.count; i++) {
		const struct weir_field *field = weir_field_at(view->schema, i);

		view->events |= field->role == WEIR_EVENT;
		view->histograms |= field->type == WEIR_TYPE_HISTOGRAM;
		if (field->flags & WEIR_SENTENCE && !view->sentence)
			view->sentence = field;
	}
}

struct table_view *table_view_new(const struct table_conf *conf, const struct weir_schema *schema,
				  const struct weir_texts *columns)
{
	struct table_view *view = calloc(1, sizeof(*view));
	size_t most = schema->fields.count + columns->count;

	if (!view)
		return NULL;
	view->schema = schema;
	view_look(view);
	if (columns->count)
		view->sentence = NULL;
	view->columns = calloc(most * (3 + conf->percentiles.count) + 1, sizeof(*view->columns));
	view->below = calloc(most + 1, sizeof(*view->below));
	if (!view->columns || !view->below || view_add_chosen(view, conf, columns) < 0) {
		table_view_free(view);
		return NULL;
	}
	return view;
}

void table_view_free(struct table_view *view)
{
	if (!view)
		return;
	for (uint32_t i = 0; i < view->column_count; i++)
		free(view->columns[i].head);
	for (uint32_t i = 0; i < view->below_count; i++)
		table_view_free(view->below[i].rows);
	free(view->columns);
	free(view->below);
	free(view);
}
