/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pieces of text whose frames are known: profiles say the same lines again and again, and to find
 * one here costs less than to understand it.
 */
#ifndef FLAME_FILE_KNOWN_H
#define FLAME_FILE_KNOWN_H

#include <stddef.h>
#include <stdint.h>

struct file_known_entry {
	uint64_t hash;
	uint32_t text; /* place in texts */
	uint32_t length;
	uint32_t frames; /* place in numbers */
	uint32_t count;  /* of the frames */
};

/* All zero is an empty one. */
struct file_known {
	struct file_known_entry *entries;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* open addressing: place in entries + 1, 0: empty */
	uint32_t mask;
	char *texts;
	size_t texts_used;
	size_t texts_capacity;
	uint32_t *numbers;
	size_t numbers_used;
	size_t numbers_capacity;
};

uint64_t file_known_hash(const char *text, size_t length);

/* What is known of a text, or NULL. */
const struct file_known_entry *file_known_find(const struct file_known *known, const char *text,
					       size_t length, uint64_t hash);

/* Adds a text that is not there. NULL: no memory. When there are many, all are forgotten first. */
const struct file_known_entry *file_known_add(struct file_known *known, const char *text,
					      size_t length, uint64_t hash, const uint32_t *frames,
					      uint32_t count);

void file_known_reset(struct file_known *known); /* forgets all, keeps the memory */
void file_known_clear(struct file_known *known);

#endif
