/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of net.stat: from two lines of /proc/net/dev to the columns of sar -n DEV,EDEV. */
#ifndef NET_STAT_ROW_H
#define NET_STAT_ROW_H

#include "stat_read.h"

struct net_row {
	char interface[16];
	char state[16];
	char note[24];
	char comm[16];
	uint32_t netns;
	uint32_t speed;
	uint64_t counters[NET_COUNTERS];
	uint64_t errors;
	uint64_t drops;
	double util;
};

extern const struct weir_schema net_row_schema;

void net_row_name(struct net_row *row, const struct net_space *space,
		  const struct net_entry *entry);

/* No numbers, and why. */
void net_row_empty(struct net_row *row, const char *note);

/* What happened from one line to the other, `elapsed` ns later. */
void net_row_fill(struct net_row *row, const struct net_entry *old, const struct net_entry *new,
		  uint64_t elapsed);

bool net_row_is_idle(const struct net_row *row);

#endif
