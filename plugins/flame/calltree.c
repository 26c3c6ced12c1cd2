/* SPDX-License-Identifier: BSD-2-Clause */
/* The weighted call tree; see calltree.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calltree.h"

static int calltree_grow(struct calltree *tree)
{
	uint32_t capacity = tree->capacity ? tree->capacity + tree->capacity / 2 : 256;
	struct calltree_node *nodes;

	if (tree->count < tree->capacity)
		return 0;
	if (capacity < tree->capacity)
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
	intmap_clear(&tree->children);
	memset(tree, 0, sizeof(*tree));
}

uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag)
{
	uint64_t key = (uint64_t)parent << 32 | name;
	uint32_t node = intmap_get(&tree->children, key, tag);

	if (node)
		return node;
	if (calltree_grow(tree) || intmap_add(&tree->children, key, tag, tree->count))
		return 0;
	node = tree->count++;
	tree->nodes[node] = (struct calltree_node){
		.parent = parent, .next = tree->nodes[parent].child, .name = name, .tag = tag
	};
	tree->nodes[parent].child = node;
	return node;
}

void calltree_sum(struct calltree *tree)
{
	uint32_t node;

	intmap_clear(&tree->children);
	for (node = tree->count; node-- > 1;) {
		struct calltree_node *parent = &tree->nodes[tree->nodes[node].parent];

		parent->weight += tree->nodes[node].weight;
		parent->samples += tree->nodes[node].samples;
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
