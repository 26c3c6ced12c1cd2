/* SPDX-License-Identifier: BSD-2-Clause */
/* A histogram as a line of totals and a picture: one bar per power of two. */
#include "table.h"

#include <weir/histogram.h>

#include "utf8.h"

#define BARS_PAGE_WIDTH 80 /* where there is no terminal */
#define BARS_LEAST      10
#define BARS_STEP       2

/* The widest texts of each place of a picture's lines, and the largest count. */
struct bars_widths {
	uint32_t from;
	uint32_t to;
	uint32_t count;
	uint64_t most;
};

static void bars_total(const struct table_page *page, const struct weir_field *field,
		       const char *name, const char *percentile, double value)
{
	struct line *cell = &table_of(page)->cell;

	line_clear(cell);
	line_printf(cell, "%s%s ", name, percentile);
	table_estimate(cell, field, value, table_conf_of(page)->units == TABLE_UNITS_RAW);
	table_add_item(page, false);
}

/* "latency: count 2,000, mean 38.2 us, p50 35.1 us, max 1.2 ms" */
static void bars_totals(const struct table_page *page, const struct weir_field *field,
			const struct weir_histogram *histogram)
{
	const struct table_conf *conf = table_conf_of(page);
	struct table *table = table_of(page);

	line_fill(&table->line, ' ', page->indent + BARS_STEP);
	line_text(&table->line, field->name);
	if (conf->units == TABLE_UNITS_RAW && field->unit && *field->unit->symbol)
		line_printf(&table->line, "[%s]", field->unit->symbol);
	line_text(&table->line, ": count ");
	table_whole(&table->line, histogram->count);
	bars_total(page, field, "mean", "", weir_histogram_mean(histogram));
	for (uint32_t i = 0; i < conf->percentiles.count; i++)
		bars_total(page, field, "p", conf->percentiles.items[i],
			   weir_histogram_quantile(histogram, table->percentiles[i]));
	bars_total(page, field, "max", "", (double)histogram->max);
	table_end_line(page, false);
}

/* Sets table->picture; -ERANGE: it has no place for these buckets. */
static int bars_coarsen(struct table *table, const struct weir_histogram *histogram)
{
	struct weir_histogram *picture = table->picture;

	memset(picture, 0, weir_histogram_bytes(TABLE_BARS - 2));
	picture->scale = histogram->scale < 0 ? histogram->scale : 0;
	picture->offset = -(TABLE_BARS - 2) / 2;
	picture->buckets = TABLE_BARS - 2;
	return weir_histogram_merge(picture, histogram);
}

/* A bound of whole numbers: nothing but 0 lies below 1. */
static double bars_bound(double bound)
{
	return bound < 1 ? 0 : bound;
}

static uint32_t bars_add(struct table *table, uint32_t count, double from, double to,
			 uint64_t values)
{
	table->bars[count] = (struct table_bar){ bars_bound(from), to, values };
	return count + 1;
}

/*
 * Fills table->bars from the picture; returns how many. What lies outside of the buckets is shown
 * as reaching from 0 to the first of them, and from the last to the maximum.
 */
static uint32_t bars_fill(struct table *table)
{
	const struct weir_histogram *picture = table->picture;
	uint32_t first, last, count = 0;
	double low = 0, high = 0;

	last = weir_histogram_trim(picture->counts, picture->buckets, &first) + first;
	if (first < last) {
		low = weir_histogram_lower(picture->scale, picture->offset + (int32_t)first);
		high = weir_histogram_upper(picture->scale, picture->offset + (int32_t)last - 1);
	}
	if (picture->underflow)
		count = bars_add(table, count, 0, bars_bound(low), picture->underflow);
	for (uint32_t i = first; i < last; i++) {
		int32_t index = picture->offset + (int32_t)i;

		count = bars_add(table, count, weir_histogram_lower(picture->scale, index),
				 weir_histogram_upper(picture->scale, index), picture->counts[i]);
	}
	if (picture->overflow)
		count = bars_add(table, count, high, (double)picture->max, picture->overflow);
	return count;
}

