/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that knows what it does: `stat_load PAGES SLEEPS CPU_MS [CHILDREN]`. It touches pages, sleeps
 * so many times, uses CPU time; each child does the same. Prints the CPU time that it has used, in ms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int work(long pages, long sleeps, double ms)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (size_t)pages * page;
	const struct timespec moment = { 0, 100000 };
	const double end = cpu_ms() + ms;
	char *memory;

	memory =
		mmap(NULL, size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, size + page, MADV_NOHUGEPAGE) < 0)
		return 1;
	for (long i = 0; i < pages; i++)
		memory[(size_t)i * page] = 1;
	for (long i = 0; i < sleeps; i++)
		nanosleep(&moment, NULL);
	while (cpu_ms() < end)
		;
	return 0;
}

int main(int argc, char **argv)
{
	int children = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 0, status = 0;
	long pages, sleeps;
	double ms;

	if (argc < 4)
		return 2;
	pages = strtol(argv[1], NULL, 10);
	sleeps = strtol(argv[2], NULL, 10);
	ms = strtod(argv[3], NULL);
	for (int i = 0; i < children; i++)
		if (fork() == 0)
			_exit(work(pages, sleeps, ms));
	status = work(pages, sleeps, ms);
	while (wait(NULL) > 0)
		;
	printf("%.3f\n", cpu_ms());
	return status;
}
