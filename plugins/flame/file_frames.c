/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of frames by number; see file_frames.h. */
#include <stdlib.h>

#include "file_frames.h"
#include "intmap.h"

enum { FRAMES_FIRST = 1024 };

static uint32_t frames_hash(const struct weir_frame *frame)
{
	uint64_t names = (uint64_t)frame->symbol << 32 | frame->object;
	uint64_t places = (uint64_t)frame->symbol_offset << 32 | frame->flags;
	uint64_t source = (uint64_t)frame->source << 32 | frame->line;

	return (uint32_t)intmap_hash(intmap_hash(names, places),
				     intmap_hash(frame->address, frame->object_offset) ^ source);
}

static int frames_grow(struct file_frames *frames)
{
	uint32_t capacity = frames->capacity ? frames->capacity * 2 : FRAMES_FIRST, i;
	struct weir_frame *items;
	uint32_t *slots;

	if (capacity > UINT32_MAX / 4)
		return -1;
	items = reallocarray(frames->items, capacity, sizeof(*items));
	if (!items)
		return -1;
	frames->items = items;
	slots = calloc((size_t)capacity * 2, sizeof(*slots));
	if (!slots)
		return -1;
	free(frames->slots);
	frames->slots = slots;
	frames->mask = capacity * 2 - 1;
	frames->capacity = capacity;
	for (i = 0; i < frames->count; i++) {
		uint32_t at = frames_hash(&items[i]) & frames->mask;

		while (slots[at])
			at = (at + 1) & frames->mask;
		slots[at] = i + 1;
	}
	return 0;
}

uint32_t file_frames_add(struct file_frames *frames, const struct weir_frame *frame)
{
	uint32_t at;

	if (frames->count == frames->capacity && frames_grow(frames))
		return 0;
	for (at = frames_hash(frame) & frames->mask; frames->slots[at];
	     at = (at + 1) & frames->mask)
		if (memcmp(file_frames_at(frames, frames->slots[at]), frame, sizeof(*frame)) == 0)
			return frames->slots[at];
	frames->items[frames->count++] = *frame;
	frames->slots[at] = frames->count;
	return frames->count;
}

void file_frames_clear(struct file_frames *frames)
{
	free(frames->items);
	free(frames->slots);
	memset(frames, 0, sizeof(*frames));
}
