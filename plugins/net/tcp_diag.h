/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What only the kernel's socket diagnostics tell: each listener's queue, and how many of the ports
 * for outgoing connections are taken. They answer for the namespace of the asking thread, so a
 * thread goes from one to the next, and ends there: the caller's own never leaves its namespace.
 */
#ifndef NET_TCP_DIAG_H
#define NET_TCP_DIAG_H

#include <weir/plugin.h>

#include "spaces.h"

struct tcp_listener {
	uint64_t inode;
	uint32_t netns;
	uint32_t family; /* AF_INET or AF_INET6 */
	uint8_t address[16];
	uint32_t port;
	uint32_t uid;
	uint32_t queue; /* connections that wait to be accepted */
	uint32_t limit; /* of these */
	uint32_t drops; /* since it listens */
	bool has_drops;
};

/* Of one namespace, at the same place as in net_spaces. */
struct tcp_ports {
	uint64_t sockets; /* set before asking: how many may have such a port */
	uint32_t first;   /* of the range for outgoing connections */
	uint32_t count;   /* of that range; 0: not known */
	uint32_t used;    /* different ones, TIME-WAIT included */
	bool counted;     /* `used` is known */
};

/* Counting means that the kernel walks through all its table, which takes milliseconds. */
enum tcp_count_ports {
	TCP_PORTS_AUTO, /* where there are sockets for a quarter of the range */
	TCP_PORTS_ALWAYS,
	TCP_PORTS_NEVER,
};

struct tcp_diag {
	struct tcp_listener *listeners; /* sorted by inode */
	uint32_t count;
	uint32_t capacity;
	struct tcp_ports *ports;
	uint32_t spaces;
	uint32_t refused; /* namespaces that could not be entered */
	int error;        /* why, or why nothing is known: a negative errno */
};

/* Makes room for the ports of all namespaces, zeroed. 0 or -ENOMEM. */
int tcp_diag_begin(const struct net_spaces *spaces, struct tcp_diag *diag);

/* Then asks in all of them; `diag` is filled again. 0 or -ENOMEM; all else is in it. */
int tcp_diag_ask(struct weir_ctx *ctx, const struct net_spaces *spaces, enum tcp_count_ports count,
		 struct tcp_diag *diag);

/* NULL: it was not there. */
const struct tcp_listener *tcp_diag_find(const struct tcp_diag *diag, uint64_t inode);

void tcp_diag_release(struct tcp_diag *diag);

#endif
