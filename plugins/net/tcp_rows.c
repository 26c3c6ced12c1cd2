/* SPDX-License-Identifier: BSD-2-Clause */
/* See tcp_rows.h. */
#include "tcp_rows.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>

#include <weir/host.h>
#include <weir/sample.h>

#define TCP_VALUE(id_, column_, role_, flags_, head_, doc_)                                        \
	{                                                                                          \
		.name = #column_, .doc = (doc_), .unit = WEIR_COUNT, .type = WEIR_TYPE_UINT,       \
		.role = (role_), .bytes = 8, .flags = WEIR_OPTIONAL | (flags_), .head = (head_),   \
		.offset = (uint32_t)(offsetof(struct tcp_row, values) + 8 * TCP_##id_)             \
	}
#define TCP_RATE(id_, file_, group_, name_, column_, head_, flags_, doc_)                          \
	TCP_VALUE(id_, column_, WEIR_DELTA, flags_, WEIR_HEAD(head_, WEIR_COUNT, WEIR_PER_SECOND), \
		  doc_),
#define TCP_LEVEL(id_, file_, group_, name_, column_, flags_, doc_)                                \
	TCP_VALUE(id_, column_, WEIR_GAUGE, flags_, NULL, doc_),

static const struct weir_field tcp_row_fields[] = {
	WEIR_FIELD_WITH(struct tcp_row, netns, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"network namespace, by its inode"),
	WEIR_FIELD_WITH(struct tcp_row, comm, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"a process in that namespace, where it is not weir's own"),
	TCP_RATES(TCP_RATE) WEIR_FIELD_HEAD(struct tcp_row, retransmitted, WEIR_RATIO, WEIR_GAUGE,
					    WEIR_OPTIONAL, WEIR_HEAD("%retrans", WEIR_PERCENT, 0),
					    "share of all segments sent that were sent again"),
	TCP_LEVELS(TCP_LEVEL) WEIR_FIELD_WITH(struct tcp_row, ports_used, WEIR_COUNT, WEIR_GAUGE,
					      WEIR_OPTIONAL | WEIR_QUIET,
					      "ports of the range below that are taken"),
	WEIR_FIELD_WITH(struct tcp_row, ports, WEIR_COUNT, WEIR_GAUGE, WEIR_OPTIONAL | WEIR_QUIET,
			"ports for outgoing connections: ip_local_port_range"),
};

const struct weir_schema tcp_row_schema = { sizeof(struct weir_schema),
					    WEIR_ROW_SIZE(struct tcp_row), "TCP",
					    WEIR_TABLE(tcp_row_fields) };

struct tcp_socket_row {
	struct weir_text laddr;
	uint64_t drops;
	uint32_t lport;
	uint32_t pid;
	uint32_t netns;
	uint32_t uid;
	uint32_t queue;
	uint32_t limit;
	char comm[16];
};

#define TCP_SOCKET(member_, unit_, role_, flags_, doc_)                                            \
	WEIR_FIELD_WITH(struct tcp_socket_row, member_, unit_, role_, flags_, doc_)
#define TCP_SOCKET_KEYS                                                                            \
	TCP_SOCKET(laddr, WEIR_NONE, WEIR_KEY, 0, "address that it is bound to"),                  \
		TCP_SOCKET(lport, WEIR_NONE, WEIR_KEY, 0, "port"),                                 \
		TCP_SOCKET(netns, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,                              \
			   "network namespace, by its inode"),                                     \
		TCP_SOCKET(pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process that has it"),        \
		TCP_SOCKET(comm, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "its name"),                  \
		TCP_SOCKET(uid, WEIR_NONE, WEIR_KEY, WEIR_QUIET, "user that it is of")

static const struct weir_field tcp_listener_fields[] = {
	TCP_SOCKET_KEYS,
	TCP_SOCKET(queue, WEIR_COUNT, WEIR_GAUGE, 0, "connections that wait to be accepted"),
	TCP_SOCKET(limit, WEIR_COUNT, WEIR_GAUGE, WEIR_OPTIONAL,
		   "how many may: one more is still taken"),
	TCP_SOCKET(drops, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL, "connections that it lost"),
};

const struct weir_schema tcp_listener_schema = { sizeof(struct weir_schema),
						 WEIR_ROW_SIZE(struct tcp_socket_row), "listeners",
						 WEIR_TABLE(tcp_listener_fields) };

static const struct weir_field tcp_datagram_fields[] = {
	TCP_SOCKET_KEYS,
	TCP_SOCKET(queue, WEIR_BYTES, WEIR_GAUGE, 0, "memory of datagrams that wait to be read"),
	TCP_SOCKET(limit, WEIR_BYTES, WEIR_GAUGE, WEIR_OPTIONAL, "size of its receive buffer"),
	TCP_SOCKET(drops, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL, "datagrams that it lost"),
};

const struct weir_schema tcp_datagram_schema = { sizeof(struct weir_schema),
						 WEIR_ROW_SIZE(struct tcp_socket_row),
						 "sockets of UDP",
						 WEIR_TABLE(tcp_datagram_fields) };

/* A value that one of two samples has not is absent, and no gap. */
static uint64_t tcp_added(struct weir_batch *batch, uint64_t from, uint64_t to)
{
	if (from == WEIR_ABSENT_U64 || to == WEIR_ABSENT_U64)
		return WEIR_ABSENT_U64;
	return weir_sample_added(batch, from, to);
}

void tcp_row_fill(struct weir_batch *batch, struct tcp_row *row, const struct net_space *space,
		  const struct tcp_sample *old, const struct tcp_sample *new,
		  const struct tcp_ports *ports)
{
	uint64_t out, again;

	row->netns = space->id ? space->id : WEIR_ABSENT_U32;
	snprintf(row->comm, sizeof(row->comm), "%s", space->comm);
	for (int i = 0; i < TCP_RATE_COUNT; i++)
		row->values[i] = tcp_added(batch, old->values[i], new->values[i]);
	for (int i = TCP_RATE_COUNT; i < TCP_VALUES; i++)
		row->values[i] = new->values[i];
	out = row->values[TCP_OUT];
	again = row->values[TCP_RETRANS];
	row->retransmitted = NAN;
	/* The kernel counts a SYN-ACK that it sends again, but not as a segment sent. */
	if (out != WEIR_ABSENT_U64 && again != WEIR_ABSENT_U64 && out + again)
		row->retransmitted = again < out ? (double)again / (double)out : 1;
	row->ports_used = ports && ports->counted ? ports->used : WEIR_ABSENT_U32;
	row->ports = ports && ports->count ? ports->count : WEIR_ABSENT_U32;
}

bool tcp_row_is_idle(const struct tcp_row *row)
{
	for (int i = 0; i < TCP_RATE_COUNT; i++)
		if (row->values[i] != 0 && row->values[i] != WEIR_ABSENT_U64)
			return false;
	return true;
}

/* `owners` NULL: who has it need not be known. */
static int tcp_set_owner(struct weir_ctx *ctx, struct owners *owners, uint64_t inode,
			 struct tcp_socket_row *row)
{
	const struct owner *owner;

	row->pid = WEIR_ABSENT_U32;
	if (!owners)
		return 0;
	owner = owners_find(owners, inode);
	if (!owner && owners_read(ctx, owners, inode, 0) < 0)
		return -ENOMEM;
	owner = owners_find(owners, inode);
	if (!owner || !owner->pid)
		return 0;
	row->pid = owner->pid;
	snprintf(row->comm, sizeof(row->comm), "%s", owner->comm);
	return 0;
}

/* What a socket that came within the window lost, it lost within the window. */
static uint64_t tcp_drops(const struct net_socket *old, const struct net_socket *new)
{
	if (!new->has_drops)
		return WEIR_ABSENT_U64;
	return old ? (uint32_t)(new->drops - old->drops) : new->drops;
}

static int tcp_add_socket(struct weir_ctx *ctx, struct weir_batch *batch, struct owners *owners,
			  const struct net_socket *new, uint64_t drops)
{
	struct tcp_socket_row row = {
		.drops = drops,
		.lport = new->port,
		.netns = new->netns ? new->netns : WEIR_ABSENT_U32,
		.uid = new->uid,
		.queue = new->queue,
		.limit = new->limit,
	};
	struct tcp_socket_row *made;
	char address[INET6_ADDRSTRLEN];

	if (!inet_ntop((int)new->family, new->address, address, sizeof(address)))
		return -EBADMSG;
	if (weir_add_text(ctx, batch, address, strlen(address), &row.laddr) < 0 ||
	    tcp_set_owner(ctx, owners, new->inode, &row) < 0)
		return -ENOMEM;
	made = weir_add_row(ctx, batch);
	if (!made)
		return -ENOMEM;
	*made = row;
	return 0;
}

int tcp_add_sockets(struct weir_ctx *ctx, struct weir_batch *batch, struct owners *owners,
		    const struct net_sockets *old, const struct net_sockets *new, uint32_t want)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < new->count; i++) {
		const struct net_socket *socket = &new->items[i];
		const uint64_t drops = tcp_drops(net_sockets_find(old, socket->inode), socket);

		const bool troubled = socket->queue || (drops && drops != WEIR_ABSENT_U64);

		if (troubled || want & TCP_IDLE)
			err = tcp_add_socket(ctx, batch,
					     troubled || want & TCP_OWNERS ? owners : NULL, socket,
					     drops);
	}
	return err;
}
