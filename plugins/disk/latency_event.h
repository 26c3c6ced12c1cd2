/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by latency.bpf.c and latency.c. Includes nothing but headers that include nothing.
 * Fixed-width members only; the size is asserted, so that both compilers agree on every byte.
 */
#ifndef LATENCY_EVENT_H
#define LATENCY_EVENT_H

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/slot_pool.h>

#include "request_event.h"

#define LATENCY_SLOTS 128

/*
 * Both histograms are in ns and reach from 256 ns to 2^38 ns, 275 s: faster than any device
 * answers, slower than a disk's command timeout with all its retries (30 s, five times).
 */
#define LATENCY_FIRST WEIR_HISTOGRAM_FIRST(8)

/*
 * What a (disk, operation) did. One page, so that user space can map only the slots in use.
 * The identity is written once, before the first count; all that follows is counted atomically
 * and emptied by weir_cell_take() and weir_histogram_take().
 */
struct latency_slot {
	unsigned int dev; /* major << 20 | minor of the whole disk; 0: a queue without a disk */
	unsigned int op;  /* the kernel's enum req_op; operations are classed in user space */
	char disk[REQUEST_DISK_LEN]; /* closed by NUL; still here when the disk is gone */

	unsigned long long bytes;
	unsigned long long errors;   /* requests that ended with an error; they are timed, too */
	unsigned long long requeues; /* times a driver gave a request back for now */
	unsigned long long reserved[12];

	/*
	 * queued: from the request's first insertion into a queue to its last issue; 0, counted in
	 * `zero`, when it went straight to the driver. device: from the last issue to the
	 * completion of its last byte. Each completed request is one sample in each.
	 */
	struct weir_histogram_cells queued;
	struct weir_histogram_cells device;
};

_Static_assert(sizeof(struct latency_slot) == 4096, "latency_slot: a slot is a page");

#endif
