/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: memory that grows while a plugin fills it, and reference counts once it is shared. */
#include "batch.h"

#include <errno.h>
#include <stdlib.h>

#include "names.h"

struct batch *batch_new(uint32_t row_size, uint32_t rows, uint32_t arena_bytes)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return NULL;
	batch->seen.size = sizeof(batch->seen);
	batch->seen.row_size = row_size;
	atomic_init(&batch->references, 1);
	if (batch_reserve(batch, rows, arena_bytes) == 0)
		return batch;
	batch_release(batch);
	return NULL;
}

/* Grows to at least `used + more` items; doubles, so that adding one by one stays cheap. */
static int batch_grow(uint8_t **memory, uint32_t *capacity, uint32_t used, uint32_t more,
		      uint32_t item_size)
{
	uint64_t needed = (uint64_t)used + more, grown = needed;
	uint8_t *moved;

	if (needed <= *capacity)
		return 0;
	if (*capacity && grown < 2ull * *capacity)
		grown = 2ull * *capacity;
	/* Offsets are 32 bits wide: a plugin that wants more makes a second batch. */
	if (grown * item_size > UINT32_MAX)
		grown = needed;
	if (grown * item_size > UINT32_MAX)
		return -ENOMEM;
	moved = realloc(*memory, grown * item_size);
	if (!moved)
		return -ENOMEM;
	*memory = moved;
	*capacity = (uint32_t)grown;
	return 0;
}

int batch_reserve(struct batch *batch, uint32_t rows, uint32_t arena_bytes)
{
	struct weir_batch *seen = &batch->seen;
	int err =
		batch_grow(&seen->rows, &seen->row_capacity, seen->row_count, rows, seen->row_size);

	if (err)
		return err;
	return batch_grow(&seen->arena, &seen->arena_capacity, seen->arena_used, arena_bytes, 1);
}

int batch_commit(struct batch *batch)
{
	const struct weir_batch *seen = &batch->seen;

	if (batch->committed || seen->row_count > seen->row_capacity ||
	    seen->arena_used > seen->arena_capacity)
		return -EINVAL;
	batch->committed = 1;
	names_hold(seen->names);
	return 0;
}

struct batch *batch_hold(struct batch *batch)
{
	atomic_fetch_add_explicit(&batch->references, 1, memory_order_relaxed);
	return batch;
}

void batch_release(struct batch *batch)
{
	if (!batch || atomic_fetch_sub_explicit(&batch->references, 1, memory_order_acq_rel) != 1)
		return;
	if (batch->committed)
		names_release(batch->seen.names);
	free(batch->seen.rows);
	free(batch->seen.arena);
	free(batch);
}

uint64_t batch_bytes(const struct batch *batch)
{
	return sizeof(*batch) + (uint64_t)batch->seen.row_capacity * batch->seen.row_size +
	       batch->seen.arena_capacity;
}
