/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Name tables: append-only, ids stable, texts never move.
 *
 * One thread, the owner, interns. Any thread that got an id may read its text meanwhile: entries
 * lie in segments of doubling size behind a fixed directory, and texts in chunks, so nothing that
 * a reader can reach is ever moved. An id reaches another thread only inside of a batch, and the
 * queue's mutex orders all that was written for it before. What the owner writes later are other
 * memory locations; only `count` is both written and read, and therefore atomic. The hash slots
 * are the owner's alone.
 */
#include "names.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT_BITS  6u /* ids in the first segment: 64; each further one is twice as large */
#define SEGMENTS      22u
#define CHUNK_MINIMUM 2048u
#define CHUNK_MAXIMUM 65536u
#define SLOTS_MINIMUM 64u

struct name {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

struct chunk {
	struct chunk *next;
	size_t used;
	size_t size;
	char bytes[];
};

struct weir_names {
	atomic_uint references;
	atomic_uint count; /* ids given out, with the empty name */
	struct name *segments[SEGMENTS];
	struct chunk *chunks;
	uint32_t *slots; /* ids, 0: free */
	uint32_t slot_count;
	size_t bytes;
};

struct weir_names *names_new(void)
{
	struct weir_names *names = calloc(1, sizeof(*names));

	if (!names)
		return NULL;
	names->slots = calloc(SLOTS_MINIMUM, sizeof(*names->slots));
	if (!names->slots) {
		free(names);
		return NULL;
	}
	names->slot_count = SLOTS_MINIMUM;
	names->bytes = sizeof(*names) + SLOTS_MINIMUM * sizeof(*names->slots);
	atomic_init(&names->references, 1);
	atomic_init(&names->count, 1);
	return names;
}

struct weir_names *names_hold(struct weir_names *names)
{
	if (names)
		atomic_fetch_add_explicit(&names->references, 1, memory_order_relaxed);
	return names;
}

void names_release(struct weir_names *names)
{
	struct chunk *next;

	if (!names || atomic_fetch_sub_explicit(&names->references, 1, memory_order_acq_rel) != 1)
		return;
	for (struct chunk *chunk = names->chunks; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	for (uint32_t i = 0; i < SEGMENTS; i++)
		free(names->segments[i]);
	free(names->slots);
	free(names);
}

/* Where an id lies: segment k starts at id 64 * (2^k - 1). */
static uint32_t names_segment(uint32_t id, uint32_t *position)
{
	uint32_t scaled = id + (1u << SEGMENT_BITS);
	uint32_t top = 31u - (uint32_t)__builtin_clz(scaled);

	*position = scaled - (1u << top);
	return top - SEGMENT_BITS;
}

static struct name *names_entry(const struct weir_names *names, uint32_t id)
{
	uint32_t position, segment = names_segment(id, &position);

	return &names->segments[segment][position];
}

/* FNV-1a, started differently in each table, so that nobody can prepare texts that collide. */
static uint32_t names_hash(const struct weir_names *names, const char *text, size_t length)
{
	uint64_t hash = 0xcbf29ce484222325u ^ (uintptr_t)names;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return (uint32_t)(hash ^ (hash >> 32));
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t *names_slot(const struct weir_names *names, const char *text, size_t length,
			    uint32_t hash)
{
	uint32_t mask = names->slot_count - 1;

	for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
		const struct name *name;

		if (names->slots[at] == 0)
			return &names->slots[at];
		name = names_entry(names, names->slots[at]);
		if (name->hash == hash && name->length == length &&
		    memcmp(name->text, text, length) == 0)
			return &names->slots[at];
	}
}

/* Keeps the slots at most half full. */
static int names_grow_slots(struct weir_names *names, uint32_t count)
{
	uint32_t size = names->slot_count * 2;
	uint32_t *slots;

	if ((uint64_t)count * 2 < names->slot_count)
		return 0;
	slots = calloc(size, sizeof(*slots));
	if (!slots)
		return -1;
	for (uint32_t id = 1; id < count; id++) {
		uint32_t at = names_entry(names, id)->hash & (size - 1);

		while (slots[at])
			at = (at + 1) & (size - 1);
		slots[at] = id;
	}
	names->bytes += (size - names->slot_count) * sizeof(*slots);
	free(names->slots);
	names->slots = slots;
	names->slot_count = size;
	return 0;
}

static int names_grow_segments(struct weir_names *names, uint32_t id)
{
	uint32_t position, segment = names_segment(id, &position);
	size_t size = sizeof(struct name) << (segment + SEGMENT_BITS);

	if (segment >= SEGMENTS)
		return -1;
	if (names->segments[segment])
		return 0;
	names->segments[segment] = calloc(1, size);
	if (!names->segments[segment])
		return -1;
	names->bytes += size;
	return 0;
}

static const char *names_copy(struct weir_names *names, const char *text, size_t length)
{
	struct chunk *chunk = names->chunks;
	char *copy;

	if (!chunk || chunk->size - chunk->used < length + 1) {
		size_t size = chunk ? chunk->size * 2 : CHUNK_MINIMUM;

		if (size > CHUNK_MAXIMUM)
			size = CHUNK_MAXIMUM;
		if (size < length + 1)
			size = length + 1;
		chunk = malloc(sizeof(*chunk) + size);
		if (!chunk)
			return NULL;
		*chunk = (struct chunk){ .next = names->chunks, .size = size };
		names->chunks = chunk;
		names->bytes += sizeof(*chunk) + size;
	}
	copy = chunk->bytes + chunk->used;
	memcpy(copy, text, length);
	copy[length] = '\0';
	chunk->used += length + 1;
	return copy;
}

uint32_t names_intern(struct weir_names *names, const char *text, size_t length)
{
	uint32_t id = atomic_load_explicit(&names->count, memory_order_relaxed);
	uint32_t hash, *slot;
	const char *copy;

	if (length == 0 || length > UINT32_MAX / 2)
		return 0;
	hash = names_hash(names, text, length);
	slot = names_slot(names, text, length, hash);
	if (*slot)
		return *slot;
	if (names_grow_segments(names, id) < 0 || names_grow_slots(names, id) < 0)
		return 0;
	copy = names_copy(names, text, length);
	if (!copy)
		return 0;
	*names_entry(names, id) = (struct name){ copy, (uint32_t)length, hash };
	*names_slot(names, text, length, hash) = id;
	atomic_store_explicit(&names->count, id + 1, memory_order_release);
	return id;
}

const char *names_text(const struct weir_names *names, uint32_t id, uint32_t *length)
{
	const struct name *name;

	if (length)
		*length = 0;
	/* A wrong id is a plugin's fault; it reads as "not known" and hurts nobody. */
	if (!names || id == 0 || id >= atomic_load_explicit(&names->count, memory_order_acquire))
		return "";
	name = names_entry(names, id);
	if (length)
		*length = name->length;
	return name->text;
}

size_t names_bytes(const struct weir_names *names)
{
	return names->bytes;
}
