/* SPDX-License-Identifier: BSD-2-Clause */
/* Sources that read levels and counters: when they look, and how what they read leaves. */
#ifndef WEIR_READING_H
#define WEIR_READING_H

#ifndef __cplusplus
#include <stdbool.h>
#endif

#include "host.h"

/* A batch of the window [start, end). NULL: a full queue held the source up, which was counted. */
static inline struct weir_batch *weir_loan_window(struct weir_ctx *ctx, uint32_t output,
						  uint32_t rows, uint64_t start, uint64_t end)
{
	struct weir_batch *batch = weir_loan(ctx, output, rows, 0);

	if (!batch) {
		weir_lost(ctx, "a full queue held the source up", rows ? rows : 1, NULL);
		return NULL;
	}
	batch->start = start;
	batch->end = end;
	return batch;
}

/* Sends a batch when `err`, what filling it returned, is 0; else gives it back and fails. */
static inline int weir_commit_filled(struct weir_ctx *ctx, struct weir_batch *batch, int err)
{
	if (!err)
		return weir_commit(ctx, batch);
	weir_discard(ctx, batch);
	return err == -ENOMEM ? weir_fail(ctx, err, "rows of a reading") : err;
}

/* For start(): a level need not wait for a window to pass, so the first tick comes at once. */
static inline int weir_read_at_once(struct weir_ctx *ctx)
{
	return weir_every(ctx, 1);
}

/*
 * For the end of each tick of such a source: from the first one on ticks have the user's
 * interval; with 0 that was all. *started begins as false.
 */
static inline int weir_read_again(struct weir_ctx *ctx, bool *started, uint64_t interval)
{
	if (interval == 0)
		weir_finished(ctx);
	if (*started)
		return 0;
	*started = true;
	return weir_every(ctx, interval);
}

#endif
