/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The expression language: text to a checked tree over a schema, and its evaluation. What users
 * may write is in docs/expressions.md.
 */
#ifndef CORE_EXPR_H
#define CORE_EXPR_H

#include <weir/host.h>

struct expr_error {
	uint32_t column; /* in the text, from 1; counts characters (UTF-8) */
	uint32_t length; /* of what the caret marks; at least 1 */
	char message[256];
};

/*
 * Compiles `text` against a schema, which must outlive the expression. 0, -EINVAL with *error,
 * or -ENOMEM. *expr is NULL on failure.
 */
int expr_compile(const char *text, const struct weir_schema *schema, struct weir_expr **expr,
		 struct expr_error *error);

/* What it yields where it is not absent: UINT, INT, DOUBLE, BOOL or TEXT. */
uint32_t expr_type(const struct weir_expr *expr);

/* The unit of the number that it yields, or NULL; lives as long as the expression. */
const struct weir_unit *expr_unit(const struct weir_expr *expr);

/*
 * The value for one row. A BOOL is never absent; anything else may be (type NONE). Always 0. Any
 * thread. A text lives as long as the batch and the expression, and need not end with a NUL.
 */
int expr_eval(const struct weir_expr *expr, const struct weir_batch *batch, const void *row,
	      struct weir_value *value);

void expr_free(struct weir_expr *expr); /* NULL is allowed */

#endif
