/* SPDX-License-Identifier: BSD-2-Clause */
/* Names for the frames of rows, from what their processes have told of the code they made. */
#ifndef FLAME_JIT_NAMES_H
#define FLAME_JIT_NAMES_H

#include <weir/plugin.h>

#include "intmap.h"
#include "jit_process.h"

struct jit_names {
	const struct weir_field *stack;
	const struct weir_field *pid;  /* NULL: there is nothing to do */
	const struct weir_field *time; /* NULL: the end of the batch */
	struct weir_service process;
	struct weir_names
		*names; /* what the ids of the rows mean, and those that are given to them */
	struct jit_process **processes;
	uint32_t process_count;
	uint64_t user_frames; /* of all processes, that were sent */
	struct intmap pids;   /* pid to place in processes + 1 */
	bool merge_tiers;     /* V8's marks are left out */
};

/* From here on the files of processes may have got more to read. */
void jit_names_renew(struct jit_names *jit);

/*
 * Names frames of a batch that is not sent yet; its stacks lie within it. 1: some have no name
 * still; 0: none; or a negative errno, having said why.
 */
int jit_names_fill(struct weir_ctx *ctx, struct jit_names *jit, struct weir_batch *batch);

/* Once for each batch, when it is as it will be: whose frames have names, and whose have not. */
void jit_names_count(struct jit_names *jit, const struct weir_batch *batch);

/* Whose code stayed without names, and what to do about it. */
void jit_names_say(struct weir_ctx *ctx, struct jit_names *jit);

void jit_names_clear(struct jit_names *jit); /* not the table of names */

#endif
