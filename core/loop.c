/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * epoll for fds; its timeout serves the timers. A pipeline has a handful of timers, so the
 * nearest deadline is searched in a list: no fd and no system call for each.
 */
#include "loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define EVENTS_AT_ONCE 32

struct watch {
	struct watch *next;
	loop_fd_fn *ready;
	void *owner;
	void *arg;
	int fd;
	uint32_t events;
	bool always; /* epoll does not know it: a regular file */
	bool held;
	bool ended; /* freed when the turn is over: an event for it may be under way */
};

struct hold {
	struct hold *next;
	const void *owner;
};

struct loop {
	int epoll;
	struct watch *watches;
	struct loop_timer *timers;
	struct hold *holds;
	bool sweep;
};

uint64_t loop_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct loop *loop_new(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll >= 0)
		return loop;
	free(loop);
	return NULL;
}

void loop_free(struct loop *loop)
{
	if (!loop)
		return;
	for (struct watch *watch = loop->watches, *next; watch; watch = next) {
		next = watch->next;
		free(watch);
	}
	for (struct hold *hold = loop->holds, *next; hold; hold = next) {
		next = hold->next;
		free(hold);
	}
	close(loop->epoll);
	free(loop);
}

void loop_timer_init(struct loop *loop, struct loop_timer *timer, loop_timer_fn *fire, void *owner)
{
	*timer = (struct loop_timer){ .next = loop->timers, .fire = fire, .owner = owner };
	loop->timers = timer;
}

void loop_timer_set(struct loop_timer *timer, uint64_t deadline, uint64_t period)
{
	timer->deadline = deadline;
	timer->period = period;
}

static struct watch *loop_find(struct loop *loop, int fd)
{
	for (struct watch *watch = loop->watches; watch; watch = watch->next)
		if (watch->fd == fd && !watch->ended)
			return watch;
	return NULL;
}

/* Tells epoll what the watch wants now. A held fd is taken out: HUP would come all the same. */
static int loop_apply(struct loop *loop, struct watch *watch, int operation)
{
	struct epoll_event event = { .events = watch->events, .data = { .ptr = watch } };

	if (watch->always)
		return 0;
	if (epoll_ctl(loop->epoll, operation, watch->fd, &event) == 0)
		return 0;
	if (errno != EPERM)
		return -errno;
	watch->always = true;
	return 0;
}

static void loop_end_watch(struct loop *loop, struct watch *watch)
{
	if (!watch->held)
		loop_apply(loop, watch, EPOLL_CTL_DEL);
	watch->ended = true;
	loop->sweep = true;
}

static int loop_watch_new(struct loop *loop, const struct watch *wanted)
{
	struct watch *watch = malloc(sizeof(*watch));
	int err;

	if (!watch)
		return -ENOMEM;
	*watch = *wanted;
	err = loop_apply(loop, watch, EPOLL_CTL_ADD);
	if (err) {
		free(watch);
		return err;
	}
	watch->next = loop->watches;
	loop->watches = watch;
	return 0;
}

int loop_watch(struct loop *loop, int fd, uint32_t events, loop_fd_fn *ready, void *owner,
	       void *arg)
{
	struct watch *watch = loop_find(loop, fd);
	struct watch wanted = {
		.ready = ready, .owner = owner, .arg = arg, .fd = fd, .events = events
	};

	if (!watch)
		return events ? loop_watch_new(loop, &wanted) : 0;
	if (!events) {
		loop_end_watch(loop, watch);
		return 0;
	}
	watch->ready = ready;
	watch->owner = owner;
	watch->arg = arg;
	watch->events = events;
	return watch->held ? 0 : loop_apply(loop, watch, EPOLL_CTL_MOD);
}

static bool loop_held(const struct loop *loop, const void *owner)
{
	for (const struct hold *hold = loop->holds; hold; hold = hold->next)
		if (hold->owner == owner)
			return true;
	return false;
}

