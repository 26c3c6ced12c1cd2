/* SPDX-License-Identifier: BSD-2-Clause */
/* The weighted call tree; see calltree.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calltree.h"

/* Siblings up to which looking at them all is quicker, and smaller, than an index. */
enum { CALLTREE_FEW = 12 };

static int calltree_grow_before(struct calltree *tree, uint32_t capacity)
{
	uint64_t *before = reallocarray(tree->before, capacity, sizeof(*before));

	if (!before)
		return -ENOMEM;
	memset(before + tree->capacity, 0, (capacity - tree->capacity) * sizeof(*before));
	tree->before = before;
	return 0;
}

static int calltree_grow(struct calltree *tree)
{
	uint32_t capacity = tree->capacity ? tree->capacity + tree->capacity / 2 : 256;
	struct calltree_node *nodes;

	if (tree->count < tree->capacity)
		return 0;
	if (capacity < tree->capacity || (tree->before && calltree_grow_before(tree, capacity)))
		return -ENOMEM;
	nodes = reallocarray(tree->nodes, capacity, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	tree->nodes = nodes;
	tree->capacity = capacity;
	return 0;
}

int calltree_init(struct calltree *tree)
{
	int err;

	memset(tree, 0, sizeof(*tree));
	err = calltree_grow(tree);
	if (!err)
		memset(&tree->nodes[tree->count++], 0, sizeof(*tree->nodes));
	return err;
}

void calltree_clear(struct calltree *tree)
{
	free(tree->nodes);
	free(tree->before);
	intmap_clear(&tree->children);
	memset(tree, 0, sizeof(*tree));
}

static uint64_t calltree_key(uint32_t parent, uint32_t name)
{
	return (uint64_t)parent << 32 | name;
}

static uint32_t calltree_find(const struct calltree *tree, uint32_t parent, uint32_t name,
			      uint32_t tag)
{
	uint32_t node;

	if (tree->nodes[parent].children > CALLTREE_FEW)
		return intmap_get(&tree->children, calltree_key(parent, name), tag);
	for (node = tree->nodes[parent].child; node; node = tree->nodes[node].next)
		if (tree->nodes[node].name == name && tree->nodes[node].tag == tag)
			break;
	return node;
}

/* The node is its parent's youngest: it goes into the index where that has so many. */
static int calltree_index(struct calltree *tree, uint32_t parent, uint32_t node)
{
	uint32_t count = ++tree->nodes[parent].children;
	int err = 0;

	if (count <= CALLTREE_FEW)
		return 0;
	do {
		const struct calltree_node *at = &tree->nodes[node];

		err = intmap_add(&tree->children, calltree_key(parent, at->name), at->tag, node);
		node = at->next;
	} while (!err && count == CALLTREE_FEW + 1 && node);
	return err;
}

uint32_t calltree_append(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag)
{
	uint32_t node = tree->count;

	if (calltree_grow(tree))
		return 0;
	tree->nodes[node] = (struct calltree_node){
		.parent = parent, .next = tree->nodes[parent].child, .name = name, .tag = tag
	};
	tree->nodes[parent].child = node;
	tree->count++;
	return node;
}

uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag)
{
	uint32_t node = calltree_find(tree, parent, name, tag);

	if (node)
		return node;
	node = calltree_append(tree, parent, name, tag);
	return node && !calltree_index(tree, parent, node) ? node : 0;
}

int calltree_add_before(struct calltree *tree, uint32_t node, uint64_t weight)
{
	if (!tree->before) {
		tree->before = calloc(tree->capacity, sizeof(*tree->before));
		if (!tree->before)
			return -ENOMEM;
	}
	tree->before[node] += weight;
	return 0;
}

void calltree_sum(struct calltree *tree)
{
	uint32_t node;

	intmap_clear(&tree->children);
	for (node = tree->count; node-- > 1;) {
		struct calltree_node *parent = &tree->nodes[tree->nodes[node].parent];

		parent->weight += tree->nodes[node].weight;
		parent->samples += tree->nodes[node].samples;
		if (tree->before)
			tree->before[tree->nodes[node].parent] += tree->before[node];
	}
}

uint64_t calltree_self(const struct calltree *tree, uint32_t node)
{
	uint64_t self = tree->nodes[node].weight;
	uint32_t child;

	for (child = tree->nodes[node].child; child; child = tree->nodes[child].next)
		self -= tree->nodes[child].weight;
	return self;
}
