/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The weighted call tree: what graphs and text trees are drawn from. Nodes are numbers; node 0 is
 * the root, and a node's number is larger than its parent's. Nothing here recurses.
 */
#ifndef FLAME_CALLTREE_H
#define FLAME_CALLTREE_H

#include <stdint.h>

#include "intmap.h"

struct calltree_node {
	uint32_t parent;
	uint32_t child; /* the first one; 0: none */
	uint32_t next;  /* sibling; 0: none */
	uint32_t name;  /* what the node is called: the caller's id */
	uint32_t tag;   /* tells nodes of one name apart: the caller's */
	uint32_t children;
	uint64_t weight;  /* its own; from calltree_sum() on with everything below it */
	uint64_t samples; /* likewise */
};

/* All zero is an empty tree. */
struct calltree {
	struct calltree_node *nodes;
	uint32_t count; /* the root included; 0: empty */
	uint32_t capacity;
	struct intmap children; /* (parent, name, tag) to node, where a parent has many */
	uint64_t *before; /* by node: weight in another profile, summed likewise; NULL: none */
};

/* The child of that name and tag, made if need be. 0: no memory. Node pointers may change. */
uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag);

/* The same, but made in any case: to the right of its siblings. */
uint32_t calltree_append(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag);

/* Adds to a node's weight in the other profile. 0 or -ENOMEM. */
int calltree_add_before(struct calltree *tree, uint32_t node, uint64_t weight);

/* Makes the root. 0 or -ENOMEM. */
int calltree_init(struct calltree *tree);
void calltree_clear(struct calltree *tree);

/* Adds to each node what is below it. Once, when everything is in. Frees the index. */
void calltree_sum(struct calltree *tree);

/* After calltree_sum(): the node's own weight. */
uint64_t calltree_self(const struct calltree *tree, uint32_t node);

#endif
