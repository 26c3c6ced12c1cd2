/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of merged stacks with their weights. Frames and names are numbers of the caller's. */
#ifndef FLAME_FOLD_SET_H
#define FLAME_FOLD_SET_H

#include <stdint.h>

/* What a stack stands on: ids of names, numbers, or WEIR_ABSENT_U32 where not asked for. */
struct fold_key {
	uint32_t comm; /* id of a name, 0: none */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
};

struct fold_stack {
	uint64_t weight;
	uint64_t samples;
	uint64_t frames; /* place in the set's pool */
	uint32_t frame_count;
	uint32_t hash;
	struct fold_key key;
};

/* All zero is an empty set. */
struct fold_set {
	struct fold_stack *stacks;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* open addressing: place in stacks + 1, 0: empty */
	uint32_t mask;
	uint32_t *pool; /* the frames of all stacks */
	uint64_t pool_used;
	uint64_t pool_capacity;
};

/* The stack with that key and those frames, or NULL. */
struct fold_stack *fold_set_find(const struct fold_set *set, const struct fold_key *key,
				 const uint32_t *frames, uint32_t count);

/* Adds one that is not there. NULL: no memory. Earlier pointers into the set may change. */
struct fold_stack *fold_set_add(struct fold_set *set, const struct fold_key *key,
				const uint32_t *frames, uint32_t count);

void fold_set_reset(struct fold_set *set); /* forgets all stacks, keeps the memory */
void fold_set_clear(struct fold_set *set);

#endif
