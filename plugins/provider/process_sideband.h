/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the kernel tells of processes: perf's records of forks, names, mappings and exits, read
 * from the rings of all CPUs, put in the order of their times, and handed to the table.
 */
#ifndef PROCESS_SIDEBAND_H
#define PROCESS_SIDEBAND_H

#include <weir/perf_event.h>

#include "process_table.h"

/* One opened event: everybody's, or some threads'. */
struct process_watch {
	struct process_watch *next;
	struct weir_perf_set set;
};

/* Starts zeroed. */
struct process_sideband {
	struct process_watch *watches;
	uint8_t *bytes; /* records that were copied out of the rings */
	size_t size;
	size_t capacity;
	struct process_record *records; /* where they are, and when */
	uint32_t count;
	uint32_t record_capacity;
	uint64_t lost; /* records, since the last time that somebody asked */
};

/*
 * Opens rings for those threads and their future children, or for everybody. 0 with *watch, which
 * is the sideband's, or what the kernel says.
 */
int process_sideband_open(struct process_sideband *sideband, const struct weir_perf_target *target,
			  const struct weir_numbers *cpus, uint64_t ring_bytes,
			  struct process_watch **watch);

/* Closes one of them; what is in its rings is gone. */
void process_sideband_close(struct process_sideband *sideband, struct process_watch *watch);

/* Reads all rings empty, into the table. 0 or -ENOMEM. */
int process_sideband_drain(struct process_sideband *sideband, struct process_table *table);

void process_sideband_clear(struct process_sideband *sideband);

/* Hands one record to the table. For tests, too. 0 or -ENOMEM. */
int process_sideband_apply(struct process_sideband *sideband, struct process_table *table,
			   const struct perf_event_header *record, uint64_t time);

#endif
