/* SPDX-License-Identifier: BSD-2-Clause */
/* See tcp_diag.h. */
#include "tcp_diag.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <weir/file.h>
#include <weir/number.h>

#define DIAG_BUFFER (32 * 1024)

/* All that have a local port of their own: neither closed nor listening. */
#define DIAG_CONNECTED (0xfffu & ~(1u << TCP_CLOSE | 1u << TCP_LISTEN))

struct diag_request {
	struct nlmsghdr header;
	struct inet_diag_req_v2 body;
	struct nlattr filter;
	struct inet_diag_bc_op ops[4];
};

/* What the thread has. */
struct diag_walk {
	int root;
	const struct net_spaces *spaces;
	struct tcp_diag *diag;
	enum tcp_count_ports count;
	uint32_t space; /* the one that it is in */
	int socket;
	uint64_t taken[65536 / 64]; /* ports, as bits */
	char buffer[DIAG_BUFFER] __attribute__((aligned(8)));
};

typedef int diag_entry_fn(struct diag_walk *walk, const struct nlmsghdr *header);

/* Which sockets, and what is made of each. */
struct diag_question {
	diag_entry_fn *each;
	uint32_t states;
	uint8_t protocol;
	bool memory; /* their buffers, too */
};

/* "first <= port <= last" in the kernel's filter code: a jump behind its end refuses. */
static void diag_filter_ports(struct diag_request *request, const struct tcp_ports *ports)
{
	request->filter.nla_type = INET_DIAG_REQ_BYTECODE;
	request->filter.nla_len = sizeof(request->filter) + sizeof(request->ops);
	request->ops[0] = (struct inet_diag_bc_op){ INET_DIAG_BC_S_GE, 8, 20 };
	request->ops[1].no = (uint16_t)ports->first;
	request->ops[2] = (struct inet_diag_bc_op){ INET_DIAG_BC_S_LE, 8, 12 };
	request->ops[3].no = (uint16_t)(ports->first + ports->count - 1);
	request->header.nlmsg_len = sizeof(*request);
}

