/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of merged stacks; see fold_set.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fold_set.h"
#include "intmap.h"

enum { FOLD_FIRST = 1024 };

static uint32_t fold_hash(const struct fold_key *key, const uint32_t *frames, uint32_t count)
{
	uint64_t hash = intmap_hash((uint64_t)key->comm << 32 | key->pid,
				    (uint64_t)key->tid << 32 | key->cpu);
	uint32_t i;

	for (i = 0; i < count; i++)
		hash = (hash ^ frames[i]) * UINT64_C(0x9e3779b97f4a7c15) + (hash >> 29);
	return (uint32_t)intmap_hash(hash, count);
}

static int fold_equal(const struct fold_set *set, const struct fold_stack *stack,
		      const struct fold_key *key, const uint32_t *frames, uint32_t count)
{
	return stack->frame_count == count && memcmp(&stack->key, key, sizeof(*key)) == 0 &&
	       (count == 0 ||
		memcmp(set->pool + stack->frames, frames, count * sizeof(*frames)) == 0);
}

struct fold_stack *fold_set_find(const struct fold_set *set, const struct fold_key *key,
				 const uint32_t *frames, uint32_t count)
{
	uint32_t hash, i;

	if (set->count == 0)
		return NULL;
	hash = fold_hash(key, frames, count);
	for (i = hash & set->mask; set->slots[i]; i = (i + 1) & set->mask) {
		struct fold_stack *stack = &set->stacks[set->slots[i] - 1];

		if (stack->hash == hash && fold_equal(set, stack, key, frames, count))
			return stack;
	}
	return NULL;
}

static void fold_place(struct fold_set *set, uint32_t number)
{
	uint32_t i = set->stacks[number].hash & set->mask;

	while (set->slots[i])
		i = (i + 1) & set->mask;
	set->slots[i] = number + 1;
}

/* Twice as many slots as stacks fit. */
static int fold_grow(struct fold_set *set)
{
	uint32_t capacity = set->capacity ? set->capacity * 2 : FOLD_FIRST, i;
	struct fold_stack *stacks;
	uint32_t *slots;

	if (capacity > UINT32_MAX / 4)
		return -ENOMEM;
	stacks = reallocarray(set->stacks, capacity, sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	set->stacks = stacks;
	slots = calloc((size_t)capacity * 2, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(set->slots);
	set->slots = slots;
	set->mask = capacity * 2 - 1;
	set->capacity = capacity;
	for (i = 0; i < set->count; i++)
		fold_place(set, i);
	return 0;
}

static int fold_grow_pool(struct fold_set *set, uint32_t count)
{
	uint64_t capacity = set->pool_capacity ? set->pool_capacity * 2 : FOLD_FIRST * 16;
	uint32_t *pool;

	if (set->pool_capacity - set->pool_used >= count)
		return 0;
	if (capacity < set->pool_used + count)
		capacity = set->pool_used + count;
	pool = reallocarray(set->pool, capacity, sizeof(*pool));
	if (!pool)
		return -ENOMEM;
	set->pool = pool;
	set->pool_capacity = capacity;
	return 0;
}

struct fold_stack *fold_set_add(struct fold_set *set, const struct fold_key *key,
				const uint32_t *frames, uint32_t count)
{
	struct fold_stack *stack;

	if ((set->count == set->capacity && fold_grow(set)) || fold_grow_pool(set, count))
		return NULL;
	stack = &set->stacks[set->count];
	*stack = (struct fold_stack){ .frames = set->pool_used,
				      .frame_count = count,
				      .hash = fold_hash(key, frames, count),
				      .key = *key };
	if (count)
		memcpy(set->pool + set->pool_used, frames, count * sizeof(*frames));
	set->pool_used += count;
	fold_place(set, set->count++);
	return stack;
}

void fold_set_reset(struct fold_set *set)
{
	if (set->count)
		memset(set->slots, 0, ((size_t)set->mask + 1) * sizeof(*set->slots));
	set->count = 0;
	set->pool_used = 0;
}

void fold_set_clear(struct fold_set *set)
{
	free(set->stacks);
	free(set->slots);
	free(set->pool);
	memset(set, 0, sizeof(*set));
}
