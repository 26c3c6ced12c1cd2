/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's calls that have files of their own. Contracts: weir_host. */
#ifndef CORE_HOST_PARTS_H
#define CORE_HOST_PARTS_H

#include "expr.h"
#include "node.h"

int WEIR_PRINTF(4, 0) host_fail_option(struct weir_ctx *ctx, const char *path, int error,
				       const char *format, va_list args);

/* host_batch.c */
struct weir_batch *host_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
			     uint32_t arena_bytes);
int host_reserve(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
		 uint32_t arena_bytes);
int host_commit(struct weir_ctx *ctx, struct weir_batch *batch);
void host_discard(struct weir_ctx *ctx, struct weir_batch *batch);

/* host_text.c */
struct weir_expr *host_expr_compile(struct weir_ctx *ctx, const char *text,
				    const struct weir_schema *schema, const char *option);
/* The same for a text at `place`; NULL after having reported, with a caret, what is wrong. */
struct weir_expr *host_expr_at(struct weir_ctx *ctx, const char *text,
			       const struct weir_schema *schema, const struct place *place);
struct weir_writer *host_writer_open(struct weir_ctx *ctx, const char *path, uint32_t flags);

/* host_tree.c */
const struct weir_tree *host_tree_read(struct weir_ctx *ctx, const char *path, uint32_t flags);
const struct weir_tree *host_tree_text(struct weir_ctx *ctx, const char *name, const char *text);
void host_tree_look(const struct weir_tree *tree, struct weir_tree_look *look);
const struct weir_tree *host_tree_item(const struct weir_tree *tree, uint32_t i, const char **key);
int WEIR_PRINTF(4, 0) host_tree_fail(struct weir_ctx *ctx, const struct weir_tree *tree, int error,
				     const char *format, va_list args);
struct weir_expr *host_tree_expr(struct weir_ctx *ctx, const struct weir_tree *tree,
				 const struct weir_schema *schema);

#endif
