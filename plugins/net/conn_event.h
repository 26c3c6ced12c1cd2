/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by conn.bpf.c and conn.c. Fixed-width members only; sizes are asserted. */
#ifndef CONN_EVENT_H
#define CONN_EVENT_H

#include <weir/bpf/task_event.h>

#include "ends_event.h"

/* What is reported: bits of the option `report`, and kinds of events. */
enum conn_report {
	CONN_LIFE = 1 << 0,
	CONN_CONNECT = 1 << 1,
};

enum conn_flag {
	CONN_ACTIVE = 1 << 0,    /* this side opened it */
	CONN_PASSIVE = 1 << 1,   /* the other did; neither: opened before we looked */
	CONN_OWNED = 1 << 2,     /* `task` is filled */
	CONN_UNWANTED = 1 << 3,  /* its owner is none that the user asked for */
	CONN_CONNECTED = 1 << 4, /* the outcome of connect() was reported */
	CONN_ENDED = 1 << 5,     /* closed; kept until its owner gives it back */
};

/* A connection: followed as this, and sent as this. */
struct conn_event {
	unsigned long long time;  /* of what is reported */
	unsigned long long start; /* first SYN sent, or handshake done by the peer; 0: before us */
	unsigned long long established; /* 0: never, or before us */
	unsigned long long tx;          /* payload that the peer acknowledged, bytes */
	unsigned long long rx;          /* payload received in order, bytes */
	struct weir_task_id task;       /* the owner */
	struct ends ends;
	unsigned short flags; /* enum conn_flag */
	unsigned short error; /* errno of the socket at its end; 0: none */
	unsigned char kind;   /* one of enum conn_report */
	unsigned char state;  /* the kernel's number of the state before the end */
	unsigned char reserved[2];
};

_Static_assert(sizeof(struct conn_event) == 136, "conn_event: kernel and user differ");

/* Counted atomically, emptied by weir_cell_take(). */
struct conn_totals {
	unsigned long long map_full; /* connections not followed: too many at a time */
};

/* States of a connection, numbered by the kernel's UAPI. */
enum conn_state {
	CONN_ESTABLISHED = 1,
	CONN_SYN_SENT = 2,
	CONN_SYN_RECV = 3,
	CONN_FIN_WAIT1 = 4,
	CONN_FIN_WAIT2 = 5,
	CONN_CLOSE = 7,
	CONN_CLOSE_WAIT = 8,
	CONN_LAST_ACK = 9,
	CONN_LISTEN = 10,
	CONN_CLOSING = 11,
};

#endif