static void loop_hold_add(struct loop *loop, const void *owner)
{
	struct hold *hold = malloc(sizeof(*hold));

	/* Without it the source is called in vain, and finds no room again. */
	if (!hold)
		return;
	*hold = (struct hold){ loop->holds, owner };
	loop->holds = hold;
}

static void loop_hold_drop(struct loop *loop, const void *owner)
{
	for (struct hold **at = &loop->holds, *hold; (hold = *at); at = &hold->next) {
		if (hold->owner != owner)
			continue;
		*at = hold->next;
		free(hold);
		return;
	}
}

void loop_hold(struct loop *loop, const void *owner, bool held)
{
	if (held == loop_held(loop, owner))
		return;
	if (held)
		loop_hold_add(loop, owner);
	else
		loop_hold_drop(loop, owner);
	for (struct watch *watch = loop->watches; watch; watch = watch->next) {
		if (watch->owner != owner || watch->ended || watch->held == held)
			continue;
		loop_apply(loop, watch, held ? EPOLL_CTL_DEL : EPOLL_CTL_ADD);
		watch->held = held;
	}
}

void loop_forget(struct loop *loop, const void *owner)
{
	loop_hold_drop(loop, owner);
	for (struct watch *watch = loop->watches; watch; watch = watch->next)
		if (watch->owner == owner && !watch->ended)
			loop_end_watch(loop, watch);
	for (struct loop_timer *timer = loop->timers; timer; timer = timer->next)
		if (timer->owner == owner)
			timer->deadline = 0;
}

static void loop_sweep(struct loop *loop)
{
	struct watch **at = &loop->watches;

	while (loop->sweep && *at) {
		struct watch *watch = *at;

		if (watch->ended) {
			*at = watch->next;
			free(watch);
		} else {
			at = &watch->next;
		}
	}
	loop->sweep = false;
}

/* The armed timer with the nearest deadline, or NULL. */
static struct loop_timer *loop_next_timer(const struct loop *loop)
{
	struct loop_timer *next = NULL;

	for (struct loop_timer *timer = loop->timers; timer; timer = timer->next)
		if (timer->deadline && (!next || timer->deadline < next->deadline) &&
		    !loop_held(loop, timer->owner))
			next = timer;
	return next;
}

/* Milliseconds until the next thing is due; rounded up, so that nothing fires early. */
static int loop_timeout(const struct loop *loop)
{
	const struct loop_timer *next = loop_next_timer(loop);
	uint64_t now = loop_now(), wait;

	for (const struct watch *watch = loop->watches; watch; watch = watch->next)
		if (watch->always && !watch->held && !watch->ended)
			return 0;
	if (!next)
		return -1;
	wait = next->deadline > now ? next->deadline - now : 0;
	wait = (wait + 999999) / 1000000;
	return wait > 3600000 ? 3600000 : (int)wait;
}

static void loop_fire(struct loop *loop)
{
	uint64_t now = loop_now();
	struct loop_timer *timer;

	while ((timer = loop_next_timer(loop)) && timer->deadline <= now) {
		uint64_t missed = timer->period ? (now - timer->deadline) / timer->period : 0;

		if (timer->period)
			timer->deadline += (missed + 1) * timer->period;
		else
			timer->deadline = 0;
		timer->fire(timer->owner, now);
	}
}

static void loop_serve_always(struct loop *loop)
{
	for (struct watch *watch = loop->watches; watch; watch = watch->next)
		if (watch->always && !watch->held && !watch->ended)
			watch->ready(watch->owner, watch->arg, watch->fd, watch->events);
}

int loop_turn(struct loop *loop)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int count = epoll_wait(loop->epoll, events, EVENTS_AT_ONCE, loop_timeout(loop));

	if (count < 0 && errno != EINTR)
		return -errno;
	for (int i = 0; i < count; i++) {
		struct watch *watch = events[i].data.ptr;

		if (!watch->ended && !watch->held)
			watch->ready(watch->owner, watch->arg, watch->fd, events[i].events);
	}
	loop_serve_always(loop);
	loop_fire(loop);
	loop_sweep(loop);
	return 0;
}
