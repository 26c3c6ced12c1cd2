/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a scenario does to the machine, under a name of its own, until it is killed or its parent
 * ends. Says "ready", and begins after a line of input. Usage: scene_load NAME CASE ...
 *
 *	spin THREADS       threads that use all the CPU that they are given
 *	beat THREADS       threads that want 4 ms of CPU after each 8 ms
 *	hog MIB            writes to all pages of this much memory, again and again
 *	lock THREADS       threads that hold one lock, for 1 ms each, in turn; but for one they wait
 *	idle THREADS       threads that wait for a condition, as workers without work do
 *
 * Without arguments it uses 2 ms of CPU, and ends.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;

static void pause_ms(long ms)
{
	struct timespec time = { 0, ms * 1000000 };

	nanosleep(&time, NULL);
}

/* On a CPU, however long that takes. */
static void use_ms(long ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - from.tv_sec) * 1000000000 + now.tv_nsec - from.tv_nsec < ms * 1000000);
}

static void *spin(void *arg)
{
	for (volatile unsigned long turns = 0;; turns++)
		;
	return arg;
}

static void *beat(void *arg)
{
	for (;;) {
		pause_ms(8);
		use_ms(4);
	}
	return arg;
}

static void *take_lock(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&lock);
		pause_ms(1);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

static void *idle(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;)
		pthread_cond_wait(&work, &lock);
	return arg;
}

/* In turn, so that what is written to next is what has been out for longest. */
static int hog(size_t mib)
{
	const size_t bytes = mib << 20;
	char *memory =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	for (size_t at = 0;; at = (at + 4096) % bytes)
		memory[at]++;
}

static int run(void *(*thread)(void *arg), int count)
{
	for (int i = 1; i < count; i++) {
		pthread_t handle;

		if (pthread_create(&handle, NULL, thread, NULL))
			return 1;
	}
	thread(NULL);
	return 0;
}

int main(int argc, char **argv)
{
	/* As a storm of processes starts it. */
	if (argc == 1)
		use_ms(2);
	if (argc < 4)
		return argc != 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NAME, argv[1]);
	puts("ready");
	fflush(stdout);
	/* It may be taken to a cgroup first. */
	if (getchar() == EOF)
		return 1;
	if (strcmp(argv[2], "spin") == 0)
		return run(spin, (int)strtol(argv[3], NULL, 10));
	if (strcmp(argv[2], "beat") == 0)
		return run(beat, (int)strtol(argv[3], NULL, 10));
	if (strcmp(argv[2], "lock") == 0)
		return run(take_lock, (int)strtol(argv[3], NULL, 10));
	if (strcmp(argv[2], "idle") == 0)
		return run(idle, (int)strtol(argv[3], NULL, 10));
	return strcmp(argv[2], "hog") == 0 ? hog(strtoul(argv[3], NULL, 10)) : 2;
}
