/* SPDX-License-Identifier: BSD-2-Clause */
/* The event loop: fds and timers of one pipeline, on one thread. */
#ifndef CORE_LOOP_H
#define CORE_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct loop;

typedef void loop_timer_fn(void *owner, uint64_t now);
typedef void loop_fd_fn(void *owner, void *arg, int fd, uint32_t events);

/* Zeroed, then loop_timer_init(). It lies in its owner; loop_timer_set(0, 0) before it goes. */
struct loop_timer {
	struct loop_timer *next;
	loop_timer_fn *fire;
	void *owner;
	uint64_t deadline; /* CLOCK_MONOTONIC ns; 0: not armed */
	uint64_t period;   /* 0: fires once */
};

uint64_t loop_now(void); /* CLOCK_MONOTONIC ns */

struct loop *loop_new(void); /* NULL: no memory or fds; errno says which */
void loop_free(struct loop *loop);

void loop_timer_init(struct loop *loop, struct loop_timer *timer, loop_timer_fn *fire, void *owner);
/* Deadlines follow each other by exactly one period; those that were missed are left out. */
void loop_timer_set(struct loop_timer *timer, uint64_t deadline, uint64_t period);

/*
 * Calls `ready` while the fd has `events`; events 0 ends it. A file that is always ready and
 * that epoll refuses is reported on each turn. 0 or a negative errno.
 */
int loop_watch(struct loop *loop, int fd, uint32_t events, loop_fd_fn *ready, void *owner,
	       void *arg);

/* Holds up, or resumes, all fds and timers of an owner. */
void loop_hold(struct loop *loop, const void *owner, bool held);
/* Ends all of them. */
void loop_forget(struct loop *loop, const void *owner);

/* Waits for the next thing to do and does what is due. 0 or a negative errno. */
int loop_turn(struct loop *loop);

#endif
