/* SPDX-License-Identifier: BSD-2-Clause */
/* Sockets as /proc/net/tcp, udp and their like tell of them: of recorded trees, and without sock_diag. */
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>

#include "sockets.h"

/* Words as the reading machine has them in memory: 8 digits each, one of IPv4, four of IPv6. */
static bool proc_address(const char *digits, struct net_socket *socket)
{
	size_t words = strlen(digits) / 8;

	if (words != 1 && words != 4)
		return false;
	socket->family = words == 1 ? AF_INET : AF_INET6;
	for (size_t i = 0; i < words; i++) {
		uint32_t word;

		if (sscanf(digits + 8 * i, "%8" SCNx32, &word) != 1)
			return false;
		memcpy(socket->address + 4 * i, &word, sizeof(word));
	}
	return true;
}

/* "  0: 0100007F:1F90 00000000:0000 0A 00000000:00000002 00:00000000 00000000  0        0 4711 ..." */
static bool proc_socket(const char *line, uint32_t *state, struct net_socket *socket)
{
	char address[33];

	return sscanf(line,
		      " %*u: %32[0-9A-F]:%" SCNx32 " %*[0-9A-F]:%*x %" SCNx32 " %*x:%" SCNx32
		      " %*x:%*x %*x %" SCNu32 " %*u %" SCNu64,
		      address, &socket->port, state, &socket->queue, &socket->uid,
		      &socket->inode) == 6 &&
	       proc_address(address, socket);
}

/* The last word of a line of UDP. */
static bool proc_drops(const char *line, struct net_socket *socket)
{
	size_t end = strcspn(line, "\n"), at;

	while (end && line[end - 1] == ' ')
		end--;
	for (at = end; at && line[at - 1] != ' ';)
		at--;
	socket->has_drops = sscanf(line + at, "%" SCNu32, &socket->drops) == 1;
	return socket->has_drops;
}

static int proc_read(const struct weir_buffer *buffer, uint32_t netns, bool udp,
		     struct net_sockets *sockets)
{
	const char *line = buffer->bytes + strcspn(buffer->bytes, "\n");

	/* The first line has the names of the columns. */
	for (; *line; line += strcspn(line, "\n")) {
		struct net_socket socket = { .netns = netns, .limit = WEIR_ABSENT_U32 };
		struct net_socket *added;
		uint32_t state;

		if (!*++line)
			break;
		if (!proc_socket(line, &state, &socket) || (udp && !proc_drops(line, &socket)))
			return -EBADMSG;
		if (!udp && state != TCP_LISTEN)
			continue;
		added = net_sockets_add(sockets);
		if (!added)
			return -ENOMEM;
		*added = socket;
	}
	return 0;
}

int net_sockets_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
		     struct weir_buffer *buffer, struct net_sockets *listeners,
		     struct net_sockets *datagrams)
{
	static const char *const files[] = { "tcp", "tcp6", "udp", "udp6" };
	int err = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !err; i++) {
		const bool udp = files[i][0] == 'u';

		err = net_space_read(ctx, spaces, space, files[i], buffer);
		if (!err)
			err = proc_read(buffer, space->id, udp, udp ? datagrams : listeners);
		else if (err == -ENOENT)
			err = 0;
	}
	return err;
}
