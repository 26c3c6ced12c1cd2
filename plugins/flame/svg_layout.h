/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the frames of a flame graph lie. */
#ifndef FLAME_SVG_LAYOUT_H
#define FLAME_SVG_LAYOUT_H

#include "profile.h"

struct svg_box {
	uint64_t left; /* in the value's unit */
	uint32_t node;
	uint32_t depth;
};

struct svg_layout {
	struct svg_box *boxes; /* a parent before its children */
	uint32_t count;
	uint32_t capacity;
	uint32_t depth;        /* levels */
	uint32_t pruned;       /* frames that are too narrow; what stands on them is not counted */
	bool by_samples;       /* the value that makes a frame wide */
	bool in_order;         /* siblings stand as they came, not by name */
	uint64_t *gone;        /* by node: weight before of what is there no more; NULL: none */
	uint64_t minimum;      /* the least value that is drawn */
	uint64_t pruned_value; /* of those frames that ended in no drawn one */
};

/* How wide a node is. */
static inline uint64_t svg_value(const struct svg_layout *layout, const struct calltree *tree,
				 uint32_t node)
{
	uint64_t value =
		layout->by_samples ? calltree_samples(tree, node) : tree->nodes[node].weight;

	return layout->gone ? value + layout->gone[node] : value;
}

/* Makes room, in a summed tree, for frames that the profile before alone has. 0 or -ENOMEM. */
int svg_layout_gone(struct svg_layout *layout, const struct calltree *tree);

/* Lays out a summed tree; by_samples, in_order and minimum are set. 0 or -ENOMEM. */
int svg_layout(struct weir_ctx *ctx, const struct profile *profile, struct svg_layout *layout);
void svg_layout_clear(struct svg_layout *layout);

#endif
