/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many tasks are in uninterruptible sleep, which the load counts like running ones. No file of
 * the machine tells: all tasks have to be looked at, which takes 1 % of a CPU at most.
 */
#ifndef CPU_STAT_STATES_H
#define CPU_STAT_STATES_H

#include <weir/file.h>
#include <weir/pace.h>
#include <weir/plugin.h>

/* Starts as zeroed memory. */
struct stat_states {
	uint32_t count; /* WEIR_ABSENT_U32: it was not yet time to look again */
	struct weir_pace pace;
};

/* Looks if it is time to. */
void stat_states_update(struct weir_ctx *ctx, struct stat_states *states,
			struct weir_buffer *buffer);

#endif
