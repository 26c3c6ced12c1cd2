/* SPDX-License-Identifier: BSD-2-Clause */
/* The weighted call tree; see calltree.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "calltree.h"

/* Siblings up to which looking at them all is quicker, and smaller, than an index. */
enum {
	CALLTREE_FEW = 14,
	CALLTREE_LABELS = 1 << 28,
	CALLTREE_AHEAD = 16 << 10,   /* nodes whose memory is got at once */
	CALLTREE_ALIGNED = 64 << 10, /* bytes: a whole number of pages everywhere */
};

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* Makes room in a column of 64 bits per node, if there is one. */
static int calltree_grow_column(const struct calltree *tree, uint64_t **column, uint32_t capacity)
{
	uint64_t *grown;

	if (!*column)
		return 0;
	grown = reallocarray(*column, capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memset(grown + tree->capacity, 0, (capacity - tree->capacity) * sizeof(*grown));
	*column = grown;
	return 0;
}

/* Pages cost less when many are got at once than by a fault each. Older kernels decline. */
static void calltree_get_pages(struct calltree *tree)
{
	uint32_t more = tree->capacity - tree->ready;
	uintptr_t begin = (uintptr_t)(tree->nodes + tree->ready), end;

	if (more > CALLTREE_AHEAD)
		more = CALLTREE_AHEAD;
	end = (uintptr_t)(tree->nodes + tree->ready + more);
	begin -= begin % CALLTREE_ALIGNED;
	end -= end % CALLTREE_ALIGNED;
	/* The first ones share their pages with others' memory. */
	if (tree->ready >= CALLTREE_AHEAD && begin < end)
		madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
	tree->ready += more;
}

static int calltree_grow(struct calltree *tree)
{
	uint32_t capacity = tree->capacity ? tree->capacity + tree->capacity / 2 : 256;
	struct calltree_node *nodes;

	if (tree->count < tree->ready)
		return 0;
	if (tree->ready < tree->capacity) {
		calltree_get_pages(tree);
		return 0;
	}
	if (capacity < tree->capacity || calltree_grow_column(tree, &tree->before, capacity) ||
	    calltree_grow_column(tree, &tree->samples, capacity))
		return -ENOMEM;
	nodes = reallocarray(tree->nodes, capacity, sizeof(*nodes));
	if (!nodes)
		return -ENOMEM;
	tree->nodes = nodes;
	tree->capacity = capacity;
	calltree_get_pages(tree);
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
	free(tree->samples);
	free(tree->labels);
	intmap_clear(&tree->children);
	intmap_clear(&tree->label_ids);
	memset(tree, 0, sizeof(*tree));
}

uint32_t calltree_label(struct calltree *tree, uint32_t name, uint32_t tag)
{
	uint32_t place = intmap_get(&tree->label_ids, name, tag);

	if (place)
		return place;
	if (tree->label_count == tree->label_capacity) {
		uint32_t capacity = tree->label_capacity ? tree->label_capacity * 2 : 256;
		struct calltree_label *labels =
			reallocarray(tree->labels, capacity, sizeof(*labels));

		if (!labels || capacity > CALLTREE_LABELS)
			return 0;
		tree->labels = labels;
		tree->label_capacity = capacity;
	}
	if (intmap_add(&tree->label_ids, name, tag, tree->label_count + 1))
		return 0;
	tree->labels[tree->label_count] = (struct calltree_label){ name, tag };
	return ++tree->label_count;
}

static uint32_t calltree_find(const struct calltree *tree, uint32_t parent, uint32_t label)
{
	uint32_t node;

	if (tree->nodes[parent].few_children > CALLTREE_FEW)
		return intmap_get(&tree->children, parent, label);
	for (node = tree->nodes[parent].child; node; node = tree->nodes[node].next)
		if (tree->nodes[node].label == label)
			break;
	return node;
}

/* The node is its parent's youngest: it goes into the index where that has so many. */
static int calltree_index(struct calltree *tree, uint32_t parent, uint32_t node)
{
	uint32_t few = tree->nodes[parent].few_children;
	bool indexed = few > CALLTREE_FEW;
	int err = 0;

	if (!indexed)
		tree->nodes[parent].few_children = ++few;
	if (few <= CALLTREE_FEW)
		return 0;
	do {
		err = intmap_add(&tree->children, parent, tree->nodes[node].label, node);
		node = tree->nodes[node].next;
	} while (!err && !indexed && node);
	return err;
}

static uint32_t calltree_append_label(struct calltree *tree, uint32_t parent, uint32_t label)
{
	uint32_t node = tree->count;

	if (calltree_grow(tree))
		return 0;
	tree->nodes[node] = (struct calltree_node){ .parent = parent,
						    .next = tree->nodes[parent].child,
						    .label = label };
	tree->nodes[parent].child = node;
	tree->count++;
	return node;
}

uint32_t calltree_append(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag)
{
	uint32_t place = calltree_label(tree, name, tag);

	return place ? calltree_append_label(tree, parent, place - 1) : 0;
}

uint32_t calltree_step(struct calltree *tree, uint32_t parent, uint32_t label)
{
	uint32_t node = calltree_find(tree, parent, label - 1);

	if (node)
		return node;
	node = calltree_append_label(tree, parent, label - 1);
	return node && !calltree_index(tree, parent, node) ? node : 0;
}

uint32_t calltree_child(struct calltree *tree, uint32_t parent, uint32_t name, uint32_t tag)
{
	uint32_t label = calltree_label(tree, name, tag);

	return label ? calltree_step(tree, parent, label) : 0;
}

/* Until now each weight was a number of samples: now there is a column of those. */
static int calltree_part_samples(struct calltree *tree)
{
	uint32_t node;

	tree->samples = calloc(tree->capacity, sizeof(*tree->samples));
	for (node = 0; tree->samples && node < tree->count; node++)
		tree->samples[node] = tree->nodes[node].weight;
	return tree->samples ? 0 : -ENOMEM;
}

int calltree_add(struct calltree *tree, uint32_t node, uint64_t weight, uint64_t samples)
{
	if (!tree->samples && weight != samples && calltree_part_samples(tree))
		return -ENOMEM;
	tree->nodes[node].weight += weight;
	if (tree->samples)
		tree->samples[node] += samples;
	return 0;
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
		if (tree->samples)
			tree->samples[tree->nodes[node].parent] += tree->samples[node];
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
