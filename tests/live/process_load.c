/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A load whose use of the machine is known, as the kernel tells the process itself. Prints "ready
 * PID", works when a line comes, prints what that took as one line of JSON, and ends with the next
 * line. Usage: process_load FILE CHILDREN; the file is read without the page cache.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PAGES    1000
#define SWITCHES 500
#define BLOCK    (1 << 20)

static uint64_t now_of(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t end = now_of(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (now_of(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void *spin_thread(void *arg)
{
	(void)arg;
	spin(150000000);
	return NULL;
}

/* Two pairs of threads, one after the other: all of them are gone at the end. */
static void churn(void)
{
	for (int pair = 0; pair < 2; pair++) {
		pthread_t threads[2];

		for (int i = 0; i < 2; i++)
			if (pthread_create(&threads[i], NULL, spin_thread, NULL))
				exit(1);
		for (int i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
	}
}

static void storm(int children, const char *name)
{
	for (int i = 0; i < children; i++) {
		pid_t child = fork();

		if (child == 0) {
			prctl(PR_SET_NAME, name);
			spin(2000000);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static void touch(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			  -1, 0);

	madvise(room, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		room[i * page] = 1;
}

static void sleep_often(void)
{
	const struct timespec moment = { 0, 1000 };

	for (int i = 0; i < SWITCHES; i++)
		nanosleep(&moment, NULL);
}

/* The bytes that were read past the page cache; 0: this file system does not do it. */
static uint64_t read_direct(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	uint64_t bytes = 0;
	void *room;
	ssize_t got;

	if (fd < 0 || posix_memalign(&room, 4096, BLOCK))
		return 0;
	while ((got = read(fd, room, BLOCK)) > 0)
		bytes += (uint64_t)got;
	close(fd);
	return bytes;
}

static uint64_t used(const struct rusage *usage)
{
	return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * 1000000000u +
	       (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000u;
}

int main(int argc, char **argv)
{
	struct rusage before, after, children;
	uint64_t cpu, bytes;
	char name[16];

	if (argc != 3)
		return 2;
	snprintf(name, sizeof(name), "st%d", getpid());
	printf("ready %d\n", getpid());
	fflush(stdout);
	getchar();
	getrusage(RUSAGE_SELF, &before);
	cpu = now_of(CLOCK_PROCESS_CPUTIME_ID);
	spin(300000000);
	churn();
	touch();
	sleep_often();
	storm((int)strtol(argv[2], NULL, 10), name);
	bytes = read_direct(argv[1]);
	cpu = now_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	getrusage(RUSAGE_SELF, &after);
	getrusage(RUSAGE_CHILDREN, &children);
	printf("{\"cpu\":%llu,\"minor\":%ld,\"voluntary\":%ld,\"bytes\":%llu,\"children\":%llu,"
	       "\"name\":\"%s\"}\n",
	       (unsigned long long)cpu, after.ru_minflt - before.ru_minflt,
	       after.ru_nvcsw - before.ru_nvcsw, (unsigned long long)bytes,
	       (unsigned long long)used(&children), name);
	fflush(stdout);
	getchar();
	return 0;
}
