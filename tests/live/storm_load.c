/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * As many events as the machine can make, in a known number, by threads of a given name, which nothing
 * else has. Usage: storm_load NAME CASE NUMBER [ARGUMENT]
 *
 *	open N          opens of /dev/null, by two threads
 *	exec N PROGRAM  processes that start this program, and end
 *	connect N PORT  connections over loopback, connected, accepted and closed by one thread
 *	read N DEVICE   direct reads of a block, each a request
 *	file N FILE     reads of a block of a file
 *	switch N        turns of two threads that share a CPU and wake each other
 *
 * Writes how many events there were: N, but for `switch` what the kernel counts.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 4096

struct storm {
	const char *name;
	const char *argument;
	long number;
	int balls[2][2];
	unsigned long long turns[2];
};

struct thread {
	struct storm *storm;
	pthread_t handle;
	int number;
};

static void must(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "storm_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Half of them. */
static void *storm_open(void *arg)
{
	struct thread *thread = arg;
	long number = thread->storm->number / 2;

	prctl(PR_SET_NAME, thread->storm->name);
	for (long i = 0; i < number; i++) {
		int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

		must(fd >= 0, "open");
		close(fd);
	}
	return NULL;
}

static pid_t start(const char *program)
{
	char *const argv[] = { strdup(program), NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execv(program, argv);
		_exit(1);
	}
	free(argv[0]);
	return pid;
}

static void *storm_exec(void *arg)
{
	struct thread *thread = arg;

	for (long i = 0; i < thread->storm->number; i++) {
		pid_t pid = start(thread->storm->argument);
		int status;

		must(pid >= 0 && waitpid(pid, &status, 0) == pid && status == 0, "exec");
	}
	return NULL;
}

/* Closed by a reset: nothing of a connection is left behind. */
static void storm_close(int fd)
{
	struct linger linger = { .l_onoff = 1, .l_linger = 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
}

static void *storm_connect(void *arg)
{
	struct thread *thread = arg;
	struct sockaddr_in address = { .sin_family = AF_INET };
	int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;

	/* The last end of an earlier storm may still be there. */
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	prctl(PR_SET_NAME, thread->storm->name);
	address.sin_port = htons((uint16_t)strtoul(thread->storm->argument, NULL, 10));
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	must(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0, "bind");
	must(listen(listener, 16) == 0, "listen");
	for (long i = 0; i < thread->storm->number; i++) {
		int client = socket(AF_INET, SOCK_STREAM, 0), server;

		must(connect(client, (struct sockaddr *)&address, sizeof(address)) == 0, "connect");
		server = accept(listener, NULL, NULL);
		must(server >= 0, "accept");
		storm_close(client);
		close(server);
	}
	close(listener);
	return NULL;
}

static void *storm_read(void *arg)
{
	struct thread *thread = arg;
	int fd = open(thread->storm->argument, O_RDONLY | O_DIRECT);
	void *block;

	prctl(PR_SET_NAME, thread->storm->name);
	must(fd >= 0 && posix_memalign(&block, BLOCK, BLOCK) == 0, thread->storm->argument);
	for (long i = 0; i < thread->storm->number; i++)
		must(pread(fd, block, BLOCK, i % 256 * BLOCK) == BLOCK, "read");
	free(block);
	close(fd);
	return NULL;
}

static void *storm_file(void *arg)
{
	struct thread *thread = arg;
	int fd = open(thread->storm->argument, O_RDONLY);
	char block[BLOCK];

	prctl(PR_SET_NAME, thread->storm->name);
	must(fd >= 0, thread->storm->argument);
	for (long i = 0; i < thread->storm->number; i++)
		must(pread(fd, block, BLOCK, 0) == BLOCK, "read");
	close(fd);
	return NULL;
}

/* How often the kernel gave this thread a CPU. */
static unsigned long long turns(void)
{
	unsigned long long count = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
	file = fopen(path, "r");
	must(file && fscanf(file, "%*u %*u %llu", &count) == 1, path);
	fclose(file);
	return count;
}

/* How often it gave one up of its own will, as it had to wait. */
static unsigned long long blocks(void)
{
	struct rusage usage;

	must(getrusage(RUSAGE_THREAD, &usage) == 0, "getrusage");
	return (unsigned long long)usage.ru_nvcsw;
}

static void play(const struct thread *thread)
{
	struct storm *storm = thread->storm;
	int in = storm->balls[!thread->number][0], out = storm->balls[thread->number][1];
	char ball = 'o';

	for (long i = 0; i < storm->number / 2; i++) {
		if (thread->number == 0)
			must(write(out, &ball, 1) == 1, "write");
		must(read(in, &ball, 1) == 1, "read");
		if (thread->number == 1)
			must(write(out, &ball, 1) == 1, "write");
	}
}

static void *storm_switch(void *arg)
{
	struct thread *thread = arg;
	unsigned long long before;
	cpu_set_t cpu;

	prctl(PR_SET_NAME, thread->storm->name);
	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	must(sched_setaffinity(0, sizeof(cpu), &cpu) == 0, "affinity");
	before = turns();
	play(thread);
	thread->storm->turns[thread->number] = turns() - before;
	return NULL;
}

static void *storm_block(void *arg)
{
	struct thread *thread = arg;
	unsigned long long before;

	prctl(PR_SET_NAME, thread->storm->name);
	before = blocks();
	play(thread);
	thread->storm->turns[thread->number] = blocks() - before;
	return NULL;
}

static const struct {
	const char *name;
	void *(*run)(void *thread);
	int threads;
} cases[] = {
	{ "open", storm_open, 2 },   { "exec", storm_exec, 1 }, { "connect", storm_connect, 1 },
	{ "read", storm_read, 1 },   { "file", storm_file, 1 }, { "switch", storm_switch, 2 },
	{ "block", storm_block, 2 },
};

static void run(struct storm *storm, size_t which)
{
	struct thread threads[2];

	for (int i = 0; i < cases[which].threads; i++) {
		threads[i] = (struct thread){ .storm = storm, .number = i };
		must(!pthread_create(&threads[i].handle, NULL, cases[which].run, &threads[i]),
		     "thread");
	}
	for (int i = 0; i < cases[which].threads; i++)
		pthread_join(threads[i].handle, NULL);
}

int main(int argc, char **argv)
{
	struct storm storm = { .argument = argc > 4 ? argv[4] : "" };
	unsigned long long counted;

	/* As `exec` starts it. */
	if (argc == 1)
		return 0;
	must(argc >= 4 && pipe(storm.balls[0]) == 0 && pipe(storm.balls[1]) == 0, "usage");
	storm.name = argv[1];
	storm.number = strtol(argv[3], NULL, 10);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(cases[i].name, argv[2]) == 0)
			run(&storm, i);
	counted = storm.turns[0] + storm.turns[1];
	printf("%llu\n", counted ? counted : (unsigned long long)storm.number);
	return 0;
}
