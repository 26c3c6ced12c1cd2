/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What costs more the more processes there are, as a look at all of them, is done so seldom that it
 * takes a given part of a CPU: on a small machine at once, on a large one a little later.
 *
 *	if (!weir_pace_begin(ctx, &pace))
 *		return 0;
 *	...
 *	weir_pace_end(ctx, &pace, 100);
 */
#ifndef WEIR_PACE_H
#define WEIR_PACE_H

#include <time.h>

#include "host.h"

#ifndef __cplusplus
#include <stdbool.h>
#endif

/* Starts as zeroed memory: it is time. Setting `pause` to 0 makes it so again. */
struct weir_pace {
	uint64_t used;  /* CPU time of the thread when it began */
	uint64_t ended; /* CLOCK_MONOTONIC ns; 0: never done */
	uint64_t pause; /* from then on */
};

/* What the calling thread has used: waiting for a CPU does not count. */
static inline uint64_t weir_pace_used(void)
{
	struct timespec used = { 0, 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* True when it is time: then weir_pace_end() must follow, on the same thread. */
static inline bool weir_pace_begin(struct weir_ctx *ctx, struct weir_pace *pace)
{
	if (pace->ended && weir_now(ctx) - pace->ended < pace->pause)
		return false;
	pace->used = weir_pace_used();
	return true;
}

/* It took one part, and so many parts are to pass before it is time again. */
static inline void weir_pace_end(struct weir_ctx *ctx, struct weir_pace *pace, uint32_t parts)
{
	pace->ended = weir_now(ctx);
	pace->pause = (weir_pace_used() - pace->used) * parts;
}

#endif
