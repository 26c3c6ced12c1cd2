/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How good the walks through user stacks were. A user stack is complete when its outermost frame is
 * where a program or thread begins: a function known for that (_start, __libc_start_main, clone,
 * start_thread, main, ...), or a return address within the C library or the dynamic loader that no
 * exported function covers, as in libraries whose start code is stripped of its names. Where the
 * outermost object has no names at all, nothing can be said, and the stack is not judged. All
 * others were cut short: their last frame's object does not keep frame pointers, or, where the stack
 * was walked by tables, these do not lead on from there.
 */
#ifndef FLAME_WALK_H
#define FLAME_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum { WALK_OBJECTS = 64, WALK_NAME = 64 };

struct walk_object {
	char name[WALK_NAME];
	bool unwound;
	uint64_t stacks;
};

/* All zero: nothing seen. */
struct walk_quality {
	uint64_t stacks; /* that had a user part */
	uint64_t complete;
	uint64_t unjudged;
	uint64_t frames; /* of user and kernel, kept */
	uint64_t with_symbol;
	uint64_t with_object;
	uint64_t dropped;   /* frames in no executable mapping, and what came after them */
	uint64_t elsewhere; /* cut stacks of objects beyond the list */
	uint64_t too_deep;  /* stacks deeper than the source's limit */
	uint32_t object_count;
	struct walk_object objects[WALK_OBJECTS];
};

/* A user stack's outermost frame. Texts are "" where not known. */
struct walk_end {
	const char *symbol;
	const char *object;
	bool caller;    /* a return address */
	bool truncated; /* cut where the walk went wrong */
	bool too_deep;  /* cut by the source, which has a limit */
	bool nameless;  /* the object has no names */
	bool unwound;   /* by tables, from a copied stack, and not by frame pointers */
};

/* So many stacks ended so. */
void walk_judge(struct walk_quality *quality, const struct walk_end *end, uint64_t stacks);

/* "97.2 % of 1000 user stacks complete; cut short ...: libc.so.6 in 28, ..." */
void walk_describe(struct walk_quality *quality, char *out, uint32_t size);

#endif
