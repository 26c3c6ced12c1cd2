/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches in memory: made by a loan, constant from commit on, freed by their last reader. */
#ifndef CORE_BATCH_H
#define CORE_BATCH_H

#include <stdatomic.h>

#include <weir/record.h>

struct batch {
	struct weir_batch seen; /* first: what plugins see */
	atomic_uint references;
	uint32_t output; /* of the node that makes it */
	int committed;   /* from here on it holds its name table */
};

/* An empty batch with one reference. NULL: no memory, or larger than a batch can be. */
struct batch *batch_new(uint32_t row_size, uint32_t rows, uint32_t arena_bytes);

/* Room for so many more rows and bytes. 0 or -ENOMEM; on failure the batch is as before. */
int batch_reserve(struct batch *batch, uint32_t rows, uint32_t arena_bytes);

/*
 * Makes it constant, and holds its name table. -EINVAL: its counts say more than its memory
 * holds, which is a plugin's fault.
 */
int batch_commit(struct batch *batch);

/* Any thread, from commit on. */
struct batch *batch_hold(struct batch *batch);
void batch_release(struct batch *batch); /* NULL is allowed */

/* The memory that it takes. */
uint64_t batch_bytes(const struct batch *batch);

static inline struct batch *batch_of(struct weir_batch *seen)
{
	return (struct batch *)seen;
}

#endif
