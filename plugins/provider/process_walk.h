/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes in who was there before weir, a few at a time while the pipeline runs already: two files of
 * every process of the machine are more work than all else that a tool begins with. Who is asked
 * for before his turn is read then.
 */
#ifndef PROCESS_WALK_H
#define PROCESS_WALK_H

#include <dirent.h>

#include <weir/plugin.h>

#include "process_table.h"

struct process_walk {
	DIR *dir; /* NULL: not under way */
	int timer;
};

void process_walk_init(struct process_walk *walk);
void process_walk_clear(struct process_walk *walk);

/* `walk->timer` is then ready now and again, for process_walk_step(). 0 or a negative errno. */
int process_walk_begin(struct weir_ctx *ctx, struct process_walk *walk);

/*
 * Goes on until CLOCK_MONOTONIC is `until`. `watched` as of process_scan(). 1: there are more; 0: that
 * were all; or -ENOMEM. Those that end meanwhile are no failure.
 */
int process_walk_step(struct weir_ctx *ctx, struct process_walk *walk, struct process_table *table,
		      bool watched, uint64_t until);

#endif
