/* SPDX-License-Identifier: BSD-2-Clause */
/* How wide the columns are, and which of them fit the terminal. */
#include "table.h"

#include "utf8.h"

#define LAYOUT_GAP      2 /* places between two columns */
#define LAYOUT_TEXT_MIN 8 /* a text is not cut below this */

/* What events are given before the rows that need it have been seen. */
static uint32_t layout_usual(const struct weir_field *field)
{
	switch (field->type) {
	case WEIR_TYPE_TIME:
		return sizeof("23:59:59.999") - 1;
	case WEIR_TYPE_DURATION:
		return sizeof("38.2 ms") - 1;
	case WEIR_TYPE_UINT:
	case WEIR_TYPE_INT:
		return field->bytes < 4 ? 3 : sizeof("4194304") - 1;
	case WEIR_TYPE_CHARS:
		return field->bytes < 16 ? field->bytes : 16;
	default:
		return 0;
	}
}

static void layout_widen(struct table_column *column, uint32_t width)
{
	if (column->width < width)
		column->width = width;
}

static void layout_measure(const struct table_page *page, struct table_view *view, const void *rows,
			   uint32_t count)
{
	struct line *cell = &table_of(page)->cell;

	for (uint32_t i = 0; i < view->column_count; i++) {
		struct table_column *column = &view->columns[i];

		layout_widen(column, (uint32_t)strlen(column->head));
		if (view->events && column->part == TABLE_VALUE)
			layout_widen(column, layout_usual(column->field));
		for (uint32_t row = 0; row < count; row++) {
			line_clear(cell);
			table_cell(page, column,
				   (const uint8_t *)rows + (size_t)row * view->schema->row_size,
				   cell);
			layout_widen(column, utf8_text_width(cell->bytes, cell->length));
		}
	}
}

/* The least that a column takes. */
static uint32_t layout_least(const struct table_column *column)
{
	return column->text && column->width > LAYOUT_TEXT_MIN ? LAYOUT_TEXT_MIN : column->width;
}

/* Whether a column may go: at first those that are quiet, then those that do not say what a row is about. */
static bool layout_may_go(const struct table_column *column, uint32_t turn)
{
	if (column->shown == 0)
		return false;
	return turn == 0   ? (column->field->flags & WEIR_QUIET) != 0
	       : turn == 1 ? column->field->role != WEIR_KEY
			   : true;
}

/* Leaves out columns from the right, until the least fits. */
static void layout_leave_out(struct table_view *view, uint32_t room)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < view->column_count; i++)
		taken += layout_least(&view->columns[i]) + (i ? LAYOUT_GAP : 0);
	for (uint32_t turn = 0; turn < 3; turn++) {
		for (uint32_t i = view->column_count; i-- > 1 && taken > room;) {
			struct table_column *column = &view->columns[i];

			if (!layout_may_go(column, turn))
				continue;
			column->shown = 0;
			taken -= layout_least(column) + LAYOUT_GAP;
		}
	}
}

/* The widest text that may still be cut, or NULL. */
static struct table_column *layout_widest(struct table_view *view)
{
	struct table_column *widest = NULL;

	for (uint32_t i = 0; i < view->column_count; i++) {
		struct table_column *column = &view->columns[i];

		if (!column->text || column->shown <= LAYOUT_TEXT_MIN)
			continue;
		if (!widest || column->shown > widest->shown)
			widest = column;
	}
	return widest;
}

static void layout_shrink(struct table_view *view, uint32_t room)
{
	struct table_column *widest;
	uint32_t taken = 0;

	for (uint32_t i = 0; i < view->column_count; i++)
		if (view->columns[i].shown)
			taken += view->columns[i].shown + (i ? LAYOUT_GAP : 0);
	for (; taken > room && (widest = layout_widest(view)) != NULL; taken--)
		widest->shown--;
}

/* Once is enough: it would be said again with each window. */
static void layout_say_left_out(const struct table_page *page, const struct table_view *view)
{
	struct table *table = table_of(page);
	struct line *names = &table->cell;

	line_clear(names);
	for (uint32_t i = 0; i < view->column_count; i++)
		if (view->columns[i].shown == 0)
			line_printf(names, "%s%s", names->length ? ", " : "",
				    view->columns[i].head);
	if (names->length == 0 || table->told_left_out)
		return;
	table->told_left_out = true;
	weir_log(page->ctx, WEIR_LOG_INFO,
		 "not shown, as the terminal is %u columns wide: %.*s (option columns chooses)",
		 table->width, (int)names->length, names->bytes);
}

static void layout_fit(const struct table_page *page, struct table_view *view)
{
	uint32_t width = table_of(page)->width;
	uint32_t room = width > page->indent ? width - page->indent : 0;

	for (uint32_t i = 0; i < view->column_count; i++)
		view->columns[i].shown = view->columns[i].width;
	if (width == 0)
		return;
	layout_leave_out(view, room);
	layout_shrink(view, room);
	layout_say_left_out(page, view);
}

void table_layout(const struct table_page *page, struct table_view *view, const void *rows,
		  uint32_t count)
{
	if (view->bars)
		return;
	if (!view->settled)
		layout_measure(page, view, rows, count);
	layout_fit(page, view);
	view->settled = view->events || table_conf_of(page)->header == TABLE_HEADER_ONCE;
}
