/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A program that keeps frame pointers on all of the way, as it is without a C library: built by
 * tests/live/unwind.sh with -nostdlib. It runs for two seconds of CPU time.
 */
#include <asm/unistd.h>
#include <linux/time.h>
#include <linux/time_types.h>

#include "unwind_chain.h"

enum { SECONDS = 2 };

void begin(void);

/* The outermost frame has no caller: its frame pointer is 0. */
#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tand $-16, %rsp\n\tcall begin\n");

static long call(long number, long first_argument, void *second_argument)
{
	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(first_argument), "S"(second_argument)
			 : "rcx", "r11", "memory");
	return number;
}
#else
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tbl begin\n");

static long call(long number, long first_argument, void *second_argument)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = first_argument;
	register void *x1 __asm__("x1") = second_argument;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
}
#endif

void begin(void)
{
	struct __kernel_timespec used = { 0, 0 };

	while (used.tv_sec < SECONDS) {
		first();
		call(__NR_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &used);
	}
	for (;;)
		call(__NR_exit_group, 0, 0);
}
