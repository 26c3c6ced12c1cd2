/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by process.bpf.c and the files of cpu.process. Includes nothing but the SDK's identity of
 * a task, which includes nothing either. Fixed-width members only; sizes are asserted, so that
 * both compilers agree on every byte.
 */
#ifndef PROCESS_EVENT_H
#define PROCESS_EVENT_H

#include <weir/bpf/task_event.h>

/* What a task has used since it began. Times in ns; UINT64_MAX: this kernel does not count it. */
enum process_counter {
	PROCESS_USER,
	PROCESS_SYSTEM,
	PROCESS_GUEST,
	PROCESS_RUN,    /* on a CPU: user, system and guest */
	PROCESS_WAIT,   /* for a CPU */
	PROCESS_IOWAIT, /* for block devices */
	PROCESS_READ,   /* bytes */
	PROCESS_WRITTEN,
	PROCESS_CANCELLED,
	PROCESS_MINOR, /* page faults */
	PROCESS_MAJOR,
	PROCESS_VOLUNTARY, /* switches */
	PROCESS_INVOLUNTARY,
	PROCESS_COUNTERS,
};

enum process_record_flag {
	PROCESS_LEADER = 1 << 0,  /* the members below `flags` are set */
	PROCESS_EXITING = 1 << 1, /* its counters come, or came, when it ends */
	PROCESS_ENDED = 1 << 2,   /* this is that record */
	PROCESS_WHOLE = 1 << 3,   /* with PROCESS_ENDED: it was the only thread */
	PROCESS_LAST = 1 << 4,    /* with PROCESS_ENDED: the process ended with it */
};

/* A thread, as the iterator sees it or as it ends. */
struct process_record {
	struct weir_task_id task;
	unsigned long long start_ns;       /* CLOCK_MONOTONIC */
	unsigned long long group_start_ns; /* of its process */
	unsigned long long counters[PROCESS_COUNTERS];
	unsigned int flags;
	unsigned int state; /* __state and exit_state */
	unsigned int cpu;
	int priority; /* as /proc tells it */
	int nice;
	unsigned int threads;
	unsigned long long rss; /* pages */
	unsigned long long vsz;
	unsigned long long stack;
	unsigned long long swap;
};

_Static_assert(sizeof(struct process_record) == 216, "process_record: kernel and user differ");

#endif
