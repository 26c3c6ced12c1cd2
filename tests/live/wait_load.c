/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads whose time is known: each does one thing for two seconds and measures itself. Says
 * "ready PID", waits for a line, works, and then prints one line per thread:
 *
 *	TID NAME LIFE RUN WAIT OWN COUNT
 *
 * LIFE: ns that it worked; RUN, WAIT: what the kernel says (schedstat); OWN: ns of it that it was
 * in the call that its name tells; COUNT: of these calls. Ends after another line.
 * Usage: wait_load [DISK FILE]: reads that disk directly, and writes and fsyncs that file
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "thread_state.h"

#define SECOND   1000000000ULL
#define WORK_NS  (2 * SECOND)
#define NAP_NS   20000000L
#define BLOCK    4096
#define DISK_MAX (4 << 20)

typedef unsigned long long ns_t;

struct thread {
	const char *name;
	void (*call)(struct thread *thread);
	int pinned;       /* to the last CPU */
	int brief;        /* ends before the others do */
	const char *path; /* of what it reads or writes */
	int fd;
	int tid;
	ns_t life, run, wait, own, count;
	pthread_t handle;
};

static pthread_barrier_t begin, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ns_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (ns_t)time.tv_sec * SECOND + (ns_t)time.tv_nsec;
}

static void nap(void)
{
	struct timespec left = { 0, NAP_NS };

	nanosleep(&left, NULL);
}

static void call_spin(struct thread *thread)
{
	for (volatile int i = 0; i < 10000; i++)
		(void)thread;
}

static void call_sleep(struct thread *thread)
{
	(void)thread;
	nap();
}

/* Holds the lock nearly all the time, asleep. */
static void call_hold(struct thread *thread)
{
	(void)thread;
	pthread_mutex_lock(&lock);
	nap();
	pthread_mutex_unlock(&lock);
	sched_yield();
}

static void call_lock(struct thread *thread)
{
	(void)thread;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void call_read(struct thread *thread)
{
	static _Alignas(BLOCK) char block[BLOCK];

	if (pread(thread->fd, block, BLOCK, (off_t)(thread->count * BLOCK % DISK_MAX)) != BLOCK)
		abort();
}

static void call_fsync(struct thread *thread)
{
	static char block[BLOCK];

	if (pwrite(thread->fd, block, BLOCK, (off_t)(thread->count % 64 * BLOCK)) != BLOCK ||
	    fsync(thread->fd))
		abort();
}

static void read_numbers(int tid, ns_t *run, ns_t *wait)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%llu %llu", run, wait) != 2)
		abort();
	fclose(file);
}

static void pin(void)
{
	cpu_set_t all, one;

	CPU_ZERO(&one);
	sched_getaffinity(0, sizeof(all), &all);
	for (int i = CPU_SETSIZE - 1; i >= 0 && CPU_COUNT(&one) == 0; i--)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void work(struct thread *thread)
{
	ns_t start = now(), end = start + (thread->brief ? WORK_NS / 4 : WORK_NS), before, after;

	for (before = start; before < end; before = after) {
		thread->call(thread);
		after = now();
		thread->own += after - before;
		thread->count++;
	}
	thread->life = before - start;
}

static void *thread_main(void *arg)
{
	struct thread *thread = arg;

	prctl(PR_SET_NAME, thread->name);
	thread->tid = (int)syscall(SYS_gettid);
	if (thread->pinned)
		pin();
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&begin);
	work(thread);
	if (thread->brief)
		read_numbers(thread->tid, &thread->run, &thread->wait);
	else
		pthread_barrier_wait(&done);
	if (!thread->brief)
		pthread_barrier_wait(&done);
	return NULL;
}

static void wait_line(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

static void print_numbers(struct thread *thread)
{
	ns_t run = 0, wait = 0;

	if (!thread->brief) {
		read_numbers(thread->tid, &run, &wait);
		run -= thread->run;
		wait -= thread->wait;
	} else {
		run = thread->run;
		wait = thread->wait;
	}
	printf("%d %s %llu %llu %llu %llu %llu\n", thread->tid, thread->name, thread->life, run,
	       wait, thread->own, thread->count);
}

static void start(struct thread *threads, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		struct thread *thread = &threads[i];

		if (thread->path)
			thread->fd = open(thread->path,
					  thread->call == call_read ? O_RDONLY | O_DIRECT
								    : O_RDWR | O_CREAT,
					  0600);
		if (thread->fd < 0 || pthread_create(&thread->handle, NULL, thread_main, thread))
			abort();
	}
}

int main(int argc, char **argv)
{
	struct thread threads[] = {
		{ "spin-0", call_spin, .pinned = 1 },
		{ "spin-1", call_spin, .pinned = 1 },
		{ "brief", call_spin, .brief = 1 },
		{ "sleep", call_sleep },
		{ "hold", call_hold },
		{ "lock", call_lock },
		{ "read", call_read, .path = argv[1] },
		{ "fsync", call_fsync, .path = argv[2] },
	};
	unsigned int count = argc > 2 ? 8 : 6, brief = 1;

	pthread_barrier_init(&begin, NULL, count + 1);
	pthread_barrier_init(&done, NULL, count + 1 - brief);
	start(threads, count);
	pthread_barrier_wait(&begin);
	printf("ready %d\n", getpid());
	fflush(stdout);
	wait_line();
	for (unsigned int i = 0; i < count; i++)
		if (!threads[i].brief)
			read_numbers(threads[i].tid, &threads[i].run, &threads[i].wait);
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&done);
	/* Until all of them sleep at the barrier's second round. */
	usleep(300000);
	for (unsigned int i = 0; i < count; i++)
		until_asleep(threads[i].tid);
	for (unsigned int i = 0; i < count; i++)
		print_numbers(&threads[i]);
	printf("done\n");
	fflush(stdout);
	wait_line();
	pthread_barrier_wait(&done);
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i].handle, NULL);
	return 0;
}
