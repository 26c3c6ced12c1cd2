/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who causes trouble with disks, sockets and descriptors, and who suffers from it. Each is named
 * after its case, says "ready" and goes on until it is killed, or whoever started it ends.
 *
 *	io_load sequential DISK           reads 128 KiB after the other, past the cache
 *	io_load random DISK               reads 4 KiB somewhere
 *	io_load writer DISK               writes 4 KiB somewhere, and does not mind errors
 *	io_load storm FILE                writes 256 KiB and calls fsync
 *	io_load saver FILE                writes 4 KiB and calls fsync
 *	io_load deaf PORT                 listens, and never accepts
 *	io_load caller PORT               connects to it, over and over again
 *	io_load flooder PORT              sends datagrams to a socket of its own that it never reads
 *	io_load hoarder LIMIT             opens files until it may not open more
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define BLOCK   4096
#define MIB     (1 << 20)
#define STRETCH (128 << 10) /* a fraction of a second, even where a disk takes 4 KiB at a time */

static char data[MIB] __attribute__((aligned(BLOCK)));

static void need(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void ready(void)
{
	printf("ready\n");
	fflush(stdout);
}

static int open_path(const char *path, int flags, off_t *size)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	need(fd >= 0, path);
	*size = lseek(fd, 0, SEEK_END);
	ready();
	return fd;
}

static off_t somewhere(off_t size)
{
	return random() % (size / BLOCK) * BLOCK;
}

static void run_sequential(const char *disk)
{
	off_t size, at = 0;
	int fd = open_path(disk, O_RDONLY | O_DIRECT, &size);

	for (;; at = at + 2 * STRETCH <= size ? at + STRETCH : 0)
		need(pread(fd, data, STRETCH, at) == STRETCH, disk);
}

static void run_random(const char *disk)
{
	off_t size;
	int fd = open_path(disk, O_RDONLY | O_DIRECT, &size);

	for (;;)
		need(pread(fd, data, BLOCK, somewhere(size)) == BLOCK, disk);
}

static void run_writer(const char *disk)
{
	off_t size;
	int fd = open_path(disk, O_WRONLY | O_DIRECT, &size);

	for (;; usleep(10000))
		need(pwrite(fd, data, BLOCK, somewhere(size)) == BLOCK || errno == EIO ||
			     errno == ENOSPC,
		     disk);
}

static void write_and_sync(const char *file, size_t bytes)
{
	off_t size;
	int fd = open_path(file, O_WRONLY | O_CREAT, &size);

	for (;;)
		need(pwrite(fd, data, bytes, 0) == (ssize_t)bytes && fsync(fd) == 0, file);
}

static void run_storm(const char *file)
{
	write_and_sync(file, MIB / 4);
}

static void run_saver(const char *file)
{
	write_and_sync(file, BLOCK);
}

static struct sockaddr_in local(const char *port)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr = { htonl(INADDR_LOOPBACK) } };

	address.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
	return address;
}

static int new_socket(int type)
{
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	need(fd >= 0, "socket");
	return fd;
}

static void run_deaf(const char *port)
{
	struct sockaddr_in address = local(port);
	int fd = new_socket(SOCK_STREAM);

	need(bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 && listen(fd, 4) == 0,
	     "listen");
	ready();
	for (;;)
		pause();
}

/* Keeps as many as fit waiting, and asks for more all the time. */
static void run_caller(const char *port)
{
	struct sockaddr_in address = local(port);
	int fds[64];

	memset(fds, -1, sizeof(fds));
	ready();
	for (unsigned int i = 0;; i = (i + 1) % 64) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = new_socket(SOCK_STREAM | SOCK_NONBLOCK);
		need(connect(fds[i], (struct sockaddr *)&address, sizeof(address)) == 0 ||
			     errno == EINPROGRESS,
		     "connect");
		usleep(20000);
	}
}

static void run_flooder(const char *port)
{
	struct sockaddr_in address = local(port);
	int in = new_socket(SOCK_DGRAM), out = new_socket(SOCK_DGRAM);

	need(bind(in, (struct sockaddr *)&address, sizeof(address)) == 0, "bind");
	ready();
	for (;; usleep(5000))
		need(sendto(out, data, 1000, 0, (struct sockaddr *)&address, sizeof(address)) ==
			     1000,
		     "sendto");
}

static void run_hoarder(const char *count)
{
	struct rlimit limit = { .rlim_cur = strtoul(count, NULL, 10) };
	int fd;

	limit.rlim_max = limit.rlim_cur;
	need(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit");
	do
		fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	while (fd >= 0);
	need(errno == EMFILE, "/dev/null");
	ready();
	for (;;)
		pause();
}

static const struct {
	const char *name;
	void (*run)(const char *what);
} cases[] = {
	{ "sequential", run_sequential }, { "random", run_random },   { "writer", run_writer },
	{ "storm", run_storm },           { "saver", run_saver },     { "deaf", run_deaf },
	{ "caller", run_caller },         { "flooder", run_flooder }, { "hoarder", run_hoarder },
};

int main(int argc, char **argv)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (size_t i = 0; argc == 3 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		prctl(PR_SET_NAME, argv[1]);
		cases[i].run(argv[2]);
	}
	fprintf(stderr, "usage: io_load CASE WHAT\n");
	return 2;
}
