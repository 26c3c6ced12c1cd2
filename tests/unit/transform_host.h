/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host for the unit tests of transforms: one input, one output, the real expression language.
 * It keeps the batch that was committed last and what was said last.
 */
#ifndef TRANSFORM_HOST_H
#define TRANSFORM_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/plugin.h>

#include "expr.h"
#include "names.h"

/* Last: its macro fail() hides a member of struct weir_host. */
#include <cmocka.h>

extern const struct weir_component weir_component;

struct transform_host {
	struct weir_host host; /* first: a ctx leads back to it */
	struct weir_ctx ctx;
	struct weir_input input;
	struct weir_batch *out; /* the last one committed */
	bool full;              /* loans are refused */
	uint64_t lost;
	char said[256];
};

static struct transform_host *transform_of(struct weir_ctx *ctx)
{
	return (struct transform_host *)(uintptr_t)ctx->host;
}

static const struct weir_input *transform_input(struct weir_ctx *ctx, uint32_t i)
{
	return i ? NULL : &transform_of(ctx)->input;
}

static void WEIR_PRINTF(3, 0)
	transform_log(struct weir_ctx *ctx, int level, const char *format, va_list args)
{
	(void)level;
	vsnprintf(transform_of(ctx)->said, sizeof(transform_of(ctx)->said), format, args);
}

static int WEIR_PRINTF(3, 0)
	transform_fail(struct weir_ctx *ctx, int error, const char *format, va_list args)
{
	vsnprintf(transform_of(ctx)->said, sizeof(transform_of(ctx)->said), format, args);
	return error;
}

static int WEIR_PRINTF(4, 0) transform_fail_option(struct weir_ctx *ctx, const char *path,
						   int error, const char *format, va_list args)
{
	(void)path;
	return transform_fail(ctx, error, format, args);
}

static void transform_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	(void)reason;
	(void)cure;
	transform_of(ctx)->lost += n;
}

static void transform_discard(struct weir_ctx *ctx, struct weir_batch *batch)
{
	(void)ctx;
	if (!batch)
		return;
	free(batch->rows);
	free(batch->arena);
	free(batch);
}

/* Exactly as large as asked for, so that a sanitizer sees what goes beyond. */
static struct weir_batch *transform_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
					 uint32_t arena_bytes)
{
	const uint32_t row_size = transform_of(ctx)->input.schema->row_size;
	struct weir_batch *batch = calloc(1, sizeof(*batch));

	assert_int_equal(output, 0);
	assert_non_null(batch);
	if (transform_of(ctx)->full) {
		free(batch);
		return NULL;
	}
	batch->size = sizeof(*batch);
	batch->row_size = row_size;
	batch->row_capacity = rows;
	batch->arena_capacity = arena_bytes;
	batch->rows = calloc(rows ? rows : 1, row_size);
	batch->arena = calloc(arena_bytes ? arena_bytes : 1, 1);
	assert_true(batch->rows && batch->arena);
	return batch;
}

static int transform_commit(struct weir_ctx *ctx, struct weir_batch *batch)
{
	assert_true(batch->row_count <= batch->row_capacity);
	assert_true(batch->arena_used <= batch->arena_capacity);
	transform_discard(ctx, transform_of(ctx)->out);
	transform_of(ctx)->out = batch;
	return 0;
}

static struct weir_expr *transform_compile(struct weir_ctx *ctx, const char *text,
					   const struct weir_schema *schema, const char *option)
{
	struct expr_error error = { 0, 0, "" };
	struct weir_expr *expr;

	if (expr_compile(text, schema, &expr, &error) == 0)
		return expr;
	weir_fail_option(ctx, option, -EINVAL, "%s", error.message);
	return NULL;
}

/* Binds the component under test; what bind() returned. */
static int transform_open(struct transform_host *t, const struct weir_schema *schema,
			  const void *options)
{
	*t = (struct transform_host){
		.host = { .size = sizeof(t->host),
			  .log = transform_log,
			  .fail = transform_fail,
			  .fail_option = transform_fail_option,
			  .lost = transform_lost,
			  .input = transform_input,
			  .loan = transform_loan,
			  .commit = transform_commit,
			  .discard = transform_discard,
			  .expr_compile = transform_compile,
			  .expr_type = expr_type,
			  .expr_eval = expr_eval,
			  .expr_free = expr_free },
		.ctx = { .size = sizeof(t->ctx), .input_count = 1, .options = options, .root = -1 },
		.input = { .size = sizeof(t->input), .schema = schema },
	};
	t->ctx.host = &t->host;
	t->ctx.state = calloc(1, weir_component.state_size);
	assert_non_null(t->ctx.state);
	return weir_component.bind(&t->ctx);
}

static void transform_close(struct transform_host *t)
{
	weir_component.destroy(&t->ctx);
	free(t->ctx.state);
	transform_discard(&t->ctx, t->out);
}

#endif
