/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink csv: comma-separated values with one head, for spreadsheets and databases. */
#include <stdio.h>
#include <stdlib.h>

#include <weir/plugin.h>

#include "columns.h"
#include "csv_cell.h"

struct csv_conf {
	const char *path;
	struct weir_texts columns;
	uint32_t line_end; /* enum csv_line_end */
};

enum csv_line_end { CSV_LF, CSV_CRLF };

static const struct weir_option csv_options[] = {
	WEIR_OPT_TEXT(struct csv_conf, path, "", "file to write; what -o says, else stdout"),
	WEIR_OPT_TEXTS(struct csv_conf, columns, "",
		       "columns to write, in this order, by name or head; all, where the rows have "
		       "none of them"),
	WEIR_OPT_CHOICE(struct csv_conf, line_end, "lf", "lf crlf",
			"what ends a line; RFC 4180 has crlf"),
};

/* What an input puts into a column; nothing where field is NULL. */
struct csv_source {
	const struct weir_field *field;
	enum csv_part part;
};

struct csv_input {
	const char *node;
	struct columns chosen;
	const struct weir_field *time;
	struct csv_source *sources; /* one for each column */
	bool per_second;
};

/* Columns that no schema has, unless it has one of that name, which then wins. */
enum { COLUMN_T, COLUMN_NODE, COLUMN_GAP, COLUMNS_OWN };

static const char *const csv_own_columns[COLUMNS_OWN] = { "t", "node", "gap" };

/* How long a window was. Comes last, and only where columns are read per second. */
#define CSV_SECONDS "seconds"

struct csv {
	struct weir_writer *writer;
	struct csv_input *inputs;
	char **columns;
	uint32_t column_count;
	struct line line;
};

/* The column of that name, a new one where there is none yet; UINT32_MAX: no memory. */
static uint32_t csv_column(struct csv *csv, const char *field, enum csv_part part)
{
	char **columns;
	char *name;

	if (asprintf(&name, "%s%s", field, csv_part_name(part)) < 0)
		return UINT32_MAX;
	for (uint32_t i = 0; i < csv->column_count; i++)
		if (strcmp(csv->columns[i], name) == 0) {
			free(name);
			return i;
		}
	columns = reallocarray(csv->columns, csv->column_count + 1, sizeof(*columns));
	if (!columns) {
		free(name);
		return UINT32_MAX;
	}
	csv->columns = columns;
	csv->columns[csv->column_count] = name;
	return csv->column_count++;
}

/* Calls `each` for every column of an input, until one fails. */
static int csv_each(struct csv *csv, struct csv_input *input,
		    int (*each)(struct csv *csv, struct csv_input *input,
				const struct csv_source *source))
{
	for (uint32_t i = 0; i < input->chosen.count; i++) {
		const struct weir_field *field = input->chosen.fields[i];
		bool histogram = field->type == WEIR_TYPE_HISTOGRAM;
		enum csv_part part = histogram ? CSV_COUNT : CSV_WHOLE;
		enum csv_part end = histogram ? CSV_PARTS : CSV_COUNT;

		for (; part < end; part++) {
			const struct csv_source source = { field, part };
			int err = each(csv, input, &source);

			if (err)
				return err;
		}
	}
	return 0;
}

static int csv_add(struct csv *csv, struct csv_input *input __attribute__((unused)),
		   const struct csv_source *source)
{
	return csv_column(csv, source->field->name, source->part) == UINT32_MAX ? -ENOMEM : 0;
}

static int csv_set(struct csv *csv, struct csv_input *input, const struct csv_source *source)
{
	uint32_t column = csv_column(csv, source->field->name, source->part);

	if (column == UINT32_MAX)
		return -ENOMEM;
	input->sources[column] = *source;
	return 0;
}

/* The columns of all inputs, each name once; then what each input puts where. */
static int csv_lay_out(struct weir_ctx *ctx)
{
	struct csv *csv = ctx->state;
	int err = 0;

	for (uint32_t i = 0; i < COLUMNS_OWN; i++)
		if (csv_column(csv, csv_own_columns[i], CSV_WHOLE) == UINT32_MAX)
			return -ENOMEM;
	for (uint32_t i = 0; i < ctx->input_count && !err; i++)
		err = csv_each(csv, &csv->inputs[i], csv_add);
	for (uint32_t i = 0; i < ctx->input_count && !err; i++) {
		csv->inputs[i].per_second = value_per_second(weir_input(ctx, i)->schema);
		if (csv->inputs[i].per_second &&
		    csv_column(csv, CSV_SECONDS, CSV_WHOLE) == UINT32_MAX)
			err = -ENOMEM;
	}
	for (uint32_t i = 0; i < ctx->input_count && !err; i++) {
		const struct weir_input *from = weir_input(ctx, i);
		struct csv_input *input = &csv->inputs[i];

		input->node = from->node;
		input->time = value_time_field(from->schema);
		input->sources = calloc(csv->column_count, sizeof(*input->sources));
		err = input->sources ? csv_each(csv, input, csv_set) : -ENOMEM;
	}
	return err;
}

static int csv_bind(struct weir_ctx *ctx)
{
	const struct csv_conf *conf = ctx->options;
	struct csv *csv = ctx->state;
	int err;

	err = columns_check(ctx, &conf->columns);
	if (err)
		return err;
	csv->inputs = calloc(ctx->input_count + 1, sizeof(*csv->inputs));
	err = csv->inputs ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < ctx->input_count && !err; i++)
		err = columns_choose(&csv->inputs[i].chosen, &conf->columns,
				     weir_input(ctx, i)->schema);
	err = err ? err : csv_lay_out(ctx);
	return err ? weir_fail(ctx, err, "keep the columns of %u inputs", ctx->input_count) : 0;
}