static uint32_t bars_width(const struct line *cell)
{
	return utf8_text_width(cell->bytes, cell->length);
}

/* Puts a bound into table->cell and returns its width. */
static uint32_t bars_put_bound(const struct table_page *page, const struct weir_field *field,
			       double bound)
{
	struct line *cell = &table_of(page)->cell;

	line_clear(cell);
	table_quantity(cell, field, bound, table_conf_of(page)->units == TABLE_UNITS_RAW);
	return bars_width(cell);
}

static uint32_t bars_put_count(struct table *table, uint64_t count)
{
	line_clear(&table->cell);
	table_whole(&table->cell, count);
	return bars_width(&table->cell);
}

static void bars_raise(uint32_t *width, uint32_t other)
{
	if (*width < other)
		*width = other;
}

static struct bars_widths bars_measure(const struct table_page *page,
				       const struct weir_field *field, uint32_t count)
{
	struct table *table = table_of(page);
	struct bars_widths widths = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		bars_raise(&widths.from, bars_put_bound(page, field, table->bars[i].from));
		bars_raise(&widths.to, bars_put_bound(page, field, table->bars[i].to));
		bars_raise(&widths.count, bars_put_count(table, table->bars[i].count));
		if (widths.most < table->bars[i].count)
			widths.most = table->bars[i].count;
	}
	return widths;
}

/* Adds table->cell, whose width is known, to the line, aligned to the right. */
static void bars_add_cell(struct table *table, uint32_t width, uint32_t place)
{
	line_fill(&table->line, ' ', place > width ? place - width : 0);
	line_add(&table->line, table->cell.bytes, table->cell.length);
	table->line.failed |= table->cell.failed;
}

static void bars_line(const struct table_page *page, const struct weir_field *field,
		      const struct table_bar *bar, const struct bars_widths *widths)
{
	struct table *table = table_of(page);
	uint32_t page_width = table->width ? table->width : BARS_PAGE_WIDTH;
	uint32_t taken = page->indent + 2 * BARS_STEP + widths->from + widths->to + widths->count +
			 sizeof(" -  :  ||") - 1;
	uint32_t room = page_width > taken + BARS_LEAST ? page_width - taken : BARS_LEAST;
	uint32_t full;

	line_fill(&table->line, ' ', page->indent + 2 * BARS_STEP);
	bars_add_cell(table, bars_put_bound(page, field, bar->from), widths->from);
	line_text(&table->line, " - ");
	bars_add_cell(table, bars_put_bound(page, field, bar->to), widths->to);
	line_text(&table->line, " : ");
	bars_add_cell(table, bars_put_count(table, bar->count), widths->count);

	full = (uint32_t)((double)bar->count / (double)widths->most * room);
	line_text(&table->line, " |");
	line_fill(&table->line, '@', full);
	line_fill(&table->line, ' ', room - full);
	line_text(&table->line, "|");
	table_end_line(page, false);
}

void table_bars(const struct table_page *page, const struct weir_field *field,
		const struct weir_histogram *histogram)
{
	struct table *table = table_of(page);
	struct bars_widths widths;
	uint32_t count;

	if (!histogram || histogram->count == 0) {
		line_fill(&table->line, ' ', page->indent + BARS_STEP);
		line_printf(&table->line, "%s: 0 events", field->name);
		table_end_line(page, false);
		return;
	}
	bars_totals(page, field, histogram);
	if (bars_coarsen(table, histogram) < 0) {
		line_fill(&table->line, ' ', page->indent + 2 * BARS_STEP);
		line_text(&table->line, "(no picture: its buckets lie beyond 2^64)");
		table_end_line(page, false);
		return;
	}
	count = bars_fill(table);
	widths = bars_measure(page, field, count);
	for (uint32_t i = 0; i < count; i++)
		bars_line(page, field, &table->bars[i], &widths);
}
