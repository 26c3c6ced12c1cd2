/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections whose number, bytes, duration and outcome are known.
 *
 *	tcp_load serve ADDRESS PORT COUNT IN OUT      accepts, reads IN bytes, writes OUT bytes,
 *	                                              waits for the end, closes
 *	tcp_load talk ADDRESS PORT COUNT OUT IN MS    connects, writes, reads, waits MS, closes;
 *	                                              -1: until its input ends
 *	tcp_load abort ADDRESS PORT COUNT OUT IN MS   the same, but ends with RST
 *	tcp_load fail ADDRESS PORT COUNT ERRNO        connects, and is to be told ERRNO
 *	tcp_load abandon ADDRESS PORT COUNT MS        begins to connect, closes after MS
 *
 * Prints its pid first, when a server listens. Exits with 1 where something else happened.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct sockaddr_in6 where;
static socklen_t where_size;
static char buffer[65536];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void set_address(const char *address, int port)
{
	struct sockaddr_in *ipv4 = (struct sockaddr_in *)&where;

	if (inet_pton(AF_INET, address, &ipv4->sin_addr) == 1) {
		ipv4->sin_family = AF_INET;
		ipv4->sin_port = htons((uint16_t)port);
		where_size = sizeof(*ipv4);
		return;
	}
	if (inet_pton(AF_INET6, address, &where.sin6_addr) != 1)
		fail(address);
	where.sin6_family = AF_INET6;
	where.sin6_port = htons((uint16_t)port);
	where_size = sizeof(where);
}

static int new_socket(int flags)
{
	int fd = socket(where.sin6_family, SOCK_STREAM | flags, 0);

	if (fd < 0)
		fail("socket");
	return fd;
}

static void write_bytes(int fd, long count)
{
	while (count > 0) {
		size_t want = count < (long)sizeof(buffer) ? (size_t)count : sizeof(buffer);
		ssize_t n = send(fd, buffer, want, MSG_NOSIGNAL);

		if (n <= 0)
			fail("send");
		count -= n;
	}
}

static void read_bytes(int fd, long count)
{
	while (count > 0) {
		size_t want = count < (long)sizeof(buffer) ? (size_t)count : sizeof(buffer);
		ssize_t n = recv(fd, buffer, want, 0);

		if (n <= 0)
			fail("recv");
		count -= n;
	}
}

static void serve(long count, long in, long out)
{
	int listener = new_socket(0), one = 1;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (struct sockaddr *)&where, where_size) || listen(listener, 128))
		fail("listen");
	printf("%d\n", (int)getpid());
	fflush(stdout);
	for (long i = 0; i < count; i++) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			fail("accept");
		read_bytes(fd, in);
		write_bytes(fd, out);
		/* 0, or an error where the other side aborts. */
		while (recv(fd, buffer, sizeof(buffer), 0) > 0)
			;
		close(fd);
	}
}

static void talk(long count, long out, long in, long ms, int aborts)
{
	const struct linger reset = { 1, 0 };

	for (long i = 0; i < count; i++) {
		int fd = new_socket(0);

		if (connect(fd, (struct sockaddr *)&where, where_size))
			fail("connect");
		write_bytes(fd, out);
		read_bytes(fd, in);
		if (ms >= 0)
			usleep((useconds_t)ms * 1000);
		else
			while (read(STDIN_FILENO, buffer, sizeof(buffer)) > 0)
				;
		if (aborts)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(fd);
	}
}

static void fail_to_connect(long count, long error)
{
	for (long i = 0; i < count; i++) {
		int fd = new_socket(0);

		if (connect(fd, (struct sockaddr *)&where, where_size) == 0 || errno != error)
			fail("connect");
		close(fd);
	}
}

static void abandon(long count, long ms)
{
	for (long i = 0; i < count; i++) {
		int fd = new_socket(SOCK_NONBLOCK);

		if (connect(fd, (struct sockaddr *)&where, where_size) == 0 || errno != EINPROGRESS)
			fail("connect");
		usleep((useconds_t)ms * 1000);
		close(fd);
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 4 ? argv[1] : "";
	long numbers[4] = { 0 };

	for (int i = 0; i < 4 && i + 4 < argc; i++)
		numbers[i] = strtol(argv[i + 4], NULL, 10);
	if (argc > 4)
		set_address(argv[2], (int)strtol(argv[3], NULL, 10));
	if (strcmp(mode, "serve") == 0) {
		serve(numbers[0], numbers[1], numbers[2]);
		return 0;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (strcmp(mode, "talk") == 0 || strcmp(mode, "abort") == 0)
		talk(numbers[0], numbers[1], numbers[2], numbers[3], mode[0] == 'a');
	else if (strcmp(mode, "fail") == 0)
		fail_to_connect(numbers[0], numbers[1]);
	else if (strcmp(mode, "abandon") == 0)
		abandon(numbers[0], numbers[1]);
	else
		return 2;
	return 0;
}
