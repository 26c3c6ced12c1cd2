/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of /proc/net/dev, strictly read, and what sysfs tells of an interface. */
#ifndef NET_STAT_READ_H
#define NET_STAT_READ_H

#include <weir/sample.h>

#include "spaces.h"

/* The columns of a line, in the kernel's order. */
enum net_counter {
	RX_BYTES,
	RX_PACKETS,
	RX_ERRORS,
	RX_DROPPED, /* missed ones, too */
	RX_FIFO,
	RX_FRAME,
	RX_COMPRESSED,
	MULTICAST,
	TX_BYTES,
	TX_PACKETS,
	TX_ERRORS,
	TX_DROPPED,
	TX_FIFO,
	COLLISIONS,
	TX_CARRIER,
	TX_COMPRESSED,
	NET_LINE_COUNTERS,
	RX_MISSED = NET_LINE_COUNTERS, /* of sysfs */
	NET_COUNTERS,
};

/* One interface. What is of sysfs is known of weir's own namespace only. */
struct net_entry {
	char name[16];
	char state[16];                  /* "up", "down", "unknown" ...; "" where not known */
	uint32_t index;                  /* another one is another interface; 0: not known */
	uint32_t speed;                  /* Mbit/s; 0: not known */
	bool half_duplex;                /* sends or receives, not both */
	uint64_t counters[NET_COUNTERS]; /* WEIR_ABSENT_U64: not known */
};

struct net_sample {
	struct net_entry *entries;
	uint32_t count;
	uint32_t capacity;
	struct weir_sample_time time;
};

/*
 * Reads what a namespace has into a sample, whose memory is used again and whose time is already
 * set. 0, -ESRCH where the namespace cannot be read any more, or a negative errno, having said why.
 */
int net_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
	     struct weir_buffer *buffer, struct net_sample *sample);

/* The interface of that name, which is likely at place `hint`; NULL: none. */
const struct net_entry *net_find(const struct net_sample *sample, const char *name, uint32_t hint);

#endif
