/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What only the kernel's socket diagnostics tell: the queues of listeners and of sockets of UDP, with
 * their limits, and how many of the ports for outgoing connections are taken. They answer for the namespace of the asking thread, so a
 * thread goes from one to the next, and ends there: the caller's own never leaves its namespace.
 */
#ifndef NET_TCP_DIAG_H
#define NET_TCP_DIAG_H

#include <weir/plugin.h>

#include "sockets.h"
#include "spaces.h"

/* Of one namespace, at the same place as in net_spaces. */
struct tcp_ports {
	uint64_t sockets; /* set before asking: how many may have such a port */
	uint32_t first;   /* of the range for outgoing connections */
	uint32_t count;   /* of that range; 0: not known */
	uint32_t used;    /* different ones, TIME-WAIT included */
	bool counted;     /* `used` is known */
	int error;        /* why the kernel did not answer here: a negative errno */
};

/* Counting means that the kernel walks through all its table, which takes milliseconds. */
enum tcp_count_ports {
	TCP_PORTS_AUTO, /* where there are sockets for a quarter of the range */
	TCP_PORTS_ALWAYS,
	TCP_PORTS_NEVER,
};

struct tcp_diag {
	struct net_sockets listeners; /* of TCP */
	struct net_sockets datagrams; /* sockets of UDP */
	struct tcp_ports *ports;
	uint32_t spaces;
};

/* Makes room for the ports of all namespaces, zeroed. 0 or -ENOMEM. */
int tcp_diag_begin(const struct net_spaces *spaces, struct tcp_diag *diag);

/* Then asks in all of them; `diag` is filled again. 0 or -ENOMEM; all else is in its ports. */
int tcp_diag_ask(struct weir_ctx *ctx, const struct net_spaces *spaces, enum tcp_count_ports count,
		 struct tcp_diag *diag);

void tcp_diag_release(struct tcp_diag *diag);

#endif
