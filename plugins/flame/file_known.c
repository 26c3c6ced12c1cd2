/* SPDX-License-Identifier: BSD-2-Clause */
/* Pieces of text whose frames are known; see file_known.h. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "file_known.h"

enum {
	KNOWN_FIRST = 8192,      /* slots; at most half of them are taken */
	KNOWN_MAX = 1 << 20,     /* entries, and */
	KNOWN_BYTES = 256 << 20, /* bytes of them, after which all are forgotten */
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

/* Less than eight bytes as a number. */
static uint64_t known_few(const char *text, size_t length)
{
	uint32_t first, last;

	if (length < sizeof(first))
		return length ? (uint64_t)(uint8_t)text[0] << 16 |
					(uint64_t)(uint8_t)text[length / 2] << 8 |
					(uint8_t)text[length - 1]
			      : 0;
	memcpy(&first, text, sizeof(first));
	memcpy(&last, text + length - sizeof(last), sizeof(last));
	return (uint64_t)first << 32 | last;
}

/* Sixteen bytes with each multiplication; the last ones overlap those before. */
uint64_t file_known_hash(const char *text, size_t length)
{
	uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15);
	const char *end = text + length;

	if (length < 8)
		return known_mix(known_few(text, length) ^ hash, UINT64_C(0xa0761d6478bd642f));
	if (length < 16)
		return known_mix(known_word(text) ^ hash,
				 known_word(end - 8) ^ UINT64_C(0xa0761d6478bd642f));
	for (; end - text > 16; text += 16)
		hash = known_mix(known_word(text) ^ hash,
				 known_word(text + 8) ^ UINT64_C(0xd6e8feb86659fd93));
	return known_mix(known_word(end - 16) ^ hash,
			 known_word(end - 8) ^ UINT64_C(0xa0761d6478bd642f));
}

static const struct file_known_entry *known_at(const struct file_known *known, uint32_t place)
{
	return (const void *)(known->bytes + (size_t)(place - 1) * 8);
}

static const char *known_text(const struct file_known_entry *entry)
{
	return (const char *)(entry->numbers + entry->count);
}

/* Most names are so short that a call would cost more than to compare them. */
static bool known_same(const char *a, const char *b, size_t length)
{
	if (length < 8 || length > 16)
		return memcmp(a, b, length) == 0;
	return known_word(a) == known_word(b) &&
	       known_word(a + length - 8) == known_word(b + length - 8);
}

const struct file_known_entry *file_known_find(const struct file_known *known, const char *text,
					       size_t length, uint64_t hash)
{
	uint32_t at;

	if (!known->count)
		return NULL;
	for (at = (uint32_t)hash & known->mask; known->slots[at]; at = (at + 1) & known->mask) {
		const struct file_known_entry *entry = known_at(known, known->slots[at]);

		if (entry->hash == hash && entry->length == length &&
		    known_same(known_text(entry), text, length))
			return entry;
	}
	return NULL;
}

static void known_place(struct file_known *known, uint32_t place)
{
	uint32_t at = (uint32_t)known_at(known, place)->hash & known->mask;

	while (known->slots[at])
		at = (at + 1) & known->mask;
	known->slots[at] = place;
}

/* Twice as many slots. */
static int known_grow(struct file_known *known)
{
	uint32_t count = known->slots ? (known->mask + 1) * 2 : KNOWN_FIRST;
	uint32_t *old = known->slots, old_count = old ? known->mask + 1 : 0, i;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (!slots)
		return -1;
	known->slots = slots;
	known->mask = count - 1;
	for (i = 0; i < old_count; i++)
		if (old[i])
			known_place(known, old[i]);
	free(old);
	return 0;
}

/* Room for an entry of `bytes` bytes. */
static int known_room(struct file_known *known, size_t bytes)
{
	size_t capacity = known->capacity ? known->capacity : 64 << 10;
	uint8_t *grown;

	if (known->capacity - known->used >= bytes)
		return 0;
	while (capacity - known->used < bytes)
		capacity *= 2;
	grown = realloc(known->bytes, capacity);
	if (!grown)
		return -1;
	known->bytes = grown;
	known->capacity = capacity;
	return 0;
}

const struct file_known_entry *file_known_add(struct file_known *known, const char *text,
					      size_t length, uint64_t hash, const uint32_t *numbers,
					      uint32_t count)
{
	size_t bytes = sizeof(struct file_known_entry) + count * sizeof(*numbers) + length;
	struct file_known_entry *entry;

	if (known->count >= KNOWN_MAX || known->used + bytes >= KNOWN_BYTES)
		file_known_reset(known);
	if (known_room(known, (bytes + 7) & ~(size_t)7) ||
	    ((!known->slots || known->count >= (known->mask + 1) / 2) && known_grow(known)))
		return NULL;
	entry = (void *)(known->bytes + known->used);
	*entry = (struct file_known_entry){ hash, (uint32_t)length, count };
	if (count)
		memcpy(entry->numbers, numbers, count * sizeof(*numbers));
	memcpy(entry->numbers + count, text, length);
	known_place(known, (uint32_t)(known->used / 8) + 1);
	known->used += (bytes + 7) & ~(size_t)7;
	known->count++;
	return entry;
}

void file_known_reset(struct file_known *known)
{
	if (known->count)
		memset(known->slots, 0, ((size_t)known->mask + 1) * sizeof(*known->slots));
	known->count = 0;
	known->used = 0;
}

void file_known_clear(struct file_known *known)
{
	free(known->bytes);
	free(known->slots);
	memset(known, 0, sizeof(*known));
}
