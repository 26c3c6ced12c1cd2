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
	struct weir_name comm;
	struct weir_name object;
	uint32_t depth;
	uint32_t indent;
	struct weir_name symbol;
	uint32_t reserved;
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
	uint32_t comm;   /* id of the command that the node belongs to, 0: of several or none */
	uint32_t depth;  /* of the node's row */
	uint32_t indent; /* likewise: a chain of calls stands on one indentation */
	bool chain;      /* the node goes on with such a chain */
	bool rest;       /* no node: what is too small below `node` */
};

/* What is too small to be shown. */
struct tree_rest {
	uint32_t count;
	bool has_children; /* weight means something */
	uint64_t weight;
	uint64_t self;
	uint64_t samples;
};

/* A walk through the tree. */
struct tree_nodes {
	struct tree_step *steps; /* still to be sent, the next one last */
	size_t count;
	size_t capacity;
	struct tree_rest *rests; /* by depth: of the subtrees that were walked, not shown yet */
	size_t rest_capacity;
};

struct tree_state {
	struct profile profile;
	struct tree_flat flat;
	struct tree_nodes nodes;
	uint64_t total;
};

double tree_share(uint64_t weight, uint64_t total);

/* A new row; sends the batch when it is full. *batch is NULL or the loan at hand. NULL: no memory. */
struct tree_row *tree_add_row(struct weir_ctx *ctx, struct weir_batch **batch);

/* The row of a rest; *row is that row, for what else is known of it. 0 or -ENOMEM. */
int tree_add_rest(struct weir_ctx *ctx, struct weir_batch **batch, const struct tree_rest *rest,
		  struct tree_row **row);

int tree_nodes_send(struct weir_ctx *ctx, struct weir_batch **batch);
void tree_nodes_clear(struct tree_nodes *nodes);

int tree_flat_push(struct weir_ctx *ctx, struct tree_flat *flat, const struct weir_batch *batch);
int tree_flat_send(struct weir_ctx *ctx, struct tree_flat *flat, struct weir_batch **batch);
void tree_flat_clear(struct tree_flat *flat);

#endif
