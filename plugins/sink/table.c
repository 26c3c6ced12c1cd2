/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink table: rows of any schema for people, as aligned columns and histograms drawn as bars. */
#include "table.h"
#include "columns.h"

#include <stdio.h>
#include <stdlib.h>

#include <weir/histogram.h>

static const struct weir_option table_options[] = {
	WEIR_OPT_TEXT(struct table_conf, path, "", "file to write; what -o says, else stdout"),
	WEIR_OPT_TEXTS(struct table_conf, columns, "",
		       "columns to show, in this order, by name or head"),
	WEIR_OPT_TEXTS(struct table_conf, percentiles, "50,90,99", "percentiles of histograms"),
	WEIR_OPT_CHOICE(struct table_conf, units, "human", "human raw",
			"scale numbers for reading, or leave them in the column's unit"),
	WEIR_OPT_CHOICE(struct table_conf, histogram, "bars", "bars line off",
			"draw histograms, give their percentiles as columns, or leave them out"),
	WEIR_OPT_CHOICE(
		struct table_conf, header, "each", "once each never page",
		"head and time: at the start, with each window, or not; page: the head alone, and "
		"on a terminal again when it has left the screen"),
	WEIR_OPT_BOOL(
		struct table_conf, live, "false",
		"on a terminal, each window takes the place of the one before, and no more than "
		"the screen; of one input that has windows"),
};

/* "99.9" to 0.999. */
static int table_percentile(struct weir_ctx *ctx, uint32_t i, const char *text)
{
	struct table *table = ctx->state;
	char option[32];
	char *end = NULL;
	double percent = strtod(text, &end);

	if (text[strspn(text, "0123456789.")] == '\0' && end != text && *end == '\0' &&
	    percent <= 100) {
		table->percentiles[i] = percent / 100;
		return 0;
	}
	snprintf(option, sizeof(option), "percentiles[%u]", i);
	return weir_fail_option(ctx, option, -EINVAL, "\"%s\" is not a number from 0 to 100", text);
}

static int table_create(struct weir_ctx *ctx)
{
	const struct table_conf *conf = ctx->options;
	struct table *table = ctx->state;
	int err = 0;

	table->picture = malloc(weir_histogram_bytes(TABLE_BARS - 2));
	if (!table->picture)
		return weir_fail(ctx, -ENOMEM, "keep a histogram's picture");
	if (conf->percentiles.count > TABLE_PERCENTILES)
		return weir_fail_option(ctx, "percentiles", -E2BIG, "at most %d",
					TABLE_PERCENTILES);
	for (uint32_t i = 0; i < conf->percentiles.count && !err; i++)
		err = table_percentile(ctx, i, conf->percentiles.items[i]);
	return err;
}

static int table_bind(struct weir_ctx *ctx)
{
	const struct table_conf *conf = ctx->options;
	struct table *table = ctx->state;
	int err = columns_check(ctx, &conf->columns);

	if (err)
		return err;
	table->inputs = calloc(ctx->input_count + 1, sizeof(*table->inputs));
	if (!table->inputs)
		return weir_fail(ctx, -ENOMEM, "keep %u inputs", ctx->input_count);
	for (uint32_t i = 0; i < ctx->input_count; i++) {
		const struct weir_input *input = weir_input(ctx, i);

		table->inputs[i].node = input->node;
		table->inputs[i].view = table_view_new(conf, input->schema, &conf->columns);
		if (!table->inputs[i].view)
			return weir_fail(ctx, -ENOMEM, "keep the columns of %s", input->node);
	}
	return 0;
}

static int table_start(struct weir_ctx *ctx)
{
	const struct table_conf *conf = ctx->options;
	struct table *table = ctx->state;

	table->writer = ctx->host->writer_open(ctx, conf->path, 0);
	return table->writer ? 0 : -EIO;
}

/* A line of plain text. */
static void table_note(const struct table_page *page, const char *text)
{
	line_text(&table_of(page)->line, text);
	table_end_line(page, false);
}

/* "12:00:10.000 (10 s)", and the node where there are several. */
static void table_window(const struct table_page *page, const struct table_input *input)
{
	static const struct weir_field length = { .name = "", .unit = WEIR_NS };
	struct line *line = &table_of(page)->line;
	const struct weir_batch *batch = page->batch;

	table_clock(page, batch->end, line);
	if (batch->end > batch->start) {
		line_text(line, " (");
		table_quantity(line, &length, (double)(batch->end - batch->start), false);
		line_text(line, ")");
	}
	if (page->ctx->input_count > 1)
		line_printf(line, " %s", input->node);
	table_end_line(page, false);
}

/* True when the batch goes on with what was printed last. */
static bool table_goes_on(const struct table *table, uint32_t i, const struct weir_batch *batch)
{
	if (!table->printed || table->last_input != i)
		return false;
	return table->inputs[i].view->events ||
	       (table->last_start == batch->start && table->last_end == batch->end);
}

/* A head that scrolls away is shown again. */
static bool table_is_page_over(const struct table *table, const struct table_conf *conf)
{
	return conf->header == TABLE_HEADER_PAGE && table->height &&
	       table->lines + 1 >= table->height;
}

/* What stands above the rows: a blank line, the window, the head. */
static void table_open(const struct table_page *page, const struct table_input *input)
{
	const struct table_conf *conf = table_conf_of(page);
	struct table *table = table_of(page);
	bool each = conf->header == TABLE_HEADER_EACH && !input->view->events;
	bool same = table->printed && &table->inputs[table->last_input] == input &&
		    !table_is_page_over(table, conf);

	bool silent = conf->header == TABLE_HEADER_NEVER || (same && !each);

	if (table->printed && !table->live && (!silent || input->view->bars))
		table_end_line(page, false);
	if (silent)
		return;
	if (!table->live)
		table->lines = 0;
	if (each)
		table_window(page, input);
	if (!input->view->bars && (page->batch->row_count || input->view->events))
		table_heads(page, input->view);
}

