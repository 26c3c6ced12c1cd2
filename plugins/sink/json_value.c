/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of rows as JSON text: see json_value.h. */
#include "json_value.h"

#include <time.h>

#include <weir/histogram.h>
#include <weir/json_text.h>

#include "number.h"

static void json_escape(struct line *line, const char *text, size_t length)
{
	char escaped[WEIR_JSON_MAX];
	size_t at, taken;

	for (at = 0; at < length; at += taken)
		line_add(line, escaped, weir_json_next(text + at, length - at, escaped, &taken));
}

void json_text(struct line *line, const char *text, size_t length)
{
	line_add(line, "\"", 1);
	json_escape(line, text, length);
	line_add(line, "\"", 1);
}

void json_time(struct line *line, uint64_t wall_ns)
{
	time_t seconds = (time_t)(wall_ns / 1000000000);
	struct tm tm;

	if (!gmtime_r(&seconds, &tm)) {
		line_text(line, "null");
		return;
	}
	line_printf(line, "\"%04d-%02d-%02dT%02d:%02d:%02d.%09uZ\"", tm.tm_year + 1900,
		    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		    (unsigned int)(wall_ns % 1000000000));
}

void json_double(struct line *line, double value)
{
	char text[NUMBER_MAX];

	if (value - value != 0) { /* JSON has neither NaN nor infinities */
		line_text(line, "null");
		return;
	}
	number_shortest(text, value);
	line_text(line, text);
}

static void json_histogram(struct line *line, const struct weir_histogram *histogram)
{
	static const struct weir_histogram empty = { .scale = WEIR_HISTOGRAM_SCALE };

	if (!histogram)
		histogram = &empty;
	line_printf(line, "{\"count\":%llu,\"sum\":%llu", (unsigned long long)histogram->count,
		    (unsigned long long)histogram->sum);
	if (histogram->count)
		line_printf(line, ",\"min\":%llu,\"max\":%llu", (unsigned long long)histogram->min,
			    (unsigned long long)histogram->max);
	else
		line_text(line, ",\"min\":null,\"max\":null");
	if (histogram->underflow)
		line_printf(line, ",\"underflow\":%llu", (unsigned long long)histogram->underflow);
	if (histogram->overflow)
		line_printf(line, ",\"overflow\":%llu", (unsigned long long)histogram->overflow);

	line_printf(line, ",\"scale\":%d,\"offset\":%d,\"counts\":[", histogram->scale,
		    histogram->offset);
	for (uint32_t i = 0; i < histogram->buckets; i++)
		line_printf(line, "%s%llu", i ? "," : "", (unsigned long long)histogram->counts[i]);
	line_text(line, "]}");
}

static void json_names(struct weir_ctx *ctx, const struct weir_batch *batch,
		       const struct value *names, struct line *line)
{
	for (uint32_t i = 0; i < names->count; i++) {
		struct value name = value_name(ctx, batch, names, i);

		line_text(line, i ? "," : "[");
		json_text(line, name.text, name.count);
	}
	line_text(line, names->count ? "]" : "[]");
}

static void json_stack(struct weir_ctx *ctx, const struct weir_batch *batch,
		       const struct weir_field *field, const struct value *stack, struct line *line)
{
	for (uint32_t i = 0; i < stack->count; i++) {
		struct value_frame frame = value_frame(ctx, batch, field, stack, i);

		line_text(line, i ? ",\"" : "[\"");
		json_escape(line, frame.text, frame.length);
		line_printf(line, "%s\"", frame.offset);
	}
	line_text(line, stack->count ? "]" : "[]");
}

static void json_value(struct weir_ctx *ctx, const struct weir_batch *batch,
		       const struct weir_field *field, const void *row, struct line *line);

void json_field(struct weir_ctx *ctx, const struct weir_batch *batch,
		const struct weir_field *field, const void *row, struct line *line)
{
	line_printf(line, "\"%s\":", field->name);
	json_value(ctx, batch, field, row, line);
}

/* The fields of a schema from `first` on. */
static void json_fields_from(struct weir_ctx *ctx, const struct weir_batch *batch,
			     const struct weir_schema *schema, uint32_t first, const void *row,
			     struct line *line)
{
	for (uint32_t i = first; i < schema->fields.count; i++) {
		line_text(line, i > first ? "," : "");
		json_field(ctx, batch, weir_field_at(schema, i), row, line);
	}
}

/* `"name":value`, or `"name":{the rest of the row}`. */
static void json_entry(struct weir_ctx *ctx, const struct weir_batch *batch,
		       const struct weir_schema *schema, const void *row, struct line *line)
{
	const struct value key = value_read(ctx, batch, weir_field_at(schema, 0), row);

	/* An absent text is none. */
	json_text(line, key.kind == VALUE_TEXT ? key.text : "",
		  key.kind == VALUE_TEXT ? key.count : 0);
	line_text(line, ":");
	if (schema->fields.count == 2) {
		json_value(ctx, batch, weir_field_at(schema, 1), row, line);
		return;
	}
	line_text(line, "{");
	json_fields_from(ctx, batch, schema, 1, row, line);
	line_text(line, "}");
}

void json_rows(struct weir_ctx *ctx, const struct weir_batch *batch, const struct weir_field *field,
	       const struct value *rows, struct line *line)
{
	const bool map = field->flags & WEIR_KEYED;
	const struct weir_schema *schema = field->rows;
	const uint8_t *row = rows->items;

	line_text(line, map ? "{" : "[");
	for (uint32_t i = 0; i < rows->count; i++, row += schema->row_size) {
		line_text(line, i ? "," : "");
		if (map) {
			json_entry(ctx, batch, schema, row, line);
			continue;
		}
		line_text(line, "{");
		json_fields(ctx, batch, schema, row, line);
		line_text(line, "}");
	}
	line_text(line, map ? "}" : "]");
}

/* Values of one word or number. */
static void json_scalar(struct weir_ctx *ctx, const struct value *value, struct line *line)
{
	switch (value->kind) {
	case VALUE_UINT:
		line_printf(line, "%llu", (unsigned long long)value->u);
		break;
	case VALUE_INT:
		line_printf(line, "%lld", (long long)value->i);
		break;
	case VALUE_DOUBLE:
		json_double(line, value->d);
		break;
	case VALUE_BOOL:
		line_text(line, value->b ? "true" : "false");
		break;
	case VALUE_TIME:
		json_time(line, ctx->host->wall(ctx, value->u));
		break;
	case VALUE_TEXT:
		json_text(line, value->text, value->count);
		break;
	default:
		line_text(line, "null");
		break;
	}
}

static void json_value(struct weir_ctx *ctx, const struct weir_batch *batch,
		       const struct weir_field *field, const void *row, struct line *line)
{
	struct value value = value_read(ctx, batch, field, row);

	switch (value.kind) {
	case VALUE_NAMES:
		json_names(ctx, batch, &value, line);
		break;
	case VALUE_HISTOGRAM:
		json_histogram(line, value.histogram);
		break;
	case VALUE_STACK:
		json_stack(ctx, batch, field, &value, line);
		break;
	case VALUE_ROWS:
		json_rows(ctx, batch, field, &value, line);
		break;
	default:
		json_scalar(ctx, &value, line);
		break;
	}
}

void json_fields(struct weir_ctx *ctx, const struct weir_batch *batch,
		 const struct weir_schema *schema, const void *row, struct line *line)
{
	json_fields_from(ctx, batch, schema, 0, row, line);
}
