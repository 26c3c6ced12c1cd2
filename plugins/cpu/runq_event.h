/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by runq.bpf.c and runq*.c. Includes nothing but the SDK's shared headers, which include
 * nothing either. Fixed-width members only; sizes are asserted, so that both compilers agree.
 */
#ifndef RUNQ_EVENT_H
#define RUNQ_EVENT_H

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/slot_pool.h>
#include <weir/bpf/task_event.h>
#include <weir/bpf/thread_word.h>

/* What is wanted: bits of the option `report`. */
enum runq_report {
	RUNQ_LATENCY = 1 << 0,
	RUNQ_SLOW = 1 << 1,
	RUNQ_TASKS = 1 << 2,
};

/* What has a histogram of its own: values of the option `by`. */
enum runq_by {
	RUNQ_BY_NONE = 0,
	RUNQ_BY_CPU = 1,
	RUNQ_BY_PID = 2,
	RUNQ_BY_CGROUP = 3,
};

/* Histograms of processes or cgroups, and threads, that may be active in two windows. */
#define RUNQ_SLOTS        1024
#define RUNQ_CGROUP_SLOTS 256
#define RUNQ_TASK_SLOTS   8192

/* Sets of the tables of threads: room for 16384. */
#define RUNQ_SETS_LOG 11

/* The histogram reaches from 128 ns to 2^37 ns, 137 s. */
#define RUNQ_FIRST WEIR_HISTOGRAM_FIRST(7)

/* The waits of a process, CPU or cgroup: half a page. Slot 0 takes what finds no other. */
struct runq_slot {
	unsigned long long key; /* process or cgroup */
	unsigned int known;     /* the key leads here */
	unsigned int pad;
	char comm[WEIR_COMM_LENGTH]; /* of the process */
	unsigned long long reserved[6];
	struct weir_histogram_cells wait;
};

_Static_assert(sizeof(struct runq_slot) == 2048, "runq_slot: a slot is half a page");

/* The longest wait that ended in a window. */
struct runq_longest {
	unsigned long long wait_ns;
	unsigned long long at_ns; /* when it ended */
	unsigned int window;      /* of which this is; another one: nothing yet */
	unsigned int pad;
};

/* A thread. All but longest[] counts up for ever: user space only reads. */
struct runq_task {
	struct weir_task_id id;
	unsigned long long run_ns; /* of the times that ended */
	unsigned long long wait_ns;
	unsigned int waits;    /* that were timed */
	unsigned int switches; /* times it was given a CPU */
	unsigned int voluntary;
	unsigned int involuntary;
	struct runq_longest longest[2]; /* by the window's last bit */
	unsigned long long reserved;
};

_Static_assert(sizeof(struct runq_task) == 128, "runq_task: sizes differ");

/* What a CPU does: a cache line. */
struct runq_cpu {
	unsigned long long running; /* stamp of the thread's arrival, 0: idle, or not seen yet */
	unsigned int slot;          /* of that thread, or 0 */
	unsigned int pad[13];
};

_Static_assert(sizeof(struct runq_cpu) == 64, "runq_cpu: sizes differ");

/* A wait of at least min_wait. */
struct runq_event {
	unsigned long long time; /* at which it ended */
	unsigned long long wait_ns;
	struct weir_task_id task;
	unsigned int cpu;
	unsigned int prev_tid; /* who had the CPU until then; 0: it was idle */
	char prev_comm[WEIR_COMM_LENGTH];
};

_Static_assert(sizeof(struct runq_event) == 80, "runq_event: sizes differ");

/*
 * Counted atomically; emptied by weir_cell_take(). Linux 6.18 has been seen to leave out a switch
 * now and then, from ftrace as from us: unseen shows that.
 */
struct runq_totals {
	unsigned long long unstarted; /* waits whose begin was not seen */
	unsigned long long full;      /* waits not timed, as too many threads were waiting */
	unsigned long long unseen;    /* threads that left a CPU without having come; tasks only */
};

_Static_assert(sizeof(struct runq_totals) == 24, "runq_totals: sizes differ");

#endif
