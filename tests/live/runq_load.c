/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads that share one CPU, and what the kernel says that each of them got of it.
 * Usage: runq_load spin THREADS MS      threads that all want to run, for so long
 *        runq_load pingpong ROUNDS      two threads that wake each other so often
 *
 * Writes "ready PID", waits for a line, does it, writes a line per thread, "TID NAME RUN_NS WAIT_NS
 * TIMESLICES VOLUNTARY INVOLUNTARY OWN_NS" of just that work, the last by the thread's own clock,
 * and waits for the end of its input.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "thread_state.h"

#define THREADS_MAX 64

struct numbers {
	unsigned long long run, wait, slices, voluntary, involuntary;
};

struct load {
	pthread_barrier_t begin, end;
	int spins;
	long amount;
	int pipes[2][2];
};

struct thread {
	struct load *load;
	pthread_t handle;
	int number;
	int tid;
	uint64_t own_ns;
	struct numbers before;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void spin(long ms)
{
	uint64_t end = now_ns() + (uint64_t)ms * 1000000u;

	while (now_ns() < end)
		;
}

static void pingpong(struct load *load, int number)
{
	char ball = 'o';

	for (long i = 0; i < load->amount; i++) {
		if (number == 0 && write(load->pipes[0][1], &ball, 1) != 1)
			abort();
		if (read(load->pipes[number ? 0 : 1][0], &ball, 1) != 1)
			abort();
		if (number == 1 && write(load->pipes[1][1], &ball, 1) != 1)
			abort();
	}
}

static void *thread_main(void *arg)
{
	struct thread *thread = arg;
	struct load *load = thread->load;
	uint64_t from;
	char name[16];

	snprintf(name, sizeof(name), "load-%d", thread->number);
	prctl(PR_SET_NAME, name);
	thread->tid = (int)syscall(SYS_gettid);
	pthread_barrier_wait(&load->begin);
	pthread_barrier_wait(&load->begin);
	from = now_ns();
	if (load->spins)
		spin(load->amount);
	else
		pingpong(load, thread->number);
	thread->own_ns = now_ns() - from;
	pthread_barrier_wait(&load->end);
	pthread_barrier_wait(&load->end);
	return NULL;
}

/* What the kernel says of a thread, which sleeps: then its numbers are whole. */
static struct numbers read_numbers(int tid)
{
	struct numbers numbers = { 0 };
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", tid);
	file = fopen(path, "re");
	if (!file ||
	    fscanf(file, "%llu %llu %llu", &numbers.run, &numbers.wait, &numbers.slices) != 3)
		abort();
	fclose(file);
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		sscanf(line, "voluntary_ctxt_switches: %llu", &numbers.voluntary);
		sscanf(line, "nonvoluntary_ctxt_switches: %llu", &numbers.involuntary);
	}
	if (file)
		fclose(file);
	return numbers;
}

static void print_numbers(const struct thread *thread)
{
	struct numbers now = read_numbers(thread->tid);
	const struct numbers *before = &thread->before;

	printf("%d load-%d %llu %llu %llu %llu %llu %llu\n", thread->tid, thread->number,
	       now.run - before->run, now.wait - before->wait, now.slices - before->slices,
	       now.voluntary - before->voluntary, now.involuntary - before->involuntary,
	       (unsigned long long)thread->own_ns);
}

/* All threads to come run on the last CPU that we may use. */
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

static void wait_line(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

int main(int argc, char **argv)
{
	struct thread threads[THREADS_MAX];
	struct load load = { 0 };
	int count;

	if (argc < 3)
		return 2;
	load.spins = strcmp(argv[1], "spin") == 0;
	count = load.spins ? (int)strtol(argv[2], NULL, 10) : 2;
	load.amount = strtol(argv[argc - 1], NULL, 10);
	if (count < 1 || count > THREADS_MAX || pipe(load.pipes[0]) || pipe(load.pipes[1]))
		return 2;
	pin();
	pthread_barrier_init(&load.begin, NULL, (unsigned int)count + 1);
	pthread_barrier_init(&load.end, NULL, (unsigned int)count + 1);
	for (int i = 0; i < count; i++) {
		threads[i] = (struct thread){ .load = &load, .number = i };
		pthread_create(&threads[i].handle, NULL, thread_main, &threads[i]);
	}
	pthread_barrier_wait(&load.begin);
	printf("ready %d\n", getpid());
	fflush(stdout);
	wait_line();
	for (int i = 0; i < count; i++)
		threads[i].before = read_numbers(threads[i].tid);
	pthread_barrier_wait(&load.begin);
	pthread_barrier_wait(&load.end);
	/* Until all of them sleep at the barrier's second round. */
	usleep(300000);
	for (int i = 0; i < count; i++)
		until_asleep(threads[i].tid);
	for (int i = 0; i < count; i++)
		print_numbers(&threads[i]);
	fflush(stdout);
	wait_line();
	pthread_barrier_wait(&load.end);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i].handle, NULL);
	return 0;
}
