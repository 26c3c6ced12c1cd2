/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash map from small integer keys to 32-bit values, for the caches and tables of this folder. */
#ifndef FLAME_INTMAP_H
#define FLAME_INTMAP_H

#include <stdint.h>

struct intmap_slot {
	uint64_t a;
	uint32_t b;
	uint32_t value; /* 0: the slot is empty */
};

/* All zero is an empty map. */
struct intmap {
	struct intmap_slot *slots;
	uint32_t mask; /* slots - 1 */
	uint32_t count;
};

/* The value of key (a, b), or 0. */
uint32_t intmap_get(const struct intmap *map, uint64_t a, uint32_t b);

/* Adds a key that is not there yet, with a value that is not 0. 0 or -ENOMEM. */
int intmap_add(struct intmap *map, uint64_t a, uint32_t b, uint32_t value);

void intmap_reset(struct intmap *map); /* forgets all keys, keeps the memory */
void intmap_clear(struct intmap *map); /* gives back the memory; usable again */

/* The hash that the map uses; for tables of other shapes. */
static inline uint64_t intmap_hash(uint64_t a, uint64_t b)
{
	uint64_t hash = a * UINT64_C(0x9e3779b97f4a7c15) ^ (b + UINT64_C(0x7f4a7c159e3779b9));

	hash ^= hash >> 32;
	hash *= UINT64_C(0xd6e8feb86659fd93);
	return hash ^ (hash >> 32);
}

#endif
