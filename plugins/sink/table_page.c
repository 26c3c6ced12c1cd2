/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines: heads, rows, and what is below a row. */
#include "table.h"

#include "utf8.h"
#include "value.h"

#define PAGE_BOLD       "\033[1m"
#define PAGE_NORMAL     "\033[0m"
#define PAGE_CLEAR_LINE "\033[K"
#define PAGE_CUT        "…"
#define PAGE_STEP       2 /* what is below a row stands that much further to the right */

static void page_cut(struct line *line, size_t from, uint32_t width)
{
	if (utf8_text_width(line->bytes + from, line->length - from) <= width)
		return;
	line->length =
		from + utf8_fitting(line->bytes + from, line->length - from, width ? width - 1 : 0);
	line_text(line, PAGE_CUT);
}

static void page_write(struct table *table, struct weir_ctx *ctx, const void *bytes, size_t count)
{
	if (!table->error && count)
		table->error = ctx->host->writer_write(table->writer, bytes, count);
}

void table_put(const struct table_page *page, const char *bytes)
{
	page_write(table_of(page), page->ctx, bytes, strlen(bytes));
}

void table_end_line(const struct table_page *page, bool bold)
{
	struct table *table = table_of(page);
	struct line *line = &table->line;

	while (line->length && line->bytes[line->length - 1] == ' ')
		line->length--;
	if (table->width && line->length)
		page_cut(line, 0, table->width);
	table->lines++;
	if (table->live && table->lines >= table->height) {
		line_clear(line);
		return;
	}
	if (bold && table->color) {
		page_write(table, page->ctx, PAGE_BOLD, sizeof(PAGE_BOLD) - 1);
		line_text(line, PAGE_NORMAL);
	}
	line_text(line, table->live ? PAGE_CLEAR_LINE "\n" : "\n");
	if (line->failed && !table->error)
		table->error = -ENOMEM;
	page_write(table, page->ctx, line->bytes, line->length);
	line_clear(line);
}

void table_add_item(const struct table_page *page, bool first)
{
	struct table *table = table_of(page);
	struct line *line = &table->line;
	uint32_t width = utf8_text_width(line->bytes, line->length) +
			 utf8_text_width(table->cell.bytes, table->cell.length);

	if (!first && table->width && width + sizeof(", ,") - 1 > table->width) {
		line_text(line, ",");
		table_end_line(page, false);
		line_fill(line, ' ', page->indent + 2 * PAGE_STEP);
	} else if (!first) {
		line_text(line, ", ");
	}
	line_add(line, table->cell.bytes, table->cell.length);
	line->failed |= table->cell.failed;
}

/* Adds table->cell to the line, aligned within its column. */
static void page_add_cell(struct table *table, const struct table_column *column, bool first)
{
	struct line *cell = &table->cell;
	uint32_t width;

	if (column->shown < column->width && column->text)
		page_cut(cell, 0, column->shown);
	width = utf8_text_width(cell->bytes, cell->length);
	if (!first)
		line_text(&table->line, "  ");
	if (!column->text && width < column->shown)
		line_fill(&table->line, ' ', column->shown - width);
	line_add(&table->line, cell->bytes, cell->length);
	table->line.failed |= cell->failed;
	if (column->text && width < column->shown)
		line_fill(&table->line, ' ', column->shown - width);
}

void table_heads(const struct table_page *page, const struct table_view *view)
{
	struct table *table = table_of(page);
	bool first = true;

	line_fill(&table->line, ' ', page->indent);
	for (uint32_t i = 0; i < view->column_count; i++) {
		if (view->columns[i].shown == 0)
			continue;
		line_clear(&table->cell);
		line_text(&table->cell, view->columns[i].head);
		page_add_cell(table, &view->columns[i], first);
		first = false;
	}
	if (!first)
		table_end_line(page, true);
}

static void page_row(const struct table_page *page, const struct table_view *view, const void *row)
{
	struct table *table = table_of(page);
	bool first = true;

	line_fill(&table->line, ' ', page->indent);
	for (uint32_t i = 0; i < view->column_count; i++) {
		if (view->columns[i].shown == 0)
			continue;
		line_clear(&table->cell);
		table_cell(page, &view->columns[i], row, &table->cell);
		page_add_cell(table, &view->columns[i], first);
		first = false;
	}
	if (!first)
		table_end_line(page, false);
}

/* "disk = vda, op = read": the columns that are keys, or those that are not. */
static void page_equations(const struct table_page *page, const struct table_view *view,
			   const void *row, bool keys)
{
	struct table *table = table_of(page);
	bool first = true;

	for (uint32_t i = 0; i < view->column_count; i++) {
		const struct table_column *column = &view->columns[i];

		if ((column->field->role == WEIR_KEY) != keys)
			continue;
		if (first)
			line_fill(&table->line, ' ', page->indent + (keys ? 0 : PAGE_STEP));
		line_clear(&table->cell);
		line_printf(&table->cell, "%s = ", column->head);
		table_cell(page, column, row, &table->cell);
		table_add_item(page, first);
		first = false;
	}
	if (!first)
		table_end_line(page, keys);
}

static void page_stack(const struct table_page *page, const struct weir_field *field,
		       const struct value *stack)
{
	struct line *line = &table_of(page)->line;

	for (uint32_t i = 0; i < stack->count; i++) {
		struct value_frame frame = value_frame(page->ctx, page->batch, field, stack, i);

		line_fill(line, ' ', page->indent + PAGE_STEP);
		table_escape(line, frame.text, frame.length);
		line_text(line, frame.offset);
		table_end_line(page, false);
	}
}

void table_nested(const struct table_page *page, struct table_view *view, const struct value *rows)
{
	struct table_page nested = *page;

	if (rows->count == 0)
		return;
	nested.indent += PAGE_STEP;
	table_layout(&nested, view, rows->items, rows->count);
	if (!view->bars && table_conf_of(page)->header != TABLE_HEADER_NEVER)
		table_heads(&nested, view);
	table_rows(&nested, view, rows->items, rows->count);
}

static void page_below(const struct table_page *page, const struct table_below *below,
		       const void *row)
{
	struct value value = value_read(page->ctx, page->batch, below->field, row);

	switch (value.kind) {
	case VALUE_HISTOGRAM:
		table_bars(page, below->field, value.histogram);
		break;
	case VALUE_STACK:
		page_stack(page, below->field, &value);
		break;
	case VALUE_ROWS:
		table_nested(page, below->rows, &value);
		break;
	default:
		break;
	}
}

void table_rows(const struct table_page *page, struct table_view *view, const void *rows,
		uint32_t count)
{
	if (view->sentence) {
		table_sentences(page, view, rows, count);
		return;
	}
	for (uint32_t i = 0; i < count; i++) {
		const void *row = (const uint8_t *)rows + (size_t)i * view->schema->row_size;

		if (view->bars && i > 0)
			table_end_line(page, false);
		if (view->bars) {
			page_equations(page, view, row, true);
			page_equations(page, view, row, false);
		} else {
			page_row(page, view, row);
		}
		for (uint32_t b = 0; b < view->below_count; b++)
			page_below(page, &view->below[b], row);
	}
}
