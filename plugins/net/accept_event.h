/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by accept.bpf.c and accept.c. Fixed-width members only; sizes are asserted. */
#ifndef ACCEPT_EVENT_H
#define ACCEPT_EVENT_H

#include <weir/bpf/task_event.h>

#include "ends_event.h"

/* What `wait` is if the end of the handshake was not seen, or accept() was not. */
#define ACCEPT_WAIT_UNKNOWN (~0ull)

struct accept_event {
	unsigned long long time;
	unsigned long long wait; /* from the end of the handshake to accept(), ns */
	struct weir_task_id task;
	struct ends ends;
	unsigned int has_task;
	unsigned int reserved;
};

_Static_assert(sizeof(struct accept_event) == 112, "accept_event: kernel and user differ");

/* Counted atomically, emptied by weir_cell_take(). */
struct accept_totals {
	unsigned long long map_full; /* connections whose wait is not known: too many wait */
};

#endif
