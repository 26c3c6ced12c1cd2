/* SPDX-License-Identifier: BSD-2-Clause */
/* A cgroup's row: what it used, against its limits, between two samples. */
#ifndef CGROUP_ROW_H
#define CGROUP_ROW_H

#include "tree.h"

struct cgroup_row {
	struct weir_text cgroup;
	char container[64];
	char state[16];
	double cpus;
	double cpus_max;
	uint64_t cpu_time;
	uint64_t periods;
	uint64_t throttled;
	uint64_t throttled_time;
	double cpu_some;
	double cpu_full;
	uint64_t memory;
	uint64_t memory_max;
	uint64_t memory_high;
	uint64_t memory_max_hits;
	uint64_t memory_high_hits;
	uint64_t swap;
	uint64_t swap_max;
	uint64_t ooms;
	uint64_t oom_kills;
	double memory_some;
	double memory_full;
	uint64_t pids;
	uint64_t pids_max;
	uint64_t pids_max_hits;
	double io_some;
	double io_full;
	uint64_t read_bytes;
	uint64_t written_bytes;
	uint64_t reads;
	uint64_t writes;
};

extern const struct weir_schema cgroup_schema;

/* A cgroup's state in a window, by its samples before and after it; one of both may be NULL. */
const char *cgroup_state(const struct cgroup_entry *old, const struct cgroup_entry *new);

/*
 * Fills a zeroed row of the batch but for its texts. `new` may be NULL, `ns` is the length of the
 * window. A counter that went back is absent and a gap of the batch.
 */
void cgroup_row_fill(struct cgroup_row *row, struct weir_batch *batch,
		     const struct cgroup_entry *old, const struct cgroup_entry *new, uint64_t ns);

/* True when the cgroup has a limit on CPU or memory, came or went, or did anything. */
bool cgroup_row_matters(const struct cgroup_row *row);

#endif
