/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink json: one JSON object per row and line, for programs. */
#include <stdlib.h>

#include <weir/plugin.h>

#include "columns.h"
#include "json_value.h"

struct json_conf {
	const char *path;
	struct weir_texts columns;
};

static const struct weir_option json_options[] = {
	WEIR_OPT_TEXT(struct json_conf, path, "", "file to write; what -o says, else stdout"),
	WEIR_OPT_TEXTS(struct json_conf, columns, "",
		       "columns to write, in this order, by name or head; all, where the rows have "
		       "none of them"),
};

struct json_input {
	const char *node;
	struct columns columns;
	const struct weir_field *time; /* the row's moment, or NULL: the window's end */
	bool has_t;                    /* the schema has a field of that name, which then wins */
	bool has_node;
	bool says_seconds; /* how long the window was */
};

struct json {
	struct weir_writer *writer;
	struct json_input *inputs;
	struct line line;
};

static int json_bind(struct weir_ctx *ctx)
{
	const struct json_conf *conf = ctx->options;
	struct json *json = ctx->state;
	int err = columns_check(ctx, &conf->columns);

	if (err)
		return err;
	json->inputs = calloc(ctx->input_count + 1, sizeof(*json->inputs));
	if (!json->inputs)
		return weir_fail(ctx, -ENOMEM, "keep %u inputs", ctx->input_count);
	for (uint32_t i = 0; i < ctx->input_count; i++) {
		const struct weir_input *from = weir_input(ctx, i);
		struct json_input *input = &json->inputs[i];

		input->node = from->node;
		if (columns_choose(&input->columns, &conf->columns, from->schema) < 0)
			return weir_fail(ctx, -ENOMEM, "keep the columns of %s", from->node);
		input->time = value_time_field(from->schema);
		input->has_t = weir_find(from->schema, "t") != NULL;
		input->has_node = weir_find(from->schema, "node") != NULL;
		input->says_seconds =
			!weir_find(from->schema, "seconds") && value_per_second(from->schema);
	}
	return 0;
}

static int json_start(struct weir_ctx *ctx)
{
	const struct json_conf *conf = ctx->options;
	struct json *json = ctx->state;

	json->writer = ctx->host->writer_open(ctx, conf->path, 0);
	return json->writer ? 0 : -EIO;
}

static void json_row(struct weir_ctx *ctx, const struct json_input *input,
		     const struct weir_batch *batch, const void *row, struct line *line)
{
	line_clear(line);
	line_text(line, "{");
	if (!input->has_t) {
		line_text(line, "\"t\":");
		json_time(line, ctx->host->wall(ctx, value_moment(ctx, batch, input->time, row)));
		line_text(line, ",");
	}
	if (!input->has_node) {
		line_text(line, "\"node\":");
		json_text(line, input->node, strlen(input->node));
		line_text(line, ",");
	}
	if (input->says_seconds) {
		line_text(line, "\"seconds\":");
		json_double(line, (double)(batch->end - batch->start) / 1e9);
		line_text(line, ",");
	}
	if (batch->flags & WEIR_BATCH_GAP)
		line_text(line, "\"gap\":true,");
	for (uint32_t i = 0; i < input->columns.count; i++) {
		line_text(line, i ? "," : "");
		json_field(ctx, batch, input->columns.fields[i], row, line);
	}
	line_text(line, "}\n");
}

static int json_push(struct weir_ctx *ctx, uint32_t i, const struct weir_batch *batch)
{
	struct json *json = ctx->state;
	int err;

	for (uint32_t row = 0; row < batch->row_count; row++) {
		json_row(ctx, &json->inputs[i], batch, weir_row(batch, row), &json->line);
		if (json->line.failed)
			return weir_fail(ctx, -ENOMEM, "put a row of %zu bytes together",
					 json->line.length);
		err = ctx->host->writer_write(json->writer, json->line.bytes, json->line.length);
		if (err)
			return weir_fail(ctx, err, "write");
	}
	err = ctx->host->writer_flush(json->writer);
	return err ? weir_fail(ctx, err, "write") : 0;
}

static int json_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	struct json *json = ctx->state;
	int err = ctx->host->writer_close(json->writer, 1);

	json->writer = NULL;
	return err ? weir_fail(ctx, err, "write") : 0;
}

/* After a failure only: else drain has closed. */
static void json_stop(struct weir_ctx *ctx)
{
	struct json *json = ctx->state;

	ctx->host->writer_close(json->writer, 0);
	json->writer = NULL;
}

static void json_destroy(struct weir_ctx *ctx)
{
	struct json *json = ctx->state;

	for (uint32_t i = 0; json->inputs && i < ctx->input_count; i++)
		free(json->inputs[i].columns.fields);
	free(json->inputs);
	line_free(&json->line);
}

static const struct weir_slot json_slots[] = {
	{ .name = "rows", .doc = "rows of any kind", .flags = WEIR_MANY },
};

static const struct weir_format json_formats[] = {
	{ "json", ".json" },
	{ "json", ".ndjson" },
};

WEIR_COMPONENT(
	"json", WEIR_SINK, .summary = "one JSON object per row and line",
	.doc = "Each line is a row: \"t\", when it happened (RFC 3339, UTC: the row's own "
	       "time, else the end of its window), \"node\", where it comes from, "
	       "\"seconds\", the length of its window, where counts of it are read per second, "
	       "\"gap\": true when something is missing in its window, then the row's columns "
	       "under "
	       "their names; a column called t or node takes that place.\n\n"
	       "Numbers are in the column's unit, integers exact: a duration in ns is a "
	       "number of ns. What is absent is null, and so are NaN and infinities. Moments "
	       "are RFC 3339. A histogram is {count, sum, min, max, scale, offset, counts}, "
	       "and underflow and overflow when they are not 0; counts[i] counts what is "
	       "above 2^((offset+i-1)/2^scale), up to 2^((offset+i)/2^scale). A stack is a "
	       "list of its frames, leaf first: a symbol, or object+0xoffset, or [unknown]. "
	       "Tables within a row are lists of objects, or one object where each row has a "
	       "name. Bytes that are not UTF-8 "
	       "become U+FFFD.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct json_conf),
	.state_size = sizeof(struct json), .options = WEIR_TABLE(json_options),
	.inputs = WEIR_TABLE(json_slots), .formats = WEIR_TABLE(json_formats), .bind = json_bind,
	.start = json_start, .push = json_push, .drain = json_drain, .stop = json_stop,
	.destroy = json_destroy);
