/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of rows as JSON text. */
#ifndef JSON_VALUE_H
#define JSON_VALUE_H

#include "line.h"
#include "value.h"

/* `"text"`, escaped; bytes that are not UTF-8 become U+FFFD. */
void json_text(struct line *line, const char *text, size_t length);

/* `"2026-11-30T09:02:16.000000001Z"` from CLOCK_REALTIME ns. */
void json_time(struct line *line, uint64_t wall_ns);

/* A number; null for NaN and infinities. */
void json_double(struct line *line, double value);

/* A list of objects, or a map where the field says so. */
void json_rows(struct weir_ctx *ctx, const struct weir_batch *batch, const struct weir_field *field,
	       const struct value *rows, struct line *line);

/* `"name":value` */
void json_field(struct weir_ctx *ctx, const struct weir_batch *batch,
		const struct weir_field *field, const void *row, struct line *line);

/* `"name":value,"name":value` for all fields of a schema. */
void json_fields(struct weir_ctx *ctx, const struct weir_batch *batch,
		 const struct weir_schema *schema, const void *row, struct line *line);

#endif
