/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of source cpu.runq: histograms (runq_latency.c) and sums per thread (runq_tasks.c),
 * as they lie in the maps of runq.bpf.c.
 */
#ifndef RUNQ_H
#define RUNQ_H

#include <weir/plugin.h>
#include <weir/slots.h>
#include <weir/task_filter.h>

#include "runq_event.h"

/* A window without rows is sent too: it says that there were none. */
struct runq_window {
	uint32_t output;
	uint64_t start;
	uint64_t end;
};

struct runq_latency {
	struct weir_slots slots;
	struct weir_cgroup_names *cgroups;
	uint32_t by;    /* enum runq_by */
	uint32_t fixed; /* slots that are there from the start: for all, or one per CPU */
	int slots_fd;
	int index_fd;
};

/* The schema of the rows for a value of the option `by`. */
const struct weir_schema *runq_latency_schema(uint32_t by);

/* Sends the histograms of a window. 1: sent, 0: not now, as a queue is full; negative errno. */
int runq_latency_emit(struct weir_ctx *ctx, struct runq_latency *latency,
		      const struct runq_window *window);

/* What had been counted of a thread when the last window ended. */
struct runq_seen {
	uint64_t run_ns;
	uint64_t wait_ns;
	uint32_t waits;
	uint32_t switches;
	uint32_t voluntary;
	uint32_t involuntary;
};

struct runq_tasks {
	struct weir_slots slots;
	struct runq_seen *seen; /* of each mapped slot */
	struct weir_cgroup_names *cgroups;
	unsigned long long *index; /* the words of all threads */
	struct runq_cpu *cpus;
	uint32_t cpu_count;
	uint32_t *window; /* of the program */
	int tasks_fd;
};

extern const struct weir_schema *const runq_tasks_schema;

/* Maps the program's tables. 0, or a negative errno without a reason said. */
int runq_tasks_map(struct runq_tasks *tasks, int index_fd, int cpus_fd);
void runq_tasks_release(struct runq_tasks *tasks);

/* Sends what each thread did in a window. 1: sent, 0: not now; negative errno. */
int runq_tasks_emit(struct weir_ctx *ctx, struct runq_tasks *tasks,
		    const struct runq_window *window);

#endif
