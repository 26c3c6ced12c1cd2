/* SPDX-License-Identifier: BSD-2-Clause */
/* A value as the text of a cell. */
#include "table.h"

#include <time.h>

#include <weir/histogram.h>
#include <weir/utf8.h>

#include "number.h"
#include "value.h"

#define CELL_DEPTH_MAX 64

void table_escape(struct line *out, const char *text, size_t length)
{
	size_t bytes;

	for (size_t at = 0; at < length; at += bytes) {
		uint32_t code = 0;
		bool shown;

		bytes = weir_utf8_next(text + at, length - at, &code);
		shown = bytes && !weir_utf8_steers(code);
		if (bytes == 0)
			bytes = 1;
		if (shown)
			line_add(out, text + at, bytes);
		for (size_t i = 0; !shown && i < bytes; i++)
			line_printf(out, "\\x%02x", (unsigned int)(uint8_t)text[at + i]);
	}
}

void table_clock(const struct table_page *page, uint64_t monotonic, struct line *out)
{
	uint64_t wall = page->ctx->host->wall(page->ctx, monotonic);
	time_t seconds = (time_t)(wall / 1000000000);
	struct tm tm;

	if (!localtime_r(&seconds, &tm)) {
		line_text(out, "-");
		return;
	}
	line_printf(out, "%02d:%02d:%02d.%03u", tm.tm_hour, tm.tm_min, tm.tm_sec,
		    (unsigned int)(wall / 1000000 % 1000));
}

/* "-1,234 slots": each digit of a count. */
static void cell_count(const struct weir_field *field, const struct value *value, struct line *out)
{
	bool negative = value->kind == VALUE_INT && value->i < 0;

	if (negative)
		line_text(out, "-");
	table_whole(out, negative ? 0 - value->u : value->u);
	if (*field->unit->symbol && strcmp(field->unit->symbol, field->name) != 0)
		line_printf(out, " %s", field->unit->symbol);
}

/* Whole numbers that have no unit, or are to be raw or hexadecimal, keep each digit. */
static void cell_integer(const struct weir_field *field, const struct value *value, bool raw,
			 struct line *out)
{
	uint64_t mask = UINT64_MAX >> (64 - 8 * field->bytes);

	if (field->flags & WEIR_HEX)
		line_printf(out, "0x%llx", (unsigned long long)(value->u & mask));
	else if ((raw || !field->unit) && value->kind == VALUE_INT)
		line_printf(out, "%lld", (long long)value->i);
	else if (raw || !field->unit)
		line_printf(out, "%llu", (unsigned long long)value->u);
	else if (strcmp(field->unit->dimension, "count") == 0)
		cell_count(field, value, out);
	else
		table_quantity(out, field, value_number(value), false);
}

static void cell_text(const struct value *value, struct line *out)
{
	if (value->count)
		table_escape(out, value->text, value->count);
	else
		line_text(out, "-");
}

static void cell_names(const struct table_page *page, const struct value *names, struct line *out)
{
	for (uint32_t i = 0; i < names->count; i++) {
		struct value name = value_name(page->ctx, page->batch, names, i);

		if (i)
			line_text(out, ";");
		table_escape(out, name.text, name.count);
	}
	if (names->count == 0)
		line_text(out, "-");
}

static void cell_indent(const struct table_page *page, const struct table_column *column,
			const void *row, struct line *out)
{
	struct value depth = value_read(page->ctx, page->batch, column->depth, row);
	uint64_t levels = depth.kind == VALUE_UINT || depth.kind == VALUE_INT ? depth.u : 0;

	line_fill(out, ' ', 2 * (levels < CELL_DEPTH_MAX ? levels : CELL_DEPTH_MAX));
}

static void cell_below_head(const struct table_page *page, const struct weir_field *field,
			    const struct value *value, struct line *out)
{
	double seconds = (double)(page->batch->end - page->batch->start) / 1e9;

	table_below_head(out, field, value_number(value), seconds);
}

static void cell_value(const struct table_page *page, const struct table_column *column,
		       const void *row, struct line *out)
{
	struct value value = value_read(page->ctx, page->batch, column->field, row);
	bool raw = table_conf_of(page)->units == TABLE_UNITS_RAW;

	if (column->field->head && column->field->head->unit && !raw) {
		cell_below_head(page, column->field, &value, out);
		return;
	}
	switch (value.kind) {
	case VALUE_UINT:
	case VALUE_INT:
		cell_integer(column->field, &value, raw, out);
		break;
	case VALUE_DOUBLE:
		table_quantity(out, column->field, value.d, raw);
		break;
	case VALUE_BOOL:
		line_text(out, value.b ? "yes" : "no");
		break;
	case VALUE_TIME:
		table_clock(page, value.u, out);
		break;
	case VALUE_TEXT:
		cell_text(&value, out);
		break;
	case VALUE_NAMES:
		cell_names(page, &value, out);
		break;
	default:
		line_text(out, "-");
		break;
	}
}

/* A histogram's part. */
static void cell_part(const struct table_page *page, const struct table_column *column,
		      const void *row, struct line *out)
{
	static const struct weir_histogram empty;
	struct value value = value_read(page->ctx, page->batch, column->field, row);
	const struct weir_histogram *histogram = value.histogram ? value.histogram : &empty;
	bool raw = table_conf_of(page)->units == TABLE_UNITS_RAW;
	double number = __builtin_nan("");

	if (value.kind != VALUE_HISTOGRAM) {
		line_text(out, "-");
		return;
	}
	if (column->part == TABLE_COUNT && !raw) {
		table_whole(out, histogram->count);
		return;
	}
	if (column->part == TABLE_COUNT)
		number = (double)histogram->count;
	else if (column->part == TABLE_MEAN)
		number = weir_histogram_mean(histogram);
	else if (column->part == TABLE_PERCENTILE)
		number = weir_histogram_quantile(histogram,
						 table_of(page)->percentiles[column->percentile]);
	else if (histogram->count)
		number = (double)histogram->max;
	table_estimate(out, column->field, number, raw);
}

void table_cell(const struct table_page *page, const struct table_column *column, const void *row,
		struct line *out)
{
	if (column->depth)
		cell_indent(page, column, row, out);
	if (column->part == TABLE_VALUE)
		cell_value(page, column, row, out);
	else
		cell_part(page, column, row, out);
}
