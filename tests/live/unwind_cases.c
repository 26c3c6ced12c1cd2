/* SPDX-License-Identifier: BSD-2-Clause */
/* Call chains that are known, for tests/live/unwind.sh: built with frame pointers, and without. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "unwind_chain.h"

/* How deep: more than 16 KiB of stack, and less than 64. */
enum { LEVELS = 200, LEVEL_BYTES = 128 };

void sorter(void);
void signaller(void);
int deep(int levels);
void library(void (*call)(void));

static int compare(const void *left, const void *right)
{
	for (unsigned i = 0; i < 5000; i++)
		sink += i;
	return *(const int *)left - *(const int *)right;
}

/* Through the C library, which keeps no frame pointers. */
__attribute__((noinline)) void sorter(void)
{
	int values[32];

	for (int i = 0; i < 32; i++)
		values[i] = i * 7919 % 32;
	qsort(values, 32, sizeof(values[0]), compare);
	sink += (unsigned)values[3];
}

static void handler(int number)
{
	(void)number;
	burn();
	sink++;
}

__attribute__((noinline)) void signaller(void)
{
	raise(SIGUSR1);
	sink++;
}

__attribute__((noinline)) int deep(int levels)
{
	char room[LEVEL_BYTES];

	memset(room, levels, sizeof(room));
	sink += (unsigned)room[levels % LEVEL_BYTES];
	if (levels)
		return deep(levels - 1) + room[3];
	burn();
	return 0;
}

int main(void)
{
	signal(SIGUSR1, handler);
	while (clock() < CLOCKS_PER_SEC) {
		first();
		sorter();
		signaller();
		deep(LEVELS);
		library(first);
	}
	return 0;
}
