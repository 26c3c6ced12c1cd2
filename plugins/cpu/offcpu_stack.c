/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.offcpu: from the addresses of a slot to frames, leaf first. */
#include <stdio.h>

#include "offcpu.h"

/* The frame being filled, and what it is filled with. */
struct offcpu_frames {
	struct weir_ctx *ctx;
	struct weir_names *names;
	struct weir_frame *next;
	bool failed; /* no memory for a name */
};

static void add_mark(struct offcpu_frames *frames, const char *text)
{
	frames->next->symbol =
		frames->ctx->host->names_intern(frames->names, text, (uint32_t)strlen(text));
	frames->failed |= !frames->next->symbol;
	frames->next++;
}

/* All of them are return addresses: the walk began within the program that asked for it. */
static void add_kernel(struct offcpu_frames *frames, const struct offcpu_slot *slot)
{
	for (uint32_t i = 0; i < slot->kernel_count; i++) {
		frames->next->address = slot->kernel[i];
		frames->next->flags = WEIR_FRAME_KERNEL | WEIR_FRAME_CALLER;
		frames->next++;
	}
	if (slot->kernel_count == OFFCPU_KERNEL_FRAMES)
		frames->next[-1].flags |= WEIR_FRAME_TRUNCATED;
}

static void add_user(struct offcpu_frames *frames, const struct offcpu_slot *slot)
{
	for (uint32_t i = 0; i < slot->user_count; i++) {
		frames->next->address = slot->user[i];
		/* Where user code entered the kernel is exact. */
		frames->next->flags = i ? WEIR_FRAME_CALLER : 0;
		frames->next++;
	}
	if (slot->user_count == OFFCPU_USER_FRAMES)
		frames->next[-1].flags |= WEIR_FRAME_TRUNCATED;
}

/* As the other half of the whole, on top: what it called last lies next to what it woke. */
static void add_waker(struct offcpu_frames *frames, const struct offcpu_slot *waker)
{
	char text[sizeof("[woken in ]") + WEIR_COMM_LENGTH];

	for (uint32_t i = waker->kernel_count; i > 0; i--) {
		frames->next->address = waker->kernel[i - 1];
		frames->next->flags = WEIR_FRAME_KERNEL | WEIR_FRAME_CALLER;
		frames->next++;
	}
	snprintf(text, sizeof(text), "[woken in %.*s]", WEIR_COMM_LENGTH, waker->task.comm);
	add_mark(frames, text);
}

static uint32_t count_frames(const struct offcpu_slot *slot, const struct offcpu_slot *waker)
{
	uint32_t marks = !slot->known + !!(slot->flags & OFFCPU_KERNEL_LOST) +
			 !!(slot->flags & OFFCPU_USER_LOST) + !!(slot->flags & OFFCPU_BEFORE);

	return slot->kernel_count + slot->user_count + marks +
	       (waker ? waker->kernel_count + 1u : 0);
}

int offcpu_add_stack(struct weir_ctx *ctx, struct weir_batch *batch, const struct offcpu_slot *slot,
		     const struct offcpu_slot *waker, struct weir_stack_ref *stack)
{
	struct offcpu_frames frames = { .ctx = ctx, .names = batch->names };
	uint32_t count = count_frames(slot, waker);

	stack->count = count;
	if (!count)
		return 0;
	frames.next =
		weir_add_bytes(ctx, batch, count * (uint32_t)sizeof(*frames.next), &stack->offset);
	if (!frames.next)
		return -ENOMEM;
	if (waker)
		add_waker(&frames, waker);
	/* Of slot 0, which no key leads to, nothing else is known. */
	if (!slot->known || slot->flags & OFFCPU_KERNEL_LOST)
		add_mark(&frames, "[lost stack]");
	add_kernel(&frames, slot);
	if (slot->flags & OFFCPU_USER_LOST)
		add_mark(&frames, "[lost user stack]");
	add_user(&frames, slot);
	if (slot->flags & OFFCPU_BEFORE)
		add_mark(&frames, "[began before]");
	return frames.failed ? -ENOMEM : 0;
}
