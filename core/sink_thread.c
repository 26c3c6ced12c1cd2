/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sinks that can block. Their edges are the queue; this is only the thread behind it, and its
 * end: asked to drain, interrupted at the deadline by SIGURG (whose handler has no SA_RESTART, so
 * that open() and write() return EINTR), and abandoned when even that does not help.
 */
#include "sink_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "node.h"
#include "thread.h"

struct sink_thread {
	struct node *node;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint64_t deadline;
	bool launched;
	bool work; /* something was queued since the thread last looked */
	bool drain;
	bool ended;
	bool abandoned;
};

struct sink_thread *sink_thread_new(struct node *node)
{
	struct sink_thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		return NULL;
	thread->node = node;
	pthread_mutex_init(&thread->lock, NULL);
	pthread_cond_init(&thread->changed, NULL);
	return thread;
}

void sink_thread_free(struct sink_thread *thread)
{
	if (!thread)
		return;
	if (thread->launched)
		pthread_join(thread->thread, NULL);
	pthread_cond_destroy(&thread->changed);
	pthread_mutex_destroy(&thread->lock);
	free(thread);
}

/* Pushes everything that waits. */
static void sink_thread_push(struct node *node)
{
	bool more = true;

	while (more) {
		more = false;
		for (uint32_t i = 0; i < node->ctx.input_count; i++) {
			struct link *link = node->inputs[i];
			struct batch *batch = edge_pop(&link->edge);
			int err;

			if (!batch)
				continue;
			more = true;
			err = flow_push(node, link, batch);
			if (edge_done(&link->edge, node_loss(node, err)))
				graph_wake(node->graph);
			if (!err)
				continue;
			node_failed(node, "push", err);
			return;
		}
	}
}

/* Waits for work. False: nothing more comes, and the queues are empty. */
static bool sink_thread_wait(struct sink_thread *thread)
{
	bool work;

	pthread_mutex_lock(&thread->lock);
	while (!thread->work && !thread->drain)
		pthread_cond_wait(&thread->changed, &thread->lock);
	work = thread->work;
	thread->work = false;
	pthread_mutex_unlock(&thread->lock);
	return work;
}

static void sink_thread_serve(struct sink_thread *thread)
{
	struct node *node = thread->node;
	int err = node_start(node);

	if (err) {
		node->broken = true; /* node_start() has said why */
		node_failed(node, "start", err);
	}
	while (!atomic_load(&node->failed) && sink_thread_wait(thread))
		sink_thread_push(node);
	if (!atomic_load(&node->failed) && !node->graph->aborted) {
		err = node_drain(node, thread->deadline);
		if (err)
			node_failed(node, "drain", err);
	}
	node_stop(node);
}

static void *sink_thread_main(void *arg)
{
	struct sink_thread *thread = arg;
	bool abandoned;

	sink_thread_serve(thread);
	pthread_mutex_lock(&thread->lock);
	thread->ended = true;
	abandoned = thread->abandoned;
	pthread_mutex_unlock(&thread->lock);
	if (!abandoned)
		graph_wake(thread->node->graph);
	return NULL;
}

int sink_thread_start(struct sink_thread *thread)
{
	int err;

	thread->node->nested = &thread->node->own_nested;
	err = thread_start(&thread->thread, sink_thread_main, thread);
	thread->launched = err == 0;
	return err;
}

void sink_thread_wake(struct sink_thread *thread)
{
	pthread_mutex_lock(&thread->lock);
	thread->work = true;
	pthread_cond_signal(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
}

void sink_thread_drain(struct sink_thread *thread, uint64_t deadline)
{
	pthread_mutex_lock(&thread->lock);
	if (!thread->drain)
		thread->deadline = deadline;
	thread->drain = true;
	pthread_cond_signal(&thread->changed);
	pthread_mutex_unlock(&thread->lock);
}

bool sink_thread_ended(struct sink_thread *thread)
{
	bool ended;

	pthread_mutex_lock(&thread->lock);
	ended = thread->ended || !thread->launched;
	pthread_mutex_unlock(&thread->lock);
	return ended;
}

uint64_t sink_thread_cpu(struct sink_thread *thread)
{
	struct timespec used;
	clockid_t clock;

	if (!thread->launched || pthread_getcpuclockid(thread->thread, &clock) != 0 ||
	    clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

void sink_thread_interrupt(struct sink_thread *thread)
{
	pthread_kill(thread->thread, SIGURG);
}

void sink_thread_abandon(struct sink_thread *thread)
{
	pthread_mutex_lock(&thread->lock);
	thread->abandoned = true;
	pthread_mutex_unlock(&thread->lock);
	pthread_detach(thread->thread);
	thread->launched = false;
}