static int diag_send(const struct diag_walk *walk, const struct diag_question *question,
		     uint32_t family, const struct tcp_ports *ports)
{
	struct diag_request request = {
		.header = { .nlmsg_len = offsetof(struct diag_request, filter),
			    .nlmsg_type = SOCK_DIAG_BY_FAMILY,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.body = { .sdiag_family = (uint8_t)family,
			  .sdiag_protocol = question->protocol,
			  .idiag_states = question->states,
			  .idiag_ext = question->memory ? 1u << (INET_DIAG_SKMEMINFO - 1) : 0 },
	};

	if (ports)
		diag_filter_ports(&request, ports);
	return send(walk->socket, &request, request.header.nlmsg_len, 0) < 0 ? -errno : 0;
}

/* 1: there is more to come; 0: that was the end; a negative errno. */
static int diag_take_messages(struct diag_walk *walk, size_t size, diag_entry_fn *each)
{
	const struct nlmsghdr *header = (const void *)walk->buffer;
	int err = 0;

	for (; NLMSG_OK(header, size) && !err; header = NLMSG_NEXT(header, size)) {
		if (header->nlmsg_type == NLMSG_DONE)
			return 0;
		if (header->nlmsg_type == NLMSG_ERROR)
			return ((const struct nlmsgerr *)NLMSG_DATA(header))->error;
		if (header->nlmsg_len >= NLMSG_LENGTH(sizeof(struct inet_diag_msg)))
			err = each(walk, header);
	}
	return err ? err : 1;
}

static int diag_dump(struct diag_walk *walk, const struct diag_question *question, uint32_t family,
		     const struct tcp_ports *ports)
{
	int err = diag_send(walk, question, family, ports);

	while (!err) {
		ssize_t size = recv(walk->socket, walk->buffer, sizeof(walk->buffer), 0);

		if (size < 0 && errno == EINTR)
			continue;
		err = size < 0 ? -errno : diag_take_messages(walk, (size_t)size, question->each);
		if (err <= 0)
			return err;
		err = 0;
	}
	return err;
}

/* What the kernel keeps of the socket's buffers: enum sk_meminfo. NULL: not told. */
static const uint32_t *diag_memory(const struct nlmsghdr *header)
{
	const struct inet_diag_msg *message = NLMSG_DATA(header);
	const struct rtattr *at = (const void *)(message + 1);
	int left = (int)(header->nlmsg_len - NLMSG_LENGTH(sizeof(*message)));

	for (; RTA_OK(at, left); at = RTA_NEXT(at, left))
		if (at->rta_type == INET_DIAG_SKMEMINFO &&
		    RTA_PAYLOAD(at) > SK_MEMINFO_DROPS * sizeof(uint32_t))
			return RTA_DATA(at);
	return NULL;
}

static int diag_take_socket(struct diag_walk *walk, const struct nlmsghdr *header,
			    struct net_sockets *sockets, struct net_socket **taken)
{
	const struct inet_diag_msg *message = NLMSG_DATA(header);
	const uint32_t *memory = diag_memory(header);
	struct net_socket *socket = net_sockets_add(sockets);

	if (!socket)
		return -ENOMEM;
	socket->netns = walk->spaces->spaces[walk->space].id;
	socket->inode = message->idiag_inode;
	socket->family = message->idiag_family;
	memcpy(socket->address, message->id.idiag_src, sizeof(socket->address));
	socket->port = ntohs(message->id.idiag_sport);
	socket->uid = message->idiag_uid;
	socket->queue = message->idiag_rqueue;
	socket->limit = memory ? memory[SK_MEMINFO_RCVBUF] : WEIR_ABSENT_U32;
	socket->drops = memory ? memory[SK_MEMINFO_DROPS] : 0;
	socket->has_drops = memory;
	*taken = socket;
	return 0;
}

static int diag_take_datagrams(struct diag_walk *walk, const struct nlmsghdr *header)
{
	struct net_socket *socket;

	return diag_take_socket(walk, header, &walk->diag->datagrams, &socket);
}

static int diag_take_listener(struct diag_walk *walk, const struct nlmsghdr *header)
{
	const struct inet_diag_msg *message = NLMSG_DATA(header);
	struct net_socket *socket;
	int err = diag_take_socket(walk, header, &walk->diag->listeners, &socket);

	if (!err)
		socket->limit = message->idiag_wqueue;
	return err;
}

static int diag_take_port(struct diag_walk *walk, const struct nlmsghdr *header)
{
	const struct inet_diag_msg *message = NLMSG_DATA(header);
	uint32_t port = ntohs(message->id.idiag_sport);
	uint64_t bit = UINT64_C(1) << port % 64;

	if (!(walk->taken[port / 64] & bit))
		walk->diag->ports[walk->space].used++;
	walk->taken[port / 64] |= bit;
	return 0;
}

/* The file is that of the reading thread's namespace. */
static bool diag_read_range(int root, struct tcp_ports *ports)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	int fd = openat(root, "proc/sys/net/ipv4/ip_local_port_range", O_RDONLY | O_CLOEXEC);
	uint64_t first, last;
	bool ok = false;

	if (fd >= 0 && weir_read_fd(fd, &buffer) == 0) {
		const char *at = buffer.bytes;

		ok = weir_take_number(&at, &first) && weir_take_number(&at, &last) &&
		     first <= last && last <= UINT16_MAX;
		ports->first = ok ? (uint32_t)first : 0;
		ports->count = ok ? (uint32_t)(last - first + 1) : 0;
	}
	if (fd >= 0)
		close(fd);
	weir_buffer_release(&buffer);
	return ok;
}

static const struct diag_question diag_listeners = { diag_take_listener, 1u << TCP_LISTEN,
						     IPPROTO_TCP, true };
static const struct diag_question diag_datagrams = { diag_take_datagrams, UINT32_MAX, IPPROTO_UDP,
						     true };
static const struct diag_question diag_ports = { diag_take_port, DIAG_CONNECTED, IPPROTO_TCP,
						 false };