/*
 * To the top of the screen, which is empty at first. Only the cursor moves: no state of the terminal is
 * changed, so that nothing is to be restored, however weir ends.
 */
static void table_begin_live(const struct table_page *page)
{
	static const char first[] = "\033[H\033[2J", next[] = "\033[H";
	struct table *table = table_of(page);

	table->lines = 0;
	table_put(page, table->printed ? next : first);
}

static void table_batch(const struct table_page *page, uint32_t i)
{
	struct table *table = table_of(page);
	struct table_input *input = &table->inputs[i];
	const struct weir_batch *batch = page->batch;
	bool gap = (batch->flags & WEIR_BATCH_GAP) != 0;
	bool goes_on = table_goes_on(table, i, batch);

	if (batch->row_count == 0 && !gap && (input->view->events || goes_on))
		return;
	table_layout(page, input->view, batch->rows, batch->row_count);
	if (!goes_on && table->live)
		table_begin_live(page);
	if (!goes_on)
		table_open(page, input);
	else if (input->view->bars)
		table_end_line(page, false);

	table->printed = true;
	table->last_input = i;
	table->last_start = batch->start;
	table->last_end = batch->end;
	if (gap)
		table_note(page, "~ (gap: something is missing in this window)");
	if (batch->row_count)
		table_rows(page, input->view, batch->rows, batch->row_count);
	else if (!input->view->events)
		table_note(page, input->view->histograms ? "0 events" : "(nothing in this window)");
	if (table->live)
		table_put(page, "\033[J");
}

/* 0, or the first error of writing. */
static int table_flush(struct weir_ctx *ctx)
{
	struct table *table = ctx->state;

	if (!table->error)
		table->error = ctx->host->writer_flush(table->writer);
	return table->error ? weir_fail(ctx, table->error, "write") : 0;
}

static int table_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct table_page page = { .ctx = ctx, .batch = batch };
	const struct table_conf *conf = ctx->options;
	struct table *table = ctx->state;

	table->width = ctx->host->writer_columns(table->writer);
	table->height = WEIR_HAS(ctx->host, writer_rows) && ctx->host->writer_rows
				? ctx->host->writer_rows(table->writer)
				: 0;
	table->live = conf->live && table->height > 1 && ctx->input_count == 1 &&
		      !table->inputs[input].view->events;
	table->color = ctx->host->writer_color(table->writer) != 0;
	table_batch(&page, input);
	return table_flush(ctx);
}

/* That no event came is an answer, too: the head, and nothing below it. */
static void table_say_nothing_came(struct weir_ctx *ctx)
{
	static const struct weir_batch nothing;
	struct table_page page = { .ctx = ctx, .batch = &nothing };
	struct table *table = ctx->state;

	for (uint32_t i = 0; i < ctx->input_count && !table->printed; i++) {
		if (!table->inputs[i].view->events)
			continue;
		table_layout(&page, table->inputs[i].view, NULL, 0);
		table_open(&page, &table->inputs[i]);
		table_note(&page, "(no events)");
		table->printed = true;
	}
}

static int table_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	struct table *table = ctx->state;
	int err;

	table_say_nothing_came(ctx);
	err = ctx->host->writer_close(table->writer, 1);
	table->writer = NULL;
	return err ? weir_fail(ctx, err, "write") : 0;
}

/* After a failure only: else drain has closed. */
static void table_stop(struct weir_ctx *ctx)
{
	struct table *table = ctx->state;

	ctx->host->writer_close(table->writer, 0);
	table->writer = NULL;
}

static void table_destroy(struct weir_ctx *ctx)
{
	struct table *table = ctx->state;

	for (uint32_t i = 0; table->inputs && i < ctx->input_count; i++)
		table_view_free(table->inputs[i].view);
	free(table->inputs);
	free(table->picture);
	line_free(&table->line);
	line_free(&table->cell);
}

static const struct weir_slot table_slots[] = {
	{ .name = "rows", .doc = "rows of any kind", .flags = WEIR_MANY },
};

static const struct weir_format table_formats[] = {
	{ "table", ".txt" },
};

WEIR_COMPONENT(
	"table", WEIR_SINK, .summary = "aligned columns and drawn histograms for people",
	.doc = "Each window of a periodic source is a block: the time of its end and its "
	       "length, a head, its rows; events stream under one head. \"-\" is absent, "
	       "\"~\" marks a window in which something is missing.\n\n"
	       "Numbers have three digits that matter and a unit that suits them; counts are "
	       "exact, times are local. On a terminal long texts are cut with an ellipsis, "
	       "then columns are left out from the right, those that say what a row is about last, "
	       "which is said; elsewhere nothing "
	       "is ever cut. Control characters, and bytes that are not UTF-8, are shown "
	       "as \\xNN.\n\n"
	       "A histogram is drawn with one bar per power of two, of values above the "
	       "first bound and up to the second; percentiles come from its eight times "
	       "finer buckets. Frames of a stack, leaf first, and tables within a row stand "
	       "below their row.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct table_conf),
	.state_size = sizeof(struct table), .options = WEIR_TABLE(table_options),
	.inputs = WEIR_TABLE(table_slots), .formats = WEIR_TABLE(table_formats),
	.create = table_create, .bind = table_bind, .start = table_start, .push = table_push,
	.drain = table_drain, .stop = table_stop, .destroy = table_destroy);
