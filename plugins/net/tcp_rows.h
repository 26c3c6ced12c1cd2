/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of net.tcp: of a namespace's counters, and of listeners. */
#ifndef NET_TCP_ROWS_H
#define NET_TCP_ROWS_H

#include "owners.h"
#include "tcp_counters.h"
#include "tcp_diag.h"

struct tcp_row {
	uint64_t values[TCP_VALUES]; /* rates as counts of the window */
	double retransmitted;
	uint32_t netns;
	uint32_t ports_used;
	uint32_t ports;
	char comm[20];
};

extern const struct weir_schema tcp_row_schema;
extern const struct weir_schema tcp_listener_schema;
extern const struct weir_schema tcp_datagram_schema;

/* `ports` NULL: not known. A counter that went back marks the batch. */
void tcp_row_fill(struct weir_batch *batch, struct tcp_row *row, const struct net_space *space,
		  const struct tcp_sample *old, const struct tcp_sample *new,
		  const struct tcp_ports *ports);

bool tcp_row_is_idle(const struct tcp_row *row);

enum tcp_want {
	TCP_IDLE = 1 << 0,   /* also sockets that are in no trouble */
	TCP_OWNERS = 1 << 1, /* also their owners */
};

/*
 * A row for each socket that is in trouble: it lost something since `old`, or has something to be
 * taken. `want`: enum tcp_want. 0 or -ENOMEM.
 */
int tcp_add_sockets(struct weir_ctx *ctx, struct weir_batch *batch, struct owners *owners,
		    const struct net_sockets *old, const struct net_sockets *new, uint32_t want);

#endif
