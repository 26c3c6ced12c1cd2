/* SPDX-License-Identifier: BSD-2-Clause */
/* The thread of a sink that can block: start, push, drain and stop run there, nothing else. */
#ifndef CORE_SINK_THREAD_H
#define CORE_SINK_THREAD_H

#include <stdbool.h>
#include <stdint.h>

struct node;
struct sink_thread;

struct sink_thread *sink_thread_new(struct node *node); /* NULL: no memory */
/* The thread must have ended, or never run. NULL is allowed. */
void sink_thread_free(struct sink_thread *thread);

/* Launches it. The sink counts as ready from here on. 0 or a negative errno. */
int sink_thread_start(struct sink_thread *thread);
void sink_thread_wake(struct sink_thread *thread); /* there is a batch */

/* No more input comes: empty the queues, drain, stop, end. */
void sink_thread_drain(struct sink_thread *thread, uint64_t deadline);
bool sink_thread_ended(struct sink_thread *thread);
/* CPU time that it has used, in ns: grows while it works and not while it waits. */
uint64_t sink_thread_cpu(struct sink_thread *thread);
/* Breaks a system call that it hangs in. Repeat until it has ended. */
void sink_thread_interrupt(struct sink_thread *thread);
/* Lets it run on by itself: nothing that it uses may be freed from now on. */
void sink_thread_abandon(struct sink_thread *thread);

#endif