/* Ends the line and hands it on. */
static int csv_write(struct weir_ctx *ctx)
{
	const struct csv_conf *conf = ctx->options;
	struct csv *csv = ctx->state;
	int err;

	line_text(&csv->line, conf->line_end == CSV_CRLF ? "\r\n" : "\n");
	if (csv->line.failed)
		return weir_fail(ctx, -ENOMEM, "put a row of %zu bytes together", csv->line.length);
	err = ctx->host->writer_write(csv->writer, csv->line.bytes, csv->line.length);
	return err ? weir_fail(ctx, err, "write") : 0;
}

/* The head comes first of all: without rows, the output is an empty table. */
static int csv_start(struct weir_ctx *ctx)
{
	const struct csv_conf *conf = ctx->options;
	struct csv *csv = ctx->state;

	csv->writer = ctx->host->writer_open(ctx, conf->path, 0);
	if (!csv->writer)
		return -EIO;
	line_clear(&csv->line);
	for (uint32_t i = 0; i < csv->column_count; i++) {
		line_text(&csv->line, i ? "," : "");
		csv_text(&csv->line, csv->columns[i], strlen(csv->columns[i]));
	}
	return csv_write(ctx);
}

static void csv_own_cell(struct weir_ctx *ctx, const struct csv_input *input,
			 const struct weir_batch *batch, uint32_t column, const void *row)
{
	struct csv *csv = ctx->state;

	if (column == COLUMN_T)
		csv_time(&csv->line,
			 ctx->host->wall(ctx, value_moment(ctx, batch, input->time, row)));
	else if (column == COLUMN_NODE)
		csv_text(&csv->line, input->node, strlen(input->node));
	else if (column == COLUMN_GAP && batch->flags & WEIR_BATCH_GAP)
		line_text(&csv->line, "true");
	else if (input->per_second && strcmp(csv->columns[column], CSV_SECONDS) == 0)
		csv_double(&csv->line, (double)(batch->end - batch->start) / 1e9);
}

static int csv_row(struct weir_ctx *ctx, const struct csv_input *input,
		   const struct weir_batch *batch, const void *row)
{
	struct csv *csv = ctx->state;

	line_clear(&csv->line);
	for (uint32_t i = 0; i < csv->column_count; i++) {
		const struct csv_source *source = &input->sources[i];

		line_text(&csv->line, i ? "," : "");
		if (source->field)
			csv_cell(ctx, batch, source->field, source->part, row, &csv->line);
		else
			csv_own_cell(ctx, input, batch, i, row);
	}
	return csv_write(ctx);
}

static int csv_push(struct weir_ctx *ctx, uint32_t i, const struct weir_batch *batch)
{
	struct csv *csv = ctx->state;
	int err = 0;

	for (uint32_t row = 0; row < batch->row_count && !err; row++)
		err = csv_row(ctx, &csv->inputs[i], batch, weir_row(batch, row));
	if (err)
		return err;
	err = ctx->host->writer_flush(csv->writer);
	return err ? weir_fail(ctx, err, "write") : 0;
}

static int csv_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	struct csv *csv = ctx->state;
	int err = ctx->host->writer_close(csv->writer, 1);

	csv->writer = NULL;
	return err ? weir_fail(ctx, err, "write") : 0;
}

/* After a failure only: else drain has closed. */
static void csv_stop(struct weir_ctx *ctx)
{
	struct csv *csv = ctx->state;

	ctx->host->writer_close(csv->writer, 0);
	csv->writer = NULL;
}

static void csv_destroy(struct weir_ctx *ctx)
{
	struct csv *csv = ctx->state;

	for (uint32_t i = 0; csv->inputs && i < ctx->input_count; i++) {
		free(csv->inputs[i].sources);
		free(csv->inputs[i].chosen.fields);
	}
	free(csv->inputs);
	for (uint32_t i = 0; i < csv->column_count; i++)
		free(csv->columns[i]);
	free(csv->columns);
	line_free(&csv->line);
}

static const struct weir_slot csv_slots[] = {
	{ .name = "rows", .doc = "rows of any kind", .flags = WEIR_MANY },
};

static const struct weir_format csv_formats[] = {
	{ "csv", ".csv" },
};

WEIR_COMPONENT(
	"csv", WEIR_SINK, .summary = "comma-separated values, with one head",
	.doc = "The head, also when no row follows: \"t\", when the row happened (RFC 3339, UTC: "
	       "the "
	       "row's own time, else the end of its window), \"node\", where it comes from, "
	       "\"gap\", true when something is missing in its window, then the columns of all "
	       "inputs, each name once; a row leaves those empty that its input has not. Where "
	       "counts of a window are read per second, \"seconds\" is the window's length.\n\n"
	       "Quoting is that of RFC 4180. Numbers are in the column's unit, integers exact; "
	       "what is absent is empty. A histogram is seven columns: name.count, .sum, .min, "
	       ".max, .p50, .p90, .p99. Stacks, from the root on, and names are joined by "
	       "semicolons; one within a name becomes a colon. A table within a row is JSON.\n\n"
	       "Texts are written as they are. Names of processes and files are chosen by whoever "
	       "makes them: a spreadsheet takes what begins with =, +, - or @ for a formula, so "
	       "import such columns as text.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct csv_conf),
	.state_size = sizeof(struct csv), .options = WEIR_TABLE(csv_options),
	.inputs = WEIR_TABLE(csv_slots), .formats = WEIR_TABLE(csv_formats), .bind = csv_bind,
	.start = csv_start, .push = csv_push, .drain = csv_drain, .stop = csv_stop,
	.destroy = csv_destroy);
