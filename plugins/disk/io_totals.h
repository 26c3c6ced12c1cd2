/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over the requests of a window, by process, name, disk and operation. */
#ifndef IO_TOTALS_H
#define IO_TOTALS_H

#include <stdint.h>

#include "io_event.h"

/* More keys than this share one row in a window. */
#define IO_TOTALS_MAX 65536

struct io_total {
	struct weir_task_id task;
	char disk[REQUEST_DISK_LEN];
	uint32_t op;
	uint32_t marks; /* enum io_mark */
	uint64_t count;
	uint64_t bytes;
	uint64_t errors;
	uint64_t queued_ns; /* sum */
	uint64_t device_ns; /* sum */
	uint64_t device_max_ns;
};

/* Starts as zeroed memory; io_totals_release() accepts that. */
struct io_totals {
	struct io_total *totals;
	uint32_t *index; /* hash table: position in totals, plus 1; 0: free */
	uint32_t count;
	uint32_t capacity;    /* of totals; index has twice as many, a power of two */
	struct io_total rest; /* what found no room */
};

/* Adds a request. 0 or -ENOMEM. */
int io_totals_add(struct io_totals *sums, const struct io_event *event);
/* Forgets all sums and keeps the memory. */
void io_totals_clear(struct io_totals *sums);
void io_totals_release(struct io_totals *sums);

#endif
