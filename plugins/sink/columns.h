/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns that a user asks a sink for, by name or by the head that people know them by. */
#ifndef SINK_COLUMNS_H
#define SINK_COLUMNS_H

#include <weir/plugin.h>

/* The field of that name, or whose head says that; NULL: none. */
const struct weir_field *columns_find(const struct weir_schema *schema, const char *word);

/* bind(): each column that the option `columns` names must be one of some input. 0 or -EINVAL. */
int columns_check(struct weir_ctx *ctx, const struct weir_texts *columns);

/* The fields of a schema that an input shows, malloc'd. */
struct columns {
	const struct weir_field **fields;
	uint32_t count;
};

/* Those that are named, in that order; all where the schema has none of them. 0 or -ENOMEM. */
int columns_choose(struct columns *chosen, const struct weir_texts *columns,
		   const struct weir_schema *schema);

#endif
