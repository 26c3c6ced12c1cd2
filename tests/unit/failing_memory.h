/* SPDX-License-Identifier: BSD-2-Clause */
/* An allocator that fails when told; link with -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc. */
#ifndef TESTS_FAILING_MEMORY_H
#define TESTS_FAILING_MEMORY_H

#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

/* Calls that still succeed; below 0: all. One test at a time, on one thread. */
static _Thread_local int failing_memory_left = -1;

static inline void failing_memory_after(int calls)
{
	failing_memory_left = calls;
}

static inline void failing_memory_never(void)
{
	failing_memory_left = -1;
}

static inline int failing_memory_fails(void)
{
	if (failing_memory_left < 0)
		return 0;
	if (failing_memory_left == 0)
		return 1;
	failing_memory_left--;
	return 0;
}

void *__wrap_malloc(size_t size)
{
	return failing_memory_fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return failing_memory_fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
	return failing_memory_fails() ? NULL : __real_realloc(memory, size);
}

#endif
