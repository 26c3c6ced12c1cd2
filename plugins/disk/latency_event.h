/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by latency.bpf.c and latency.c. Includes nothing but the SDK's histogram, which
 * includes nothing either. Fixed-width members only; sizes are asserted, so that both compilers
 * agree on every byte.
 */
#ifndef LATENCY_EVENT_H
#define LATENCY_EVENT_H

#include <weir/bpf/histogram_cells.h>

#define LATENCY_SLOTS    128
#define LATENCY_NAME_LEN 32

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
	char disk[LATENCY_NAME_LEN]; /* closed by NUL; still here when the disk is gone */

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

/*
 * What could not be timed or told apart. Counted atomically; all but slots_used are emptied by
 * weir_cell_take(). On Linux 6.18 a tracepoint now and then drops an event of ours while some
 * other program attaches to it or leaves it: unstarted and unfinished show that.
 */
struct latency_totals {
	unsigned long long slots_used; /* slots handed out, slot 0 not among them; may run past */
	unsigned long long slots_full; /* events booked to slot 0, as no slot was left */
	unsigned long long unstarted;  /* completions whose issue came before us */
	unsigned long long unfinished; /* requests issued anew whose completion was never seen */
	unsigned long long backwards;  /* the clock went back between two events: no sample */
	unsigned long long map_full;   /* requests not followed, as too many are in flight */
};

_Static_assert(sizeof(struct latency_totals) == 48, "latency_totals: sizes differ");

#endif
