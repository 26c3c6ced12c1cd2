/* SPDX-License-Identifier: BSD-2-Clause */
/* What a cgroup's files say: one set of values for version 1 and version 2. */
#ifndef CGROUP_FILES_H
#define CGROUP_FILES_H

#include <weir/file.h>
#include <weir/plugin.h>

/* Times in ns. A limit that is not set is absent, as is what a kernel or hierarchy does not tell. */
enum cgroup_value {
	NOTHING,
	CPU_QUOTA, /* of each CPU_PERIOD */
	CPU_PERIOD,
	MEMORY,
	MEMORY_MAX,
	MEMORY_HIGH,
	SWAP,
	SWAP_MAX,
	MEMORY_SWAP, /* version 1 tells the sum of both, and its limit */
	MEMORY_SWAP_MAX,
	PIDS,
	PIDS_MAX,
	CPU_USAGE, /* the first counter */
	PERIODS,
	THROTTLED,
	THROTTLED_TIME,
	MEMORY_MAX_HITS,
	MEMORY_HIGH_HITS,
	OOMS,
	OOM_KILLS,
	PIDS_MAX_HITS,
	CPU_SOME, /* of each pair of pressures, `full` is the next value */
	CPU_FULL,
	MEMORY_SOME,
	MEMORY_FULL,
	IO_SOME,
	IO_FULL,
	READ_BYTES,
	WRITTEN_BYTES,
	READS,
	WRITES,
	CGROUP_VALUES
};

/* Hierarchies: that of version 2, and those of the controllers of version 1 that say something. */
enum cgroup_controller {
	CGROUP_V2,
	CGROUP_CPU,
	CGROUP_CPUACCT,
	CGROUP_MEMORY,
	CGROUP_PIDS,
	CGROUP_BLKIO,
	CGROUP_CONTROLLERS
};

/* Name of a controller of version 1. */
extern const char *const cgroup_controllers[CGROUP_CONTROLLERS];

struct cgroup_values {
	uint64_t value[CGROUP_VALUES]; /* absent: WEIR_ABSENT_U64 */
	uint8_t mount[CGROUP_VALUES];  /* which mount told it */
	uint32_t missing;              /* files that were not there, as bits */
	bool quiet; /* version 2: no counter has grown since the reading before this one */
};

/* Makes all values absent. */
void cgroup_values_clear(struct cgroup_values *values);

/* Where a cgroup's files are, and which are to be read. */
struct cgroup_place {
	int parent;           /* an open folder */
	const char *name;     /* the cgroup's, in there */
	uint32_t controllers; /* mask of those that its hierarchy has */
	uint8_t mount;        /* noted with each value */
	bool limits;          /* also limits, and files that were not there before */
};

/*
 * Reads the files of a cgroup. `known`: what it was before, NULL: not known. From there come limits
 * that are not read, and all of a cgroup of version 2 in which nothing happened then, and no CPU time
 * was used since. What only a limit can make happen is not read, and absent, where there is no such
 * limit. Returns how many files could not be understood: they tell nothing.
 */
uint32_t cgroup_files_read(const struct cgroup_place *place, const struct cgroup_values *known,
			   struct weir_buffer *buffer, struct cgroup_values *values);

#endif
