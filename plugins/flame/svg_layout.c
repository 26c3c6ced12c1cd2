/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the frames of a flame graph lie. The list of boxes is at once the list of what is still to
 * be done: a box's children are laid out when its turn comes. Siblings stand in the order of their
 * names; those too narrow to be seen leave their room at the right end of their parent.
 */
#include <stdlib.h>

#include "svg_layout.h"

struct svg_sorting {
	struct weir_ctx *ctx;
	const struct profile *profile;
	bool in_order;
};

/* A node that is there still has the room of those below it that are not. */
static void svg_add_gone(struct svg_layout *layout, const struct calltree *tree, uint32_t node)
{
	uint32_t child;

	for (child = tree->nodes[node].child; child; child = tree->nodes[child].next)
		layout->gone[node] += layout->gone[child];
}

int svg_layout_gone(struct svg_layout *layout, const struct calltree *tree)
{
	uint32_t node;

	if (!tree->before)
		return 0;
	layout->gone = calloc(tree->count, sizeof(*layout->gone));
	if (!layout->gone)
		return -ENOMEM;
	for (node = tree->count; node-- > 0;) {
		if (tree->nodes[node].weight == 0)
			layout->gone[node] = tree->before[node];
		else
			svg_add_gone(layout, tree, node);
	}
	return 0;
}

static int svg_add_box(struct svg_layout *layout, uint32_t node, uint32_t depth)
{
	if (layout->count == layout->capacity) {
		uint32_t capacity = layout->capacity ? layout->capacity * 2 : 256;
		struct svg_box *boxes =
			reallocarray(layout->boxes, capacity, sizeof(*layout->boxes));

		if (!boxes)
			return -ENOMEM;
		layout->boxes = boxes;
		layout->capacity = capacity;
	}
	layout->boxes[layout->count++] = (struct svg_box){ 0, node, depth };
	if (depth >= layout->depth)
		layout->depth = depth + 1;
	return 0;
}

static int svg_compare(const void *left, const void *right, void *arg)
{
	const struct svg_box *a = left, *b = right;
	const struct svg_sorting *sorting = arg;
	const struct calltree *tree = &sorting->profile->tree;
	uint32_t tag_a, tag_b;
	int order;

	if (sorting->in_order)
		return (a->node > b->node) - (a->node < b->node);
	order = profile_compare(sorting->ctx, sorting->profile, calltree_name(tree, a->node),
				calltree_name(tree, b->node));
	tag_a = calltree_tag(tree, a->node);
	tag_b = calltree_tag(tree, b->node);
	return order ? order : (tag_a > tag_b) - (tag_a < tag_b);
}

static int svg_lay_children(const struct svg_sorting *sorting, struct svg_layout *layout,
			    struct svg_box parent)
{
	const struct calltree *tree = &sorting->profile->tree;
	uint64_t left = parent.left;
	uint32_t first = layout->count, child, i;

	for (child = tree->nodes[parent.node].child; child; child = tree->nodes[child].next) {
		uint64_t value = svg_value(layout, tree, child);

		if (value < layout->minimum) {
			layout->pruned++;
			layout->pruned_value += value;
		} else if (svg_add_box(layout, child, parent.depth + 1)) {
			return -ENOMEM;
		}
	}
	if (layout->count > first + 1)
		qsort_r(layout->boxes + first, layout->count - first, sizeof(*layout->boxes),
			svg_compare, (void *)sorting);
	for (i = first; i < layout->count; i++) {
		layout->boxes[i].left = left;
		left += svg_value(layout, tree, layout->boxes[i].node);
	}
	return 0;
}

int svg_layout(struct weir_ctx *ctx, const struct profile *profile, struct svg_layout *layout)
{
	struct svg_sorting sorting = { ctx, profile, layout->in_order };
	uint32_t i;
	int err = svg_add_box(layout, 0, 0);

	for (i = 0; i < layout->count && !err; i++)
		err = svg_lay_children(&sorting, layout, layout->boxes[i]);
	return err;
}

void svg_layout_clear(struct svg_layout *layout)
{
	free(layout->boxes);
	free(layout->gone);
	memset(layout, 0, sizeof(*layout));
}
