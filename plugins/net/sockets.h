/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sockets that wait for somebody to take what came: listeners of TCP, and sockets of UDP. The kernel
 * is asked for them (tcp_diag.h), or its files are read (sockets_proc.c).
 */
#ifndef NET_SOCKETS_H
#define NET_SOCKETS_H

#include <weir/file.h>
#include <weir/plugin.h>

#include "spaces.h"

struct net_socket {
	uint64_t inode;
	uint32_t netns;
	uint32_t family; /* AF_INET or AF_INET6 */
	uint8_t address[16];
	uint32_t port;
	uint32_t uid;
	uint32_t queue; /* of TCP connections that wait to be accepted; of UDP bytes to be read */
	uint32_t limit; /* of these; WEIR_ABSENT_U32: not known */
	uint32_t drops; /* since it was made */
	bool has_drops;
};

/* Starts as zeroed memory; net_sockets_release() accepts that. */
struct net_sockets {
	struct net_socket *items;
	uint32_t count;
	uint32_t capacity;
};

/* A new one, zeroed, or NULL: no memory. */
struct net_socket *net_sockets_add(struct net_sockets *sockets);
/* To be called when all are there; net_sockets_find() returns NULL for one that is not. */
void net_sockets_sort(struct net_sockets *sockets);
const struct net_socket *net_sockets_find(const struct net_sockets *sockets, uint64_t inode);
void net_sockets_release(struct net_sockets *sockets);

/*
 * Adds those that the files of a namespace tell of. They tell no listener's limit and drops. 0 or a
 * negative errno; a file that is not there tells of none.
 */
int net_sockets_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
		     struct weir_buffer *buffer, struct net_sockets *listeners,
		     struct net_sockets *datagrams);

#endif
