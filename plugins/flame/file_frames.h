/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of frames by number, so that a stack is a row of numbers. */
#ifndef FLAME_FILE_FRAMES_H
#define FLAME_FILE_FRAMES_H

#include <weir/record.h>

/* All zero is an empty set. */
struct file_frames {
	struct weir_frame *items;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* open addressing: number, 0: empty */
	uint32_t mask;
};

/* The number of that frame, from 1 on. 0: no memory. */
uint32_t file_frames_add(struct file_frames *frames, const struct weir_frame *frame);

static inline const struct weir_frame *file_frames_at(const struct file_frames *frames,
						      uint32_t number)
{
	return &frames->items[number - 1];
}

void file_frames_clear(struct file_frames *frames);

#endif
