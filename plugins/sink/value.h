/* SPDX-License-Identifier: BSD-2-Clause */
/* What a field of a row says, read by its type: the same for every sink. */
#ifndef SINK_VALUE_H
#define SINK_VALUE_H

#include <weir/plugin.h>

enum value_kind {
	VALUE_ABSENT, /* optional and not there, or NaN */
	VALUE_UINT,
	VALUE_INT,
	VALUE_DOUBLE,
	VALUE_BOOL,
	VALUE_TIME, /* u: CLOCK_MONOTONIC ns */
	VALUE_TEXT,
	VALUE_NAMES,
	VALUE_HISTOGRAM, /* NULL: an empty one */
	VALUE_STACK,
	VALUE_ROWS,
};

/* A value. It lives as long as its batch. */
struct value {
	enum value_kind kind;
	uint32_t count; /* bytes of TEXT; items of NAMES, STACK and ROWS */
	union {
		uint64_t u;
		int64_t i;
		double d;
		bool b;
		const char *text;
		const void *items;
		const struct weir_histogram *histogram;
	};
};

/* A frame for people: its symbol, or object and offset, or "[unknown]". */
struct value_frame {
	const char *text;
	uint32_t length;
	char offset[24]; /* "+0x1f", or "" */
};

/* The field's value in a row of the batch, or of a sub-schema in its arena. */
struct value value_read(struct weir_ctx *ctx, const struct weir_batch *batch,
			const struct weir_field *field, const void *row);

/* Item i of NAMES, as a TEXT. */
struct value value_name(struct weir_ctx *ctx, const struct weir_batch *batch,
			const struct value *names, uint32_t i);

/* Item i of a STACK, 0 being the leaf. */
struct value_frame value_frame(struct weir_ctx *ctx, const struct weir_batch *batch,
			       const struct weir_field *field, const struct value *stack,
			       uint32_t i);

/* The field that says when a row happened, or NULL: rows then happened by the window's end. */
const struct weir_field *value_time_field(const struct weir_schema *schema);

/* The moment of a row, CLOCK_MONOTONIC ns, by its schema's value_time_field(). */
uint64_t value_moment(struct weir_ctx *ctx, const struct weir_batch *batch,
		      const struct weir_field *time, const void *row);

/* A number of any kind as a double; NaN when it is none. */
double value_number(const struct value *value);

/* True when people read columns of it per second: then rows say how long their window was. */
bool value_per_second(const struct weir_schema *schema);

/* Whether the field holds text, which is read aligned to the left. */
bool value_is_text(const struct weir_field *field);

#endif
