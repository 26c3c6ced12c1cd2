/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of text whose numbers are known: profiles say the same lines again and again, and to find
 * one here costs less than to understand it.
 */
#ifndef FLAME_FILE_KNOWN_H
#define FLAME_FILE_KNOWN_H

#include <stddef.h>
#include <stdint.h>

/* A text: its numbers, and behind them the text itself, so that both lie in one place. */
struct file_known_entry {
	uint64_t hash;
	uint32_t length; /* of the text */
	uint32_t count;  /* of the numbers */
	uint32_t numbers[];
};

/* All zero is an empty one. */
struct file_known {
	uint8_t *bytes; /* entries, each at a multiple of 8 */
	size_t used;
	size_t capacity;
	uint32_t *slots; /* open addressing: place of the entry / 8 + 1, 0: empty */
	uint32_t mask;
	uint32_t count;
};

uint64_t file_known_hash(const char *text, size_t length);

/* What is known of a text, or NULL. It stays until something is added. */
const struct file_known_entry *file_known_find(const struct file_known *known, const char *text,
					       size_t length, uint64_t hash);

/* Adds a text that is not there. NULL: no memory. When there are many, all are forgotten first. */
const struct file_known_entry *file_known_add(struct file_known *known, const char *text,
					      size_t length, uint64_t hash, const uint32_t *numbers,
					      uint32_t count);

/* Two steps that fetch what a find will need, some time before it. */
static inline void file_known_fetch_slot(const struct file_known *known, uint64_t hash)
{
	if (known->count)
		__builtin_prefetch(&known->slots[(uint32_t)hash & known->mask]);
}

static inline void file_known_fetch_entry(const struct file_known *known, uint64_t hash)
{
	uint32_t place = known->count ? known->slots[(uint32_t)hash & known->mask] : 0;

	if (place) {
		__builtin_prefetch(known->bytes + (size_t)(place - 1) * 8);
		__builtin_prefetch(known->bytes + (size_t)(place - 1) * 8 + 64);
	}
}

void file_known_reset(struct file_known *known); /* forgets all, keeps the memory */
void file_known_clear(struct file_known *known);

#endif
