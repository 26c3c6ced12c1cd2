/* SPDX-License-Identifier: BSD-2-Clause */
/* See sockets.h. */
#include "sockets.h"

#include <stdlib.h>

struct net_socket *net_sockets_add(struct net_sockets *sockets)
{
	if (sockets->count == sockets->capacity) {
		uint32_t capacity = sockets->capacity ? sockets->capacity * 2 : 32;
		struct net_socket *grown = realloc(sockets->items, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		sockets->items = grown;
		sockets->capacity = capacity;
	}
	memset(&sockets->items[sockets->count], 0, sizeof(*sockets->items));
	return &sockets->items[sockets->count++];
}

static int sockets_order(const void *a, const void *b)
{
	uint64_t x = ((const struct net_socket *)a)->inode;
	uint64_t y = ((const struct net_socket *)b)->inode;

	return x < y ? -1 : x > y;
}

void net_sockets_sort(struct net_sockets *sockets)
{
	if (sockets->count)
		qsort(sockets->items, sockets->count, sizeof(*sockets->items), sockets_order);
}

const struct net_socket *net_sockets_find(const struct net_sockets *sockets, uint64_t inode)
{
	const struct net_socket wanted = { .inode = inode };

	if (sockets->count == 0)
		return NULL;
	return bsearch(&wanted, sockets->items, sockets->count, sizeof(wanted), sockets_order);
}

void net_sockets_release(struct net_sockets *sockets)
{
	free(sockets->items);
	memset(sockets, 0, sizeof(*sockets));
}
