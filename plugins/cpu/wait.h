/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of source cpu.wait: what threads did since they were last looked at (wait_threads.c),
 * and rows of it (wait_rows.c).
 */
#ifndef WAIT_H
#define WAIT_H

#include <weir/plugin.h>
#include <weir/slots.h>
#include <weir/task_filter.h>

#include "wait_event.h"

/* What a thread, or a process, did in a window. */
struct wait_part {
	struct weir_task_id id;
	uint64_t wall;
	uint64_t sum[WAIT_SUMS];
	uint64_t longest; /* wait_mark() of a length; 0: it never waited */
	uint64_t switches;
	struct wait_disk disk[WAIT_DISKS];
	uint32_t kind; /* enum wait_kind */
	uint32_t threads;
};

struct wait_parts {
	struct wait_part *items;
	uint32_t count;
	uint32_t capacity;
};

/* What had been counted of the thread in a slot when it was last looked at. */
struct wait_seen {
	uint64_t born; /* another one: another thread */
	uint64_t end;  /* until when all is counted */
	uint64_t sum[WAIT_SUMS];
	struct wait_disk disk[WAIT_DISKS];
	uint32_t switches;
	uint32_t done; /* the thread has ended, and the slot is to be given back */
};

struct wait_threads {
	struct weir_slots slots;
	struct wait_seen *seen;    /* of each mapped slot */
	unsigned long long *index; /* the words of all threads */
	uint32_t sets_log;
	int tasks_fd;
	struct wait_totals *totals; /* of the program */
	uint64_t ended;             /* of the totals, as far as they have been looked at */
	uint64_t disturbed;         /* threads whose numbers do not add up, to be reported */
	uint64_t left_out;          /* threads that ended, with no room for their rows */
	struct wait_parts parts;    /* of this window: at first of those that have ended */
};

/* Maps the program's table of threads. 0 or a negative errno. */
int wait_threads_map(struct wait_threads *threads, int index_fd);
void wait_threads_release(struct wait_threads *threads);

/* How many threads are counted now. */
uint32_t wait_threads_living(const struct wait_threads *threads);

/* Adds what threads that have ended did, and gives back their slots. 0 or a negative errno. */
int wait_threads_bury(struct wait_threads *threads);

/* Adds what all threads did until now. 0 or a negative errno. */
int wait_threads_take(struct weir_ctx *ctx, struct wait_threads *threads, uint64_t now);

/* Brings the parts of each process together. */
void wait_parts_merge(struct wait_parts *parts);

struct wait_rows {
	struct weir_cgroup_names *cgroups;
	bool by_process;
};

/* True when it slept all the time, for nothing that it had to wait for. */
bool wait_part_sleeps(const struct wait_part *part);

extern const struct weir_schema *const wait_schema;

/* Adds the row of a part. 0 or -ENOMEM. */
int wait_rows_add(struct weir_ctx *ctx, struct wait_rows *rows, struct weir_batch *batch,
		  const struct wait_part *part);

#endif
