/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples in the order of time, each at a node of a call tree: what flame charts are drawn from. */
#ifndef FLAME_MOMENTS_H
#define FLAME_MOMENTS_H

#include "profile.h"

struct moment {
	uint64_t time; /* 0 where rows have none: they are in order as they came */
	uint64_t order;
	uint64_t weight;
	uint64_t samples;
	uint32_t node;
	uint32_t part; /* what is kept apart: sorted by first; 0 unless the caller sets it */
};

/* All zero: empty. */
struct moments {
	struct moment *items;
	size_t count;
	size_t capacity;
};

/* Takes in a batch: its stacks go into the profile's tree, their weights do not. */
int moments_push(struct weir_ctx *ctx, struct moments *moments, struct profile *profile,
		 const struct weir_batch *batch);
void moments_sort(struct moments *moments);
void moments_clear(struct moments *moments);

/*
 * Puts a tree in place of the profile's in which only what follows upon each other is merged, with
 * the weights. The youngest sibling is the latest. 0 or -ENOMEM.
 */
int moments_chart(struct moments *moments, struct profile *profile);

#endif