/* A kernel without IPv6 says so by ENOENT or EINVAL; its absence is no failure. */
static int diag_ask_families(struct diag_walk *walk, const struct diag_question *question,
			     const struct tcp_ports *ports)
{
	int err = diag_dump(walk, question, AF_INET, ports);

	if (!err) {
		err = diag_dump(walk, question, AF_INET6, ports);
		err = err == -ENOENT || err == -EINVAL ? 0 : err;
	}
	return err;
}

static bool diag_wants_ports(const struct diag_walk *walk, const struct tcp_ports *ports)
{
	if (walk->count == TCP_PORTS_AUTO)
		return ports->sockets * 4 >= ports->count;
	return walk->count == TCP_PORTS_ALWAYS;
}

static int diag_ask_here(struct diag_walk *walk)
{
	struct tcp_ports *ports = &walk->diag->ports[walk->space];
	int err;

	walk->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (walk->socket < 0)
		return -errno;
	err = diag_ask_families(walk, &diag_listeners, NULL);
	if (!err)
		err = diag_ask_families(walk, &diag_datagrams, NULL);
	if (!err && diag_read_range(walk->root, ports) && diag_wants_ports(walk, ports)) {
		memset(walk->taken, 0, sizeof(walk->taken));
		err = diag_ask_families(walk, &diag_ports, ports);
		ports->counted = !err;
	}
	close(walk->socket);
	return err;
}

/* A pid may have come to mean a process elsewhere: the namespace's inode tells. */
static int diag_enter(int root, const struct net_space *space)
{
	struct stat status;
	char path[48];
	int fd, err = 0;

	snprintf(path, sizeof(path), "proc/%u/ns/net", space->pid);
	fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 || status.st_ino != space->id)
		err = -ESRCH;
	else if (setns(fd, CLONE_NEWNET) < 0)
		err = -errno;
	close(fd);
	return err;
}

static void *diag_walk(void *argument)
{
	struct diag_walk *walk = argument;
	struct tcp_diag *diag = walk->diag;

	for (uint32_t i = 0; i < walk->spaces->count; i++) {
		const struct net_space *space = &walk->spaces->spaces[i];
		const uint32_t listeners = diag->listeners.count, datagrams = diag->datagrams.count;
		int err = space->pid ? diag_enter(walk->root, space) : 0;

		walk->space = i;
		if (!err)
			err = diag_ask_here(walk);
		diag->ports[i].error = err;
		if (!err)
			continue;
		/* All of a namespace, or nothing. */
		diag->listeners.count = listeners;
		diag->datagrams.count = datagrams;
	}
	return NULL;
}

int tcp_diag_begin(const struct net_spaces *spaces, struct tcp_diag *diag)
{
	struct tcp_ports *ports = reallocarray(diag->ports, spaces->count, sizeof(*ports));

	if (!ports)
		return -ENOMEM;
	memset(ports, 0, spaces->count * sizeof(*ports));
	diag->ports = ports;
	diag->spaces = spaces->count;
	diag->listeners.count = diag->datagrams.count = 0;
	return 0;
}

int tcp_diag_ask(struct weir_ctx *ctx, const struct net_spaces *spaces, enum tcp_count_ports count,
		 struct tcp_diag *diag)
{
	struct diag_walk *walk = calloc(1, sizeof(*walk));
	pthread_t thread;
	int err;

	if (!walk)
		return -ENOMEM;
	walk->root = ctx->root;
	walk->spaces = spaces;
	walk->diag = diag;
	walk->count = count;
	err = pthread_create(&thread, NULL, diag_walk, walk);
	if (!err)
		pthread_join(thread, NULL);
	for (uint32_t i = 0; err && i < diag->spaces; i++)
		diag->ports[i].error = -err;
	free(walk);
	return 0;
}

void tcp_diag_release(struct tcp_diag *diag)
{
	net_sockets_release(&diag->listeners);
	net_sockets_release(&diag->datagrams);
	free(diag->ports);
	memset(diag, 0, sizeof(*diag));
}
