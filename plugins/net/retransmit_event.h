/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by retransmit.bpf.c and retransmit.c. Fixed-width members only; the size is asserted. */
#ifndef RETRANSMIT_EVENT_H
#define RETRANSMIT_EVENT_H

#include "ends_event.h"

enum retransmit_kind {
	RETRANSMIT_OTHER = 0,
	RETRANSMIT_SYN = 1,
	RETRANSMIT_SYNACK = 2,
	RETRANSMIT_PROBE = 3,   /* tail loss probe */
	RETRANSMIT_FAST = 4,    /* in recovery: later segments were acknowledged */
	RETRANSMIT_TIMEOUT = 5, /* after a timeout of retransmission, until all is made good */
	RETRANSMIT_KINDS = 6,
};

/* Who connected. All zero: it was before weir looked, or the connection was accepted. */
struct retransmit_owner {
	unsigned int pid;
	char comm[16]; /* of the thread; closed by NUL */
};

struct retransmit_event {
	unsigned long long time;
	unsigned long long socket; /* inode; 0: no descriptor leads to it */
	struct ends ends;
	struct retransmit_owner owner;
	unsigned int segments; /* of this packet, as the kernel counts retransmitted ones */
	unsigned char kind;    /* enum retransmit_kind */
	unsigned char state;   /* the kernel's number of the connection's state */
	unsigned char reserved[6];
};

_Static_assert(sizeof(struct retransmit_event) == 96, "retransmit_event: kernel and user differ");

#endif
