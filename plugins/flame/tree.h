/* SPDX-License-Identifier: BSD-2-Clause */
/* What the two views of flame.tree share: options, rows, and how rows are sent. */
#ifndef FLAME_TREE_H
#define FLAME_TREE_H

#include "profile.h"

enum tree_view { TREE_VIEW_TREE = 0, TREE_VIEW_FLAT = 1 };
enum tree_order { TREE_CALLER = 0, TREE_CALLEE = 1 };

enum {
	TREE_ROWS = 4096, /* of a batch */
	TREE_FEW = 100,   /* samples below which shares are rough */
};

struct tree_conf {
	double percent_limit;
	uint32_t view;
	uint32_t order;
	uint32_t max_depth;
};

struct tree_row {
	double children;
	double self;
	uint64_t samples;
	uint32_t depth;
	struct weir_name comm;
	struct weir_name object;
	struct weir_name symbol;
};

/* One function of the flat view. Ids are of the profile's names. */
struct tree_function {
	uint64_t weight; /* callees included; a recursive function counts once */
	uint64_t self;
	uint64_t samples; /* of self */
	uint64_t last_row;
	uint32_t comm;
	uint32_t object;
	uint32_t symbol;
	uint32_t reserved;
};

/* All zero: empty. */
struct tree_flat {
	struct tree_function *functions;
	uint32_t count;
	uint32_t capacity;
	struct intmap ids; /* (comm, object, symbol) to place in functions + 1 */
	uint64_t row;      /* rows seen */
};

struct tree_step {
	uint32_t node;
	uint32_t comm;  /* id of the command that the node belongs to, 0: of several or none */
	uint32_t depth; /* of the node's row */
	bool rest;      /* no node: the children of `node` that are too small */
};

/* A walk through the tree. */
struct tree_nodes {
	struct tree_step *steps; /* still to be sent, the next one last */
	size_t count;
	size_t capacity;
};

struct tree_state {
	struct profile profile;
	struct tree_flat flat;
	struct tree_nodes nodes;
	uint64_t total;
};

/* What lies below the limit under one parent. */
struct tree_rest {
	uint32_t count;
	uint32_t depth;
	uint32_t comm;
	bool has_children; /* weight means something */
	uint64_t weight;
	uint64_t self;
	uint64_t samples;
};

double tree_share(uint64_t weight, uint64_t total);

/* A new row; sends the batch when it is full. *batch is NULL or the loan at hand. NULL: no memory. */
struct tree_row *tree_add_row(struct weir_ctx *ctx, struct weir_batch **batch);

/* The row of a rest, if there is one. */
int tree_add_rest(struct weir_ctx *ctx, struct weir_batch **batch, const struct tree_rest *rest);

int tree_nodes_send(struct weir_ctx *ctx, struct weir_batch **batch);

int tree_flat_push(struct weir_ctx *ctx, struct tree_flat *flat, const struct weir_batch *batch);
int tree_flat_send(struct weir_ctx *ctx, struct tree_flat *flat, struct weir_batch **batch);
void tree_flat_clear(struct tree_flat *flat);

#endif
