/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by wait.bpf.c and wait*.c. Includes nothing but the SDK's shared headers, which include
 * nothing either. Fixed-width members only; sizes are asserted, so that both compilers agree.
 */
#ifndef WAIT_EVENT_H
#define WAIT_EVENT_H

#include <weir/bpf/slot_pool.h>
#include <weir/bpf/task_event.h>
#include <weir/bpf/thread_word.h>

/* What a thread does with its time. The first WAIT_SUMS are counted. */
enum wait_state {
	WAIT_RUN = 0,
	WAIT_RUNNABLE = 1,
	WAIT_DEVICE = 2,  /* in D state, in_iowait */
	WAIT_KERNEL = 3,  /* in D state otherwise */
	WAIT_JOURNAL = 4, /* what was WAIT_KERNEL, when a journal's thread ends it */
	WAIT_SLEEP = 5,
	WAIT_LOCK = 6, /* asleep until another thread gives a lock back */
	WAIT_AWAY = 7, /* left a CPU without our seeing it: it sleeps, or wants one */
	WAIT_ENDED = 8,
};

#define WAIT_SUMS 7

enum wait_kind {
	WAIT_USER = 0,
	WAIT_KTHREAD = 1,
	WAIT_JBD2 = 2, /* writes a journal of ext4: waits for others, who wait for it */
};

/* Since when a thread is in a state; 0: there is no thread. */
#define WAIT_STATE_BITS 4

static inline unsigned long long wait_mark(unsigned long long since, unsigned int state)
{
	return since << WAIT_STATE_BITS | state;
}

static inline unsigned int wait_mark_state(unsigned long long mark)
{
	return (unsigned int)mark & ((1u << WAIT_STATE_BITS) - 1);
}

static inline unsigned long long wait_mark_since(unsigned long long mark)
{
	return mark >> WAIT_STATE_BITS;
}

#define WAIT_DISKS 3

/* A disk that a thread has waited for, or given work. */
struct wait_disk {
	unsigned long long wait_ns;
	unsigned int dev;     /* major << 20 | minor; 0: none yet */
	unsigned int sectors; /* of 512 bytes, read and written; begins anew after 2 TiB */
};

/*
 * A thread, three cache lines. All sums count up for ever, and together they are the time from
 * born_ns to the mark: so whoever reads while the program writes can tell.
 */
struct wait_task {
	unsigned long long mark; /* wait_mark() */
	unsigned long long sum_ns[WAIT_SUMS];
	unsigned int switches; /* times it was given a CPU */
	unsigned int dev;      /* of its last bio since it last slept; 0: none */

	struct weir_task_id id;
	unsigned long long born_ns; /* since when it is counted */
	unsigned long long longest; /* wait_mark() of a length; emptied by the user side */
	unsigned int kind;          /* enum wait_kind */
	unsigned int journal_dev;   /* of the journal that it has last waited for */

	struct wait_disk disk[WAIT_DISKS];
	unsigned long long pad;
};

_Static_assert(sizeof(struct wait_task) == 192, "wait_task: sizes differ");

/* Which slot has the CPU; 0: a thread that is not counted, or none. */
struct wait_cpu {
	unsigned int slot;
	unsigned int pad[15];
};

_Static_assert(sizeof(struct wait_cpu) == 64, "wait_cpu: sizes differ");

struct wait_totals {
	unsigned long long unseen; /* events missing before one: emptied by weir_cell_take() */
	unsigned long long ended;  /* threads */
};

_Static_assert(sizeof(struct wait_totals) == 16, "wait_totals: sizes differ");

#endif
