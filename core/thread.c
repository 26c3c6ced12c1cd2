/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of the core: see thread.h. */
#include "thread.h"

#include <limits.h>

/* Plugins are told to keep large things off the stack. */
#define STACK_SIZE (256u * 1024)

int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg)
{
	size_t size =
		STACK_SIZE > (size_t)PTHREAD_STACK_MIN ? STACK_SIZE : (size_t)PTHREAD_STACK_MIN;
	pthread_attr_t attributes;
	int err;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, size);
	err = pthread_create(thread, &attributes, run, arg);
	pthread_attr_destroy(&attributes);
	return -err;
}
