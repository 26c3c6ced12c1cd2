/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User side of slots that a BPF program fills (bpf/slots.h): maps those in use, and gives back
 * those whose thing has been silent, so that things that come and go never use them up.
 *
 *	err = weir_slots_map(&slots, skeleton->maps.slots.map_fd, &skeleton->bss->pool);
 *	for (i = 1; i < slots.mapped; i++)
 *		if (weir_slots_judge(&slots, i, was_active) == WEIR_SLOT_SILENT)
 *			... make the program forget the slot's key ...
 *
 * A slot is silent for a whole window before its key is forgotten, and rests for another one
 * before it is given back: a program that had found it just before is long done by then.
 * One thread at a time.
 */
#ifndef WEIR_SLOTS_H
#define WEIR_SLOTS_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/slot_pool.h"

enum weir_slot_state {
	WEIR_SLOT_ACTIVE = 0, /* counted something in this window, or in the one before */
	WEIR_SLOT_SILENT = 1, /* now its key is to be forgotten */
	WEIR_SLOT_RESTS = 2,  /* its key is forgotten */
	WEIR_SLOT_FREE = 3,   /* given back, or never handed out */
};

/* Starts as zeroed memory with `bytes` and `count` set; weir_slots_unmap() accepts that. */
struct weir_slots {
	size_t bytes;   /* of a slot */
	uint32_t count; /* of the array */
	uint32_t mapped;
	uint8_t *slots;
	struct weir_slot_pool *pool; /* of the program, which outlives this */
	uint8_t *windows;            /* of silence, per slot */
};

static inline void *weir_slot(const struct weir_slots *slots, uint32_t i)
{
	return slots->slots + i * slots->bytes;
}

static inline void weir_slots_unmap(struct weir_slots *slots)
{
	if (slots->slots)
		munmap(slots->slots, slots->mapped * slots->bytes);
	free(slots->windows);
	slots->slots = slots->windows = NULL;
	slots->mapped = 0;
}

/* How many slots the program may have filled. */
static inline uint32_t weir_slots_used(const struct weir_slots *slots)
{
	uint64_t used = __atomic_load_n(&slots->pool->used, __ATOMIC_ACQUIRE) + 1;

	return used < slots->count ? (uint32_t)used : slots->count;
}

/*
 * Maps the slots in use, of the array behind `fd`: a mapped page counts as resident whether it is
 * read or not. `wanted` at least. 0 or a negative errno, with the old mapping in place.
 */
static inline int weir_slots_map(struct weir_slots *slots, int fd, uint32_t wanted)
{
	uint8_t *windows;
	void *mapped;

	if (wanted <= slots->mapped)
		return 0;
	windows = (uint8_t *)realloc(slots->windows, wanted);
	if (!windows)
		return -ENOMEM;
	slots->windows = windows;
	mapped = mmap(NULL, wanted * slots->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapped == MAP_FAILED)
		return -errno;
	memset(windows + slots->mapped, 0, wanted - slots->mapped);
	if (slots->slots)
		munmap(slots->slots, slots->mapped * slots->bytes);
	slots->slots = (uint8_t *)mapped;
	slots->mapped = wanted;
	return 0;
}

static inline void weir_slots_give_back(struct weir_slots *slots, uint32_t i)
{
	struct weir_slot_pool *pool = slots->pool;
	uint64_t given = pool->given;

	if (given - __atomic_load_n(&pool->taken, __ATOMIC_ACQUIRE) >= WEIR_SLOTS_FREE)
		return;
	pool->free[given % WEIR_SLOTS_FREE] = i;
	__atomic_store_n(&pool->given, given + 1, __ATOMIC_RELEASE);
	slots->windows[i] = WEIR_SLOT_FREE;
}

/*
 * What becomes of a slot at the end of a window, in which it was active or not. Called once for
 * each slot of the pool and each window.
 */
static inline uint32_t weir_slots_judge(struct weir_slots *slots, uint32_t i, int active)
{
	uint8_t *windows = &slots->windows[i];

	if (active) {
		/* What rests is late: its key is forgotten all the same. */
		*windows = *windows == WEIR_SLOT_RESTS ? WEIR_SLOT_SILENT : WEIR_SLOT_ACTIVE;
		return WEIR_SLOT_ACTIVE;
	}
	if (*windows == WEIR_SLOT_FREE)
		return WEIR_SLOT_FREE;
	if (*windows == WEIR_SLOT_RESTS) {
		weir_slots_give_back(slots, i);
		return WEIR_SLOT_FREE;
	}
	++*windows;
	return *windows == WEIR_SLOT_RESTS ? WEIR_SLOT_SILENT : WEIR_SLOT_ACTIVE;
}

#endif
