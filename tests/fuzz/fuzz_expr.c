/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any text either fails to compile at a place that lies in it, or yields the type it promised, on a
 * row of zeroes and on one of ones.
 */
#include <stdlib.h>

#include "expr.h"

struct row {
	uint64_t wait;
	uint64_t bytes;
	int64_t balance;
	double share;
	struct weir_text path;
	struct weir_histogram_ref times;
	struct weir_stack_ref stack;
	struct weir_name op;
	uint32_t count;
	char comm[7];
	bool ok;
};

static const struct weir_field fields[] = {
	WEIR_FIELD_DURATION(struct row, wait, WEIR_EVENT, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, bytes, WEIR_KIB, WEIR_EVENT, ""),
	WEIR_FIELD_WITH(struct row, balance, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, share, WEIR_PERCENT, WEIR_GAUGE, ""),
	WEIR_FIELD_WITH(struct row, path, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, times, WEIR_NS, WEIR_DELTA, ""),
	WEIR_FIELD(struct row, stack, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, op, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, count, WEIR_COUNT, WEIR_DELTA, ""),
	WEIR_FIELD(struct row, ok, WEIR_NONE, WEIR_GAUGE, ""),
	{ "comm", "", NULL, WEIR_TYPE_CHARS, WEIR_KEY, offsetof(struct row, comm), 7, 0, 0, NULL },
};

static const struct weir_schema schema = { sizeof(schema), sizeof(struct row), "fuzz",
					   WEIR_TABLE(fields) };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check(const struct weir_expr *expr, const struct row *row)
{
	static const struct weir_batch batch;
	struct weir_value value;

	if (expr_eval(expr, &batch, row, &value))
		__builtin_trap();
	if (value.type != expr_type(expr) &&
	    (value.type != WEIR_TYPE_NONE || expr_type(expr) == WEIR_TYPE_BOOL))
		__builtin_trap();
	if (value.type == WEIR_TYPE_DOUBLE && __builtin_isnan(value.d))
		__builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct expr_error error = { 0, 0, "" };
	struct row row = { 0 };
	struct weir_expr *expr;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, bytes, size);
	text[size] = '\0';
	if (expr_compile(text, &schema, &expr, &error)) {
		if (expr || error.column < 1 || error.column > strlen(text) + 1 ||
		    error.length < 1 || !error.message[0])
			__builtin_trap();
	} else {
		check(expr, &row);
		row = (struct row){ .wait = UINT64_MAX,
				    .bytes = UINT64_MAX,
				    .balance = INT64_MIN + 1,
				    .share = -1e308,
				    .count = UINT32_MAX,
				    .ok = true };
		memset(row.comm, 'x', sizeof(row.comm));
		check(expr, &row);
		expr_free(expr);
	}
	free(text);
	return 0;
}
