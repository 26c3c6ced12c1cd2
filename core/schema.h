/* SPDX-License-Identifier: BSD-2-Clause */
/* Schemas: their checks, the words for their types, and what one column asks of another. */
#ifndef CORE_SCHEMA_H
#define CORE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/component.h>
#include <weir/host.h>

/*
 * Checks a schema of this host's own item sizes: names, types, sizes, offsets, nesting.
 * 0, or -EINVAL with the first fault in `error`.
 */
int schema_lint(const struct weir_schema *schema, char *error, size_t error_size);

/*
 * A schema whose structs have this host's sizes. The same pointer where it has them already;
 * else a copy in *owned, for free(). NULL: no memory, or tables that make no sense.
 */
const struct weir_schema *schema_adopt(const struct weir_schema *schema, void **owned);

/* "uint32", "chars[16]", "duration", "stack" ...: for `describe`. */
const char *schema_type_text(const struct weir_field *field);
/* "a stack", "an unsigned integer": for messages. */
const char *schema_type_phrase(uint32_t type);
const char *schema_role_text(uint32_t role); /* "key"; "" for none */

enum schema_match {
	SCHEMA_FITS = 0,
	SCHEMA_LACKS,        /* there is no such column */
	SCHEMA_DIFFERS,      /* it is of another type, role or dimension */
	SCHEMA_GOES_WITHOUT, /* lacks it, which is allowed */
};

/* Looks for a wanted column; *field is set when there is one of that name. */
enum schema_match schema_want(const struct weir_schema *schema, const struct weir_want *want,
			      const struct weir_field **field);

/* `"stack", a stack`, `"wait", a duration of time, delta`. */
void schema_want_text(const struct weir_want *want, char *out, size_t size);
/* "time, pid, comm" */
void schema_columns_text(const struct weir_schema *schema, char *out, size_t size);

#endif
