/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of rows as cells: see csv_cell.h. */
#include "csv_cell.h"

#include <weir/histogram.h>

#include "json_value.h"
#include "number.h"

const char *csv_part_name(enum csv_part part)
{
	static const char *const names[CSV_PARTS] = { "",     ".count", ".sum", ".min",
						      ".max", ".p50",   ".p90", ".p99" };

	return names[part];
}

/* RFC 4180, and blanks at the ends, which some readers would drop. */
static bool csv_needs_quotes(const char *text, size_t length)
{
	if (length == 0)
		return false;
	if (text[0] == ' ' || text[length - 1] == ' ')
		return true;
	for (size_t i = 0; i < length; i++)
		if (text[i] == ',' || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
			return true;
	return false;
}

void csv_text(struct line *line, const char *text, size_t length)
{
	if (!csv_needs_quotes(text, length)) {
		line_add(line, text, length);
		return;
	}
	line_text(line, "\"");
	for (size_t i = 0; i < length; i++)
		line_add(line, text[i] == '"' ? "\"\"" : text + i, text[i] == '"' ? 2 : 1);
	line_text(line, "\"");
}

void csv_time(struct line *line, uint64_t wall_ns)
{
	struct line json = { 0 };

	json_time(&json, wall_ns);
	/* Without the quotation marks; "null" has none. */
	if (json.length > 2 && json.bytes[0] == '"')
		line_add(line, json.bytes + 1, json.length - 2);
	line->failed |= json.failed;
	line_free(&json);
}

void csv_double(struct line *line, double value)
{
	char text[NUMBER_MAX];

	if (value - value != 0) /* as in JSON: NaN and infinities are nothing */
		return;
	number_shortest(text, value);
	line_text(line, text);
}

/* A percentile is known to 4 %, so that decimals beyond the third say nothing. */
static void csv_quantile(struct line *line, const struct weir_histogram *histogram, double q)
{
	char text[NUMBER_MAX];

	number_fixed(text, weir_histogram_quantile(histogram, q), 3);
	line_text(line, text);
}

static void csv_histogram(struct line *line, const struct weir_histogram *histogram,
			  enum csv_part part)
{
	static const double quantiles[CSV_PARTS] = {
		[CSV_P50] = 0.5, [CSV_P90] = 0.9, [CSV_P99] = 0.99
	};
	uint64_t count = histogram ? histogram->count : 0;
	uint64_t sum = histogram ? histogram->sum : 0;

	if (part == CSV_COUNT || part == CSV_SUM)
		line_printf(line, "%llu", (unsigned long long)(part == CSV_COUNT ? count : sum));
	else if (count == 0)
		return;
	else if (part == CSV_MIN || part == CSV_MAX)
		line_printf(
			line, "%llu",
			(unsigned long long)(part == CSV_MIN ? histogram->min : histogram->max));
	else
		csv_quantile(line, histogram, quantiles[part]);
}

/* Joined by semicolons: one within a name becomes a colon. */
static void csv_join(struct line *line, const char *text, size_t length)
{
	if (line->length)
		line_text(line, ";");
	for (size_t i = 0; i < length; i++)
		line_add(line, text[i] == ';' ? ":" : text + i, 1);
}

static void csv_names(struct weir_ctx *ctx, const struct weir_batch *batch,
		      const struct value *names, struct line *line)
{
	for (uint32_t i = 0; i < names->count; i++) {
		struct value name = value_name(ctx, batch, names, i);

		csv_join(line, name.text, name.count);
	}
}

/* From the root on, as folded stacks are. */
static void csv_stack(struct weir_ctx *ctx, const struct weir_batch *batch,
		      const struct weir_field *field, const struct value *stack, struct line *line)
{
	for (uint32_t i = stack->count; i > 0; i--) {
		struct value_frame frame = value_frame(ctx, batch, field, stack, i - 1);

		csv_join(line, frame.text, frame.length);
		line_text(line, frame.offset);
	}
}

/* Put together first, as only the whole tells whether it needs quotes. */
static void csv_list(struct weir_ctx *ctx, const struct weir_batch *batch,
		     const struct weir_field *field, const struct value *value, struct line *line)
{
	struct line list = { 0 };

	if (value->kind == VALUE_NAMES)
		csv_names(ctx, batch, value, &list);
	else if (value->kind == VALUE_STACK)
		csv_stack(ctx, batch, field, value, &list);
	else if (value->count)
		json_rows(ctx, batch, field, value, &list);
	csv_text(line, list.bytes, list.length);
	line->failed |= list.failed;
	line_free(&list);
}

/* Values of one word or number; nothing for those that are absent. */
static void csv_scalar(struct weir_ctx *ctx, const struct value *value, struct line *line)
{
	switch (value->kind) {
	case VALUE_UINT:
		line_printf(line, "%llu", (unsigned long long)value->u);
		break;
	case VALUE_INT:
		line_printf(line, "%lld", (long long)value->i);
		break;
	case VALUE_DOUBLE:
		csv_double(line, value->d);
		break;
	case VALUE_BOOL:
		line_text(line, value->b ? "true" : "false");
		break;
	case VALUE_TIME:
		csv_time(line, ctx->host->wall(ctx, value->u));
		break;
	case VALUE_TEXT:
		csv_text(line, value->text, value->count);
		break;
	default:
		break;
	}
}

void csv_cell(struct weir_ctx *ctx, const struct weir_batch *batch, const struct weir_field *field,
	      enum csv_part part, const void *row, struct line *line)
{
	struct value value = value_read(ctx, batch, field, row);

	switch (value.kind) {
	case VALUE_HISTOGRAM:
		csv_histogram(line, value.histogram, part);
		break;
	case VALUE_NAMES:
	case VALUE_STACK:
	case VALUE_ROWS:
		csv_list(ctx, batch, field, &value, line);
		break;
	default:
		csv_scalar(ctx, &value, line);
		break;
	}
}
