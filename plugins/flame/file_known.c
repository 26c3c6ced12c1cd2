/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of text whose frames are known; see file_known.h. */
#include <stdlib.h>
#include <string.h>

#include "file_known.h"

enum {
	KNOWN_FIRST = 4096,
	KNOWN_MAX = 1 << 20,      /* entries, and */
	KNOWN_TEXTS = 128 << 20,  /* bytes of text, and */
	KNOWN_NUMBERS = 16 << 20, /* frames, after which all are forgotten */
};

static uint64_t known_mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t known_word(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return word;
}

/* Sixteen bytes with each multiplication; the last ones overlap those before. */
uint64_t file_known_hash(const char *text, size_t length)
{
	uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15);
	char rest[16] = { 0 };
	const char *end = text + length;

	if (length < sizeof(rest)) {
		memcpy(rest, text, length);
		text = rest;
		end = rest + sizeof(rest);
	}
	for (; end - text > 16; text += 16)
		hash = known_mix(known_word(text) ^ hash,
				 known_word(text + 8) ^ UINT64_C(0xd6e8feb86659fd93));
	return known_mix(known_word(end - 16) ^ hash,
			 known_word(end - 8) ^ UINT64_C(0xa0761d6478bd642f));
}

const struct file_known_entry *file_known_find(const struct file_known *known, const char *text,
					       size_t length, uint64_t hash)
{
	uint32_t at;

	if (!known->count)
		return NULL;
	for (at = (uint32_t)hash & known->mask; known->slots[at]; at = (at + 1) & known->mask) {
		const struct file_known_entry *entry = &known->entries[known->slots[at] - 1];

		if (entry->hash == hash && entry->length == length &&
		    memcmp(known->texts + entry->text, text, length) == 0)
			return entry;
	}
	return NULL;
}

static void known_place(struct file_known *known, uint32_t number)
{
	uint32_t at = (uint32_t)known->entries[number].hash & known->mask;

	while (known->slots[at])
		at = (at + 1) & known->mask;
	known->slots[at] = number + 1;
}

static int known_grow(struct file_known *known)
{
	uint32_t capacity = known->capacity ? known->capacity * 2 : KNOWN_FIRST, i;
	struct file_known_entry *entries = reallocarray(known->entries, capacity, sizeof(*entries));
	uint32_t *slots;

	if (!entries)
		return -1;
	known->entries = entries;
	slots = calloc((size_t)capacity * 2, sizeof(*slots));
	if (!slots)
		return -1;
	free(known->slots);
	known->slots = slots;
	known->mask = capacity * 2 - 1;
	known->capacity = capacity;
	for (i = 0; i < known->count; i++)
		known_place(known, i);
	return 0;
}

/* Room for `more` further items of `size` bytes. */
static int known_room(void **items, size_t *capacity, size_t used, size_t more, size_t size)
{
	size_t wanted = *capacity ? *capacity : 4096;
	void *grown;

	if (*capacity - used >= more)
		return 0;
	while (wanted < used + more)
		wanted *= 2;
	grown = reallocarray(*items, wanted, size);
	if (!grown)
		return -1;
	*items = grown;
	*capacity = wanted;
	return 0;
}

const struct file_known_entry *file_known_add(struct file_known *known, const char *text,
					      size_t length, uint64_t hash, const uint32_t *frames,
					      uint32_t count)
{
	struct file_known_entry *entry;

	if (known->count >= KNOWN_MAX || known->texts_used >= KNOWN_TEXTS ||
	    known->numbers_used >= KNOWN_NUMBERS)
		file_known_reset(known);
	if ((known->count == known->capacity && known_grow(known)) ||
	    known_room((void **)&known->texts, &known->texts_capacity, known->texts_used, length,
		       1) ||
	    known_room((void **)&known->numbers, &known->numbers_capacity, known->numbers_used,
		       count, sizeof(*frames)))
		return NULL;
	entry = &known->entries[known->count];
	*entry = (struct file_known_entry){ hash, (uint32_t)known->texts_used, (uint32_t)length,
					    (uint32_t)known->numbers_used, count };
	memcpy(known->texts + known->texts_used, text, length);
	if (count)
		memcpy(known->numbers + known->numbers_used, frames, count * sizeof(*frames));
	known->texts_used += length;
	known->numbers_used += count;
	known_place(known, known->count++);
	return entry;
}

void file_known_reset(struct file_known *known)
{
	if (known->count)
		memset(known->slots, 0, ((size_t)known->mask + 1) * sizeof(*known->slots));
	known->count = 0;
	known->texts_used = 0;
	known->numbers_used = 0;
}

void file_known_clear(struct file_known *known)
{
	free(known->entries);
	free(known->slots);
	free(known->texts);
	free(known->numbers);
	memset(known, 0, sizeof(*known));
}
