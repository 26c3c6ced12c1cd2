/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads of the core: small stacks, so that a constrained host stays within its memory. */
#ifndef CORE_THREAD_H
#define CORE_THREAD_H

#include <pthread.h>

/* 0 or a negative errno; who calls it joins or detaches the thread. */
int thread_start(pthread_t *thread, void *(*run)(void *arg), void *arg);

#endif
