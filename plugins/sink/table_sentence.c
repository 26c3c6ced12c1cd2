/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows that are sentences (WEIR_SENTENCE): the row's own, then a line for each thing below it that
 * begins with its label. A long one goes on in the next line, where the terminal ends.
 */
#include "table.h"

#include "utf8.h"
#include "value.h"

#define SENTENCE_STEP 2

/* Adds words to table->line; what has no room goes into lines that begin at `indent`. */
static void sentence_words(const struct table_page *page, uint32_t indent, const char *text,
			   size_t length)
{
	struct table *table = table_of(page);
	struct line *line = &table->line;
	size_t at = 0;

	while (at < length) {
		size_t blanks = 0, word = 0;
		uint32_t width;

		while (at + blanks < length && text[at + blanks] == ' ')
			blanks++;
		while (at + blanks + word < length && text[at + blanks + word] != ' ')
			word++;
		width = utf8_text_width(line->bytes, line->length) + (uint32_t)blanks +
			utf8_text_width(text + at + blanks, word);
		if (table->width && width > table->width && blanks) {
			table_end_line(page, false);
			line_fill(line, ' ', indent);
			line_add(line, text + at + blanks, word);
		} else {
			line_add(line, text + at, blanks + word);
		}
		at += blanks + word;
	}
}

/* The field's text or names, into table->cell. False: there is none. */
static bool sentence_read(const struct table_page *page, const struct weir_field *field,
			  const void *row)
{
	struct value value = value_read(page->ctx, page->batch, field, row);
	struct line *cell = &table_of(page)->cell;

	line_clear(cell);
	if (value.kind == VALUE_TEXT)
		table_escape(cell, value.text, value.count);
	for (uint32_t i = 0; value.kind == VALUE_NAMES && i < value.count; i++) {
		struct value name = value_name(page->ctx, page->batch, &value, i);

		line_text(cell, i ? "   " : "");
		table_escape(cell, name.text, name.count);
	}
	return cell->length > 0;
}

static void sentence_label(const struct table_page *page, const struct weir_field *field,
			   uint32_t width)
{
	struct line *line = &table_of(page)->line;
	const char *label = field->head ? field->head->text : field->name;

	line_fill(line, ' ', page->indent);
	line_text(line, label);
	line_fill(line, ' ', width - (uint32_t)strlen(label));
}

/* Width of the labels below a sentence, the gap behind them included; 0: none has one. */
static uint32_t sentence_label_width(const struct table_view *view)
{
	uint32_t widest = 0;

	for (uint32_t i = 0; i < view->below_count; i++) {
		const struct weir_field *field = view->below[i].field;
		const char *label = field->head ? field->head->text : field->name;
		uint32_t width = (uint32_t)strlen(label);

		if ((!view->below[i].rows || (field->head && view->below[i].rows->sentence)) &&
		    width > widest)
			widest = width;
	}
	return widest ? widest + SENTENCE_STEP : 0;
}

static void sentence_line(const struct table_page *page, const struct weir_field *label,
			  uint32_t width, const struct weir_field *field, const void *row)
{
	struct table *table = table_of(page);

	if (!sentence_read(page, field, row))
		return;
	if (label)
		sentence_label(page, label, width);
	else
		line_fill(&table->line, ' ', page->indent);
	sentence_words(page, page->indent + (label ? width : SENTENCE_STEP), table->cell.bytes,
		       table->cell.length);
	table_end_line(page, !label);
}

/* A nested table: sentences of their own, sentences behind a label, or columns below a title. */
static void sentence_below_rows(const struct table_page *page, const struct table_below *below,
				uint32_t width, const struct value *rows)
{
	struct table_page nested = *page;
	const struct table_view *view = below->rows;
	struct line *line = &table_of(page)->line;

	if (view->sentence && below->field->head) {
		for (uint32_t i = 0; i < rows->count; i++)
			sentence_line(page, below->field, width, view->sentence,
				      (const uint8_t *)rows->items +
					      (size_t)i * view->schema->row_size);
		return;
	}
	nested.indent -= SENTENCE_STEP;
	if (nested.indent == 0)
		table_end_line(&nested, false);
	if (view->sentence) {
		table_sentences(&nested, below->rows, rows->items, rows->count);
		return;
	}
	line_fill(line, ' ', nested.indent);
	for (const char *c = below->field->name; *c; c++)
		line_add(line, *c == '_' ? " " : c, 1);
	line_text(line, ":");
	table_end_line(&nested, false);
	table_nested(&nested, below->rows, rows);
}

void table_sentences(const struct table_page *page, struct table_view *view, const void *rows,
		     uint32_t count)
{
	const uint32_t width = sentence_label_width(view);
	struct table_page below = *page;

	below.indent += SENTENCE_STEP;
	for (uint32_t i = 0; i < count; i++) {
		const void *row = (const uint8_t *)rows + (size_t)i * view->schema->row_size;

		if (i && page->indent == 0)
			table_end_line(page, false);
		sentence_line(page, NULL, 0, view->sentence, row);
		for (uint32_t b = 0; b < view->below_count; b++) {
			const struct table_below *part = &view->below[b];
			struct value value = value_read(page->ctx, page->batch, part->field, row);

			if (!part->rows)
				sentence_line(&below, part->field, width, part->field, row);
			else if (value.kind == VALUE_ROWS && value.count)
				sentence_below_rows(&below, part, width, &value);
		}
	}
}
