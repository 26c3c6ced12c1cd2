/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by offcpu.bpf.c and offcpu*.c. Includes nothing but the SDK's shared headers, which
 * include nothing either. Fixed-width members only; sizes are asserted, so that both compilers
 * agree.
 */
#ifndef OFFCPU_EVENT_H
#define OFFCPU_EVENT_H

#include <weir/bpf/slot_pool.h>
#include <weir/bpf/task_event.h>
#include <weir/bpf/thread_word.h>

/* Why a thread does not want to run: bits of the option `state`, in the order of its choices. */
enum offcpu_state {
	OFFCPU_INTERRUPTIBLE = 1 << 0,
	OFFCPU_UNINTERRUPTIBLE = 1 << 1,
	OFFCPU_IDLE = 1 << 2, /* uninterruptible, and no part of the load: kernel threads at rest */
	OFFCPU_STOPPED = 1 << 3,
	OFFCPU_TRACED = 1 << 4,
	OFFCPU_PARKED = 1 << 5,
	OFFCPU_OTHER = 1 << 6, /* also: a wakeup was under way, which hides it */
};

#define OFFCPU_STATES 7

/* The longest stacks that are told apart, in frames. */
#define OFFCPU_KERNEL_FRAMES 112
#define OFFCPU_USER_FRAMES   128

/* Sets of the table of blocked threads: room for 16384. */
#define OFFCPU_SETS_LOG 11
#define OFFCPU_WAYS     8

/* What a slot's stack lacks. */
enum offcpu_flag {
	OFFCPU_KERNEL_LOST = 1 << 0,
	OFFCPU_USER_LOST = 1 << 1,
	OFFCPU_BEFORE = 1 << 2, /* it was blocked before us: its user stack was not seen */
};

/* A stack as it was walked. */
struct offcpu_walk {
	unsigned long long task; /* address of the task_struct */
	unsigned long long hash[2];
	unsigned int kernel_count;
	unsigned int user_count;
	unsigned int flags; /* enum offcpu_flag */
	unsigned int pad;
	unsigned long long kernel[OFFCPU_KERNEL_FRAMES];
	unsigned long long user[OFFCPU_USER_FRAMES];
};

_Static_assert(sizeof(struct offcpu_walk) == 1960, "offcpu_walk: sizes differ");

/*
 * A task with a stack: one that blocks, or one that wakes those that do, with its kernel stack.
 * Half a page. Slot 0 takes what finds no other.
 */
struct offcpu_slot {
	unsigned long long key[2];
	unsigned int known;         /* the key leads here */
	unsigned int of;            /* a waker: the slot of those it woke; 0: this is no waker */
	unsigned int state;         /* enum offcpu_state; of a waker: 0 */
	unsigned int flags;         /* enum offcpu_flag */
	struct weir_task_id task;   /* its tid is 0 unless threads are told apart */
	unsigned long long seen_ns; /* when somebody last blocked here */
	/* Of blocks that ended; user space empties them by exchange. */
	unsigned long long time_ns;
	unsigned long long count;
	unsigned long long max_ns;
	unsigned long long min_inverted; /* ~ns, so that 0 is none */
	unsigned short kernel_count;
	unsigned short user_count;
	unsigned int pad;
	unsigned long long reserved;
	unsigned long long kernel[OFFCPU_KERNEL_FRAMES];
	unsigned long long user[OFFCPU_USER_FRAMES];
};

_Static_assert(sizeof(struct offcpu_slot) == 2048, "offcpu_slot: a slot is half a page");

/* The threads whose numbers end alike, as far as they are blocked: since when, and where. */
struct offcpu_threads {
	unsigned long long word[OFFCPU_WAYS]; /* stamps; first, as struct weir_thread_words */
	unsigned int place[OFFCPU_WAYS];      /* 1 + the slot; 0: nobody is blocked */
	unsigned int waker[OFFCPU_WAYS];      /* slot of who is about to wake it; 0: not known */
};

_Static_assert(sizeof(struct offcpu_threads) == 128, "offcpu_threads: sizes differ");

/* Counted atomically; emptied by weir_cell_take(). */
struct offcpu_totals {
	unsigned long long unseen;      /* blocks whose end was not seen */
	unsigned long long full;        /* blocks not timed, as too many threads were blocked */
	unsigned long long kernel_lost; /* stacks that the kernel could not walk: blocks */
	unsigned long long user_lost;
	unsigned long long busy; /* blocks that found the table of stacks locked */
};

_Static_assert(sizeof(struct offcpu_totals) == 40, "offcpu_totals: sizes differ");

#endif
