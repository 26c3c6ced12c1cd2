/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A workload whose call tree and shares are known: main calls trunk, and trunk the three branches
 * north, east and west, which end in the same leaf and share the work 60 : 30 : 10.
 *
 *	calltree SECONDS [STATUS]
 *
 * Runs for that much CPU time, prints the share that each branch took as it measured itself, and
 * exits with STATUS. The work is arithmetic alone, in small rounds, so that a profile of any part
 * of the run shows the same shares. To be built with
 * -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUND_ITERATIONS 200000 /* about a millisecond */
#if defined(__clang__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noinline, noclone))
#endif

static volatile uint64_t sink;
static uint64_t spent_ns[3];

static uint64_t cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Each step waits for the one before it: nothing for the compiler or the CPU to shorten. */
NOINLINE uint64_t leaf(uint64_t seed, uint32_t iterations);
NOINLINE uint64_t leaf(uint64_t seed, uint32_t iterations)
{
	/* Compilers leave the frame pointer out of functions that call nothing, all the same. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
	for (uint32_t i = 0; i < iterations; i++)
		seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed;
}

#define BRANCH(name_, percent_)                                                                    \
	NOINLINE void name_(uint64_t seed);                                                        \
	NOINLINE void name_(uint64_t seed)                                                         \
	{                                                                                          \
		sink += leaf(seed, ROUND_ITERATIONS / 100 * (percent_));                           \
	}

BRANCH(north, 60)
BRANCH(east, 30)
BRANCH(west, 10)

NOINLINE void trunk(uint64_t seed);
NOINLINE void trunk(uint64_t seed)
{
	uint64_t t0 = cpu_now(), t1, t2, t3;

	north(seed);
	t1 = cpu_now();
	east(seed);
	t2 = cpu_now();
	west(seed);
	t3 = cpu_now();
	spent_ns[0] += t1 - t0;
	spent_ns[1] += t2 - t1;
	spent_ns[2] += t3 - t2;
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "north", "east", "west" };
	double seconds = argc > 1 ? strtod(argv[1], NULL) : 1.0;
	int status = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 0;
	double total = 0;

	while (cpu_now() < (uint64_t)(seconds * 1e9))
		trunk(sink);
	for (int i = 0; i < 3; i++)
		total += (double)spent_ns[i];
	for (int i = 0; i < 3; i++)
		printf("%s %.2f\n", names[i], total > 0 ? 100 * (double)spent_ns[i] / total : 0);
	return status;
}
