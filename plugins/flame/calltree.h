/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The weighted call tree: what graphs and text trees are drawn from. Nodes are numbers; node 0 is
 * the root, and a node's number is larger than its parent's. Nothing here recurses.
 */
#ifndef FLAME_CALLTREE_H
#define FLAME_CALLTREE_H

#include <stdint.h>

#include "intmap.h"

/* Profiles have millions of these: what many nodes share stands elsewhere. */
struct calltree_node {
	uint32_t parent;
	uint32_t child;            /* the first one; 0: none */
	uint32_t next;             /* sibling; 0: none */
	uint32_t label : 28;       /* place in labels: see calltree_name() */
	uint32_t few_children : 4; /* so many; the largest number: more */
	uint64_t weight;           /* its own; from calltree_sum() on with everything below it */
};

struct calltree_label {
	uint32_t name; /* what nodes are called: the caller's id */
	uint32_t tag;  /* tells nodes of one name apart: the caller's */
};

/* All zero is an empty tree. */
struct calltree {
	struct calltree_node *nodes;
	uint32_t count; /* the root included; 0: empty */
	uint32_t capacity;
	uint32_t ready;         /* the first so many nodes have pages */
	struct intmap children; /* (parent, label) to node, where a parent has many */
	uint64_t *before;  /* by node: weight in another profile, summed likewise; NULL: none */
	uint64_t *samples; /* by node, summed likewise; NULL: each weight is a number of samples */
	struct calltree_label *labels;
	uint32_t label_count;
	uint32_t label_capacity;
	struct intmap label_ids; /* (name, tag) to place in labels + 1 */
};

static inline uint32_t calltree_name(const struct calltree *tree, uint32_t node)
{
	return node ? tree->labels[tree->nodes[node].label].name : 0;
}

static inline uint32_t calltree_tag(const struct calltree *tree, uint32_t node)
{
	return node ? tree->labels[tree->nodes[node].label].tag : 0;
}

static inline uint64_t calltree_samples(const struct calltree *tree, uint32_t node)
{
	return tree->samples ? tree->samples[node] : tree->nodes[node].weight;
}

/* The child of that name and tag, made if need be. 0: no memory. Node pointers may change. */
uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag);

/*
 * The same in two steps, for who meets a name and tag often: they have a number, from 1 on, by which
 * the child is found. 0: no memory.
 */
uint32_t calltree_label(struct calltree *tree, uint32_t name, uint32_t tag);
uint32_t calltree_step(struct calltree *tree, uint32_t parent, uint32_t label);

/* As calltree_child(), but made in any case: to the right of its siblings. */
uint32_t calltree_append(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag);

/* Adds to a node's own weight and samples. 0 or -ENOMEM. */
int calltree_add(struct calltree *tree, uint32_t node, uint64_t weight, uint64_t samples);

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
