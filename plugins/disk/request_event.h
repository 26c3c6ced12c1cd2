/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the BPF programs that follow requests could not do, as their user sides report it. Includes
 * nothing; fixed-width members only, size asserted.
 */
#ifndef REQUEST_EVENT_H
#define REQUEST_EVENT_H

#define REQUEST_DISK_LEN 32

/*
 * Counted atomically, emptied by weir_cell_take(). Linux 6.18 now and then does not show us an
 * event, for a reason that is not known: unstarted and unfinished tell.
 */
struct request_totals {
	unsigned long long unstarted;  /* completions whose issue came before us */
	unsigned long long unfinished; /* requests issued anew whose completion was never seen */
	unsigned long long backwards;  /* the clock went back between two events: no sample */
	unsigned long long map_full;   /* requests not followed, as too many are in flight */
};

_Static_assert(sizeof(struct request_totals) == 32, "request_totals: kernel and user differ");

#endif
