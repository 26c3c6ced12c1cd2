/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who has a socket open: from its inode to a process, by the descriptors in /proc. They are read
 * only for a socket that is not known yet, and so seldom that it takes a
 * hundredth of a CPU.
 */
#ifndef OWNERS_H
#define OWNERS_H

#include <weir/pace.h>
#include <weir/plugin.h>

#include "owner_filter.h"

struct owner {
	uint64_t inode; /* 0: a free place */
	uint32_t pid;   /* 0: no process has it */
	char comm[16];
	bool wanted; /* by the filter, if there is one */
};

/* Starts as zeroed memory; owners_release() accepts that. */
struct owners {
	struct owner_filter *filter; /* NULL: all are wanted */
	struct owner *table;         /* open addressing; a power of two */
	uint32_t count;
	uint32_t capacity;
	struct weir_pace pace;
};

/* The owner if the socket is known, or NULL. */
const struct owner *owners_find(const struct owners *owners, uint64_t inode);

/*
 * Reads /proc if it is time to, or `now_or_never`. 1: read, and `inode` is known from now on if
 * only as nobody's; 0: not yet; -ENOMEM.
 */
int owners_read(struct weir_ctx *ctx, struct owners *owners, uint64_t inode, int now_or_never);

void owners_release(struct owners *owners);

#endif
