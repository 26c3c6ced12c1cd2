/* SPDX-License-Identifier: BSD-2-Clause */
/* What the weights of a profile are, in the words of formats that other tools read. */
#ifndef FLAME_VALUE_TYPE_H
#define FLAME_VALUE_TYPE_H

#include <weir/plugin.h>

struct value_type {
	const struct weir_field *event; /* NULL: there is no such column */
	const struct weir_unit *unit;   /* of the weight; NULL: none */
	char name[32];                  /* "cpu-clock", "time", "events" */
	bool noted;                     /* the event has given its name */
};

/* bind(): of input 0. */
void value_type_bind(struct weir_ctx *ctx, struct value_type *type);

/* The event of the first row names it: sources give samples of one. */
void value_type_note(struct weir_ctx *ctx, struct value_type *type, const struct weir_batch *batch);

/* "nanoseconds", "microseconds", "milliseconds", "seconds", "bytes" or "count". */
const char *value_type_unit(const struct value_type *type);

/* Whether the column itself tells it; else its event does. */
bool value_type_is_known(const struct value_type *type);

#endif
