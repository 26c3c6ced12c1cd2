/* SPDX-License-Identifier: BSD-2-Clause */
/* See stat_row.h. */
#include "stat_row.h"

#include <math.h>
#include <stdio.h>

WEIR_DEFINE_UNIT(net_mbit, "data rate", "Mbit/s", "Mbit/s", 125000, 1);

#define NET_COUNT(name_, counter_, unit_, flags_, head_, head_unit_, doc_)                         \
	{                                                                                          \
		.name = (name_), .doc = (doc_), .unit = (unit_), .type = WEIR_TYPE_UINT,           \
		.role = WEIR_DELTA, .bytes = 8, .flags = WEIR_OPTIONAL | (flags_),                 \
		.offset = (uint32_t)(offsetof(struct net_row, counters) + 8 * (counter_)),         \
		.head = WEIR_HEAD(head_, head_unit_, WEIR_PER_SECOND)                              \
	}
#define NET_QUIET(name_, counter_, head_, doc_)                                                    \
	NET_COUNT(name_, counter_, WEIR_COUNT, WEIR_QUIET, head_, WEIR_COUNT, doc_)
#define NET_SUM(member_, head_, doc_)                                                              \
	WEIR_FIELD_HEAD(struct net_row, member_, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,            \
			WEIR_HEAD(head_, WEIR_COUNT, WEIR_PER_SECOND), doc_)

static const struct weir_field net_row_fields[] = {
	WEIR_FIELD(struct net_row, interface, WEIR_NONE, WEIR_KEY, "name of the interface"),
	WEIR_FIELD_WITH(struct net_row, netns, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"network namespace, by its inode"),
	WEIR_FIELD_WITH(struct net_row, comm, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"a process in that namespace, where it is not weir's own"),
	NET_COUNT("rx_packets", RX_PACKETS, WEIR_COUNT, 0, "rxpck/s", WEIR_COUNT, "received"),
	NET_COUNT("tx_packets", TX_PACKETS, WEIR_COUNT, 0, "txpck/s", WEIR_COUNT, "sent"),
	NET_COUNT("rx_bytes", RX_BYTES, WEIR_BYTES, 0, "rxkB/s", WEIR_KIB, "received"),
	NET_COUNT("tx_bytes", TX_BYTES, WEIR_BYTES, 0, "txkB/s", WEIR_KIB, "sent"),
	WEIR_FIELD_HEAD(struct net_row, util, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			WEIR_HEAD("%ifutil", WEIR_PERCENT, 0),
			"share of the link's speed, where that is known"),
	NET_SUM(errors, "err/s", "errors of both directions"),
	NET_SUM(drops, "drop/s", "dropped in both directions"),
	NET_QUIET("rx_errors", RX_ERRORS, "rxerr/s", "bad packets received"),
	NET_QUIET("tx_errors", TX_ERRORS, "txerr/s", "packets that could not be sent"),
	NET_QUIET("rx_dropped", RX_DROPPED, "rxdrop/s",
		  "received, but there was no room; missed, too"),
	NET_QUIET("tx_dropped", TX_DROPPED, "txdrop/s", "not sent, as there was no room"),
	NET_QUIET("rx_missed", RX_MISSED, "rxmiss/s", "lost by the device for want of buffers"),
	NET_QUIET("rx_fifo", RX_FIFO, "rxfifo/s", "overruns of the receive queue"),
	NET_QUIET("tx_fifo", TX_FIFO, "txfifo/s", "underruns of the send queue"),
	NET_QUIET("rx_frame", RX_FRAME, "rxfram/s", "bad length, frame or checksum"),
	NET_QUIET("tx_carrier", TX_CARRIER, "txcarr/s", "carrier lost while sending"),
	NET_QUIET("collisions", COLLISIONS, "coll/s", "collisions"),
	NET_QUIET("multicast", MULTICAST, "rxmcst/s", "multicast packets received"),
	NET_QUIET("rx_compressed", RX_COMPRESSED, "rxcmp/s", "compressed packets received"),
	NET_QUIET("tx_compressed", TX_COMPRESSED, "txcmp/s", "compressed packets sent"),
	WEIR_FIELD_WITH(struct net_row, speed, &net_mbit, WEIR_GAUGE, WEIR_OPTIONAL | WEIR_QUIET,
			"of the link, where the device tells"),
	WEIR_FIELD_WITH(struct net_row, state, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"of the link: up, down, unknown ..."),
	WEIR_FIELD_WITH(struct net_row, note, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"what to know of the numbers"),
};

const struct weir_schema net_row_schema = { sizeof(struct weir_schema),
					    WEIR_ROW_SIZE(struct net_row), "interfaces",
					    WEIR_TABLE(net_row_fields) };

void net_row_name(struct net_row *row, const struct net_space *space, const struct net_entry *entry)
{
	snprintf(row->interface, sizeof(row->interface), "%s", entry->name);
	snprintf(row->state, sizeof(row->state), "%s", entry->state);
	snprintf(row->comm, sizeof(row->comm), "%s", space->comm);
	row->netns = space->id ? space->id : WEIR_ABSENT_U32;
	row->speed = entry->speed ? entry->speed : WEIR_ABSENT_U32;
}

void net_row_empty(struct net_row *row, const char *note)
{
	for (int i = 0; i < NET_COUNTERS; i++)
		row->counters[i] = WEIR_ABSENT_U64;
	row->errors = row->drops = WEIR_ABSENT_U64;
	row->util = NAN;
	snprintf(row->note, sizeof(row->note), "%s", note);
}

/* Both directions at once where the link can, else one after the other. */
static double net_util(const struct net_entry *entry, const uint64_t delta[NET_COUNTERS],
		       uint64_t elapsed)
{
	uint64_t rx = delta[RX_BYTES], tx = delta[TX_BYTES];
	uint64_t bytes = entry->half_duplex ? rx + tx : rx > tx ? rx : tx;
	double most = (double)entry->speed * 125000 * (double)elapsed / 1e9;

	return entry->speed ? (double)bytes / most : NAN;
}

void net_row_fill(struct net_row *row, const struct net_entry *old, const struct net_entry *new,
		  uint64_t elapsed)
{
	for (int i = 0; i < NET_COUNTERS; i++) {
		uint64_t from = old->counters[i], to = new->counters[i];

		row->counters[i] = WEIR_ABSENT_U64;
		if (from == WEIR_ABSENT_U64 || to == WEIR_ABSENT_U64)
			continue;
		if (to < from) {
			net_row_empty(row, "counters went back");
			return;
		}
		row->counters[i] = to - from;
	}
	row->errors = row->counters[RX_ERRORS] + row->counters[TX_ERRORS];
	row->drops = row->counters[RX_DROPPED] + row->counters[TX_DROPPED];
	row->util = net_util(new, row->counters, elapsed);
}

bool net_row_is_idle(const struct net_row *row)
{
	for (int i = 0; i < NET_COUNTERS; i++)
		if (row->counters[i] != 0 && row->counters[i] != WEIR_ABSENT_U64)
			return false;
	return row->note[0] == '\0';
}
