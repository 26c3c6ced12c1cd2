/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The orderly end: no more ticks and fds, then drain from sources to sinks under one deadline.
 * What is not done by then is counted. Each call goes as far as it can without waiting.
 *
 * The deadline is for what does not go on. A run that ends by itself moves it as long as work gets
 * done: on a machine in trouble that may take long, and what was asked for is not to be lost by
 * it. Once a signal asks for the end, it stays where it is.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "node.h"
#include "sink_thread.h"

#define DEADLINE_NS  5000000000u
#define GRACE_NS     200000000u /* for threads that the signal has freed to end their files */
#define INTERRUPT_NS 10000000u  /* repeated: a signal may come just before the system call */
#define WORKING_NS   10000000u  /* CPU time by which a thread shows that it works */

void graph_wake(struct graph *graph)
{
	uint64_t one = 1;

	/* A counter that is full wakes the loop, too. */
	if (graph->wake >= 0 && write(graph->wake, &one, sizeof(one)) < 0)
		return;
}

static void graph_deadline(void *owner, uint64_t now)
{
	/* Only wakes the loop: graph_drain() looks at the time. */
	(void)owner;
	(void)now;
}

static void end_set_deadline(struct graph *graph)
{
	uint64_t allowed = graph->pipeline->run.deadline_ns;

	graph->deadline = loop_now() + (allowed ? allowed : DEADLINE_NS);
	loop_timer_set(&graph->deadline_timer, graph->deadline, INTERRUPT_NS);
}

/* Another number whenever something was done since the last time. */
static uint64_t end_progress(struct graph *graph)
{
	uint64_t progress = graph->drain_next;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		const struct node *node = graph->nodes[i];

		if (!node->thread) {
			progress += node->work.rows_out;
			continue;
		}
		progress += sink_thread_cpu(node->thread) / WORKING_NS;
		for (uint32_t j = 0; j < node->ctx.input_count; j++) {
			struct edge_counts counts;

			edge_count(&node->inputs[j]->edge, &counts);
			progress += counts.out;
		}
	}
	return progress;
}

void graph_end_go_on(struct graph *graph)
{
	uint64_t progress;

	if (graph->grace_end || atomic_load(&graph->end_signal))
		return;
	progress = end_progress(graph);
	if (progress == graph->progress)
		return;
	graph->progress = progress;
	end_set_deadline(graph);
}

void graph_end(struct graph *graph)
{
	if (graph->phase != GRAPH_RUNNING)
		return;
	graph->phase = GRAPH_DRAINING;
	atomic_store(&graph->ending, true);
	loop_timer_set(&graph->duration, 0, 0);
	loop_timer_init(graph->loop, &graph->deadline_timer, graph_deadline, graph);
	end_set_deadline(graph);
	for (uint32_t i = 0; i < graph->node_count; i++)
		loop_forget(graph->loop, graph->nodes[i]);
}

/* A source that --count has ended closed its last window with its last tick. */
static bool end_wants_drain(const struct node *node)
{
	return node->state == NODE_STARTED && !node->graph->aborted && !node->counted &&
	       !atomic_load(&node->failed);
}

static void end_drain_node(struct node *node)
{
	int err;

	node->drained = true;
	if (node->thread) {
		sink_thread_drain(node->thread, node->graph->deadline);
		return;
	}
	err = end_wants_drain(node) ? node_drain(node, node->graph->deadline) : 0;
	if (err)
		node_failed(node, "drain", err);
}

/* Drains in order as far as queues are empty and there is room. True: all have been asked. */
static bool end_drain_in_order(struct graph *graph)
{
	for (; graph->drain_next < graph->node_count; graph->drain_next++) {
		struct node *node = graph->order[graph->drain_next];
		bool alive = !atomic_load(&node->failed);

		if (!node->thread && alive && (!flow_idle(node) || !flow_has_room(node)))
			return false;
		end_drain_node(node);
	}
	return true;
}

/* The deadline has passed: what waits is lost, and everybody is asked to end at once. */
static void end_hurry(struct graph *graph)
{
	graph->grace_end = graph->deadline + GRACE_NS;
	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct node *node = graph->order[i];

		atomic_store(&node->hurry, true);
		flow_close(node, EDGE_DEADLINE, false);
		if (!node->drained)
			end_drain_node(node);
	}
	graph->drain_next = graph->node_count;
}

static uint32_t end_count_threads(struct graph *graph, bool interrupt)
{
	uint32_t running = 0;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct sink_thread *thread = graph->nodes[i]->thread;

		if (!thread || sink_thread_ended(thread))
			continue;
		running++;
		if (interrupt)
			sink_thread_interrupt(thread);
	}
	return running;
}

static void end_abandon(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct node *node = graph->nodes[i];

		if (!node->thread || sink_thread_ended(node->thread))
			continue;
		flow_close(node, EDGE_DEADLINE, true);
		sink_thread_abandon(node->thread);
		node->abandoned = true;
		graph->abandoned = true;
		graph->failed = true;
	}
}

bool graph_drain(struct graph *graph)
{
	uint64_t now;

	flow_pump(graph);
	if (end_drain_in_order(graph) && end_count_threads(graph, false) == 0)
		return true;
	graph_end_go_on(graph);
	now = loop_now();
	if (now < graph->deadline)
		return false;
	if (!graph->grace_end)
		end_hurry(graph);
	if (end_count_threads(graph, true) == 0)
		return true;
	if (now < graph->grace_end)
		return false;
	end_abandon(graph);
	return true;
}
