/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash map with open addressing; see intmap.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intmap.h"

enum { INTMAP_FIRST = 64 };

uint32_t intmap_get(const struct intmap *map, uint64_t a, uint32_t b)
{
	const struct intmap_slot *slot;
	uint32_t i;

	if (map->count == 0)
		return 0;
	for (i = (uint32_t)intmap_hash(a, b) & map->mask;; i = (i + 1) & map->mask) {
		slot = &map->slots[i];
		if (slot->value == 0 || (slot->a == a && slot->b == b))
			return slot->value;
	}
}

static void intmap_place(struct intmap *map, const struct intmap_slot *slot)
{
	uint32_t i = (uint32_t)intmap_hash(slot->a, slot->b) & map->mask;

	while (map->slots[i].value)
		i = (i + 1) & map->mask;
	map->slots[i] = *slot;
}

static int intmap_grow(struct intmap *map)
{
	struct intmap old = *map;
	uint32_t size = old.slots ? (old.mask + 1) * 2 : INTMAP_FIRST;
	uint32_t i;

	if (size == 0)
		return -ENOMEM;
	map->slots = calloc(size, sizeof(*map->slots));
	if (!map->slots) {
		map->slots = old.slots;
		return -ENOMEM;
	}
	map->mask = size - 1;
	for (i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].value)
			intmap_place(map, &old.slots[i]);
	free(old.slots);
	return 0;
}

int intmap_add(struct intmap *map, uint64_t a, uint32_t b, uint32_t value)
{
	struct intmap_slot slot = { a, b, value };

	/* At most three quarters full. */
	if (!map->slots || map->count >= map->mask - map->mask / 4) {
		int err = intmap_grow(map);

		if (err)
			return err;
	}
	intmap_place(map, &slot);
	map->count++;
	return 0;
}

void intmap_reset(struct intmap *map)
{
	if (map->count)
		memset(map->slots, 0, ((size_t)map->mask + 1) * sizeof(*map->slots));
	map->count = 0;
}

void intmap_clear(struct intmap *map)
{
	free(map->slots);
	memset(map, 0, sizeof(*map));
}
