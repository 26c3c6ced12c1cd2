/* SPDX-License-Identifier: BSD-2-Clause */
/* A library without frame pointers that calls back, for tests/live/unwind.sh. */
void library(void (*call)(void));
static void inner(void (*call)(void));

static volatile unsigned calls;

static __attribute__((noinline)) void inner(void (*call)(void))
{
	volatile unsigned room[8] = { calls };

	call();
	calls += room[3] + 1;
}

void library(void (*call)(void))
{
	inner(call);
	calls++;
}
