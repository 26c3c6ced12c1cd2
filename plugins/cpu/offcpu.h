/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of cpu.offcpu share: the program's tables, and the rows made of them. */
#ifndef OFFCPU_H
#define OFFCPU_H

#include <weir/plugin.h>
#include <weir/slots.h>
#include <weir/task_filter.h>

#include "offcpu_event.h"

/* What a slot counted in a window. */
struct offcpu_sum {
	uint64_t time;
	uint64_t count;
	uint64_t min;
	uint64_t max;
	uint64_t still; /* of those who are blocked now, since they are */
	uint64_t told;  /* of blocks that have not ended, in the windows before */
	uint32_t threads;
	uint32_t reserved;
};

/* Starts as zeroed memory with the first members set; offcpu_rows_release() accepts that. */
struct offcpu_rows {
	struct weir_slots slots;
	struct weir_cgroup_names *cgroups;
	uint64_t min_ns; /* blocks that count */
	uint64_t max_ns; /* 0: however long */
	int slots_fd;
	int index_fd;
	const struct offcpu_threads *threads; /* those blocked now */
	struct offcpu_sum *sums;              /* of each mapped slot */
	struct weir_names *names;
};

extern const struct weir_schema *const offcpu_schema;

/* Maps the table of blocked threads. 0, or a negative errno without a reason said. */
int offcpu_rows_map(struct offcpu_rows *rows, int blocked_fd);
void offcpu_rows_release(struct weir_ctx *ctx, struct offcpu_rows *rows);

/* Sends what the window [start, end) held. 1: sent, 0: not now, as a queue is full; negative errno. */
int offcpu_rows_emit(struct weir_ctx *ctx, struct offcpu_rows *rows, uint64_t start, uint64_t end);

/* offcpu_stack.c: the frames of a slot, and of who woke it if `waker`. 0 or -ENOMEM. */
int offcpu_add_stack(struct weir_ctx *ctx, struct weir_batch *batch, const struct offcpu_slot *slot,
		     const struct offcpu_slot *waker, struct weir_stack_ref *stack);

#endif
