/* SPDX-License-Identifier: BSD-2-Clause */
/* Running: start from sinks to sources, loop, and the exit status. The end: graph_end.c. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "graph_parts.h"
#include "log.h"
#include "node.h"
#include "sink_thread.h"

static void run_tick(void *owner, uint64_t now)
{
	struct node *node = owner;
	uint64_t count = node->graph->pipeline->run.count, sent = node->work.batches_out;
	struct node_call call;
	int err;

	if (!node_component(node)->tick)
		return;
	node_enter(node, &call);
	err = node_component(node)->tick(&node->ctx, now);
	node_leave(node, &call);
	if (err < 0) {
		node_failed(node, "tick", err);
		return;
	}
	/* A tick that found no room comes again; one that had nothing to tell is no report. */
	if (node->held || node->work.batches_out == sent)
		return;
	node->work.reports++;
	if (node_component(node)->kind == WEIR_SOURCE && count && node->work.reports >= count) {
		node->counted = true;
		loop_forget(node->graph->loop, node);
	}
}

static void run_woken(void *owner, void *arg, int fd, uint32_t events)
{
	struct graph *graph = owner;
	uint64_t n;

	(void)arg;
	(void)events;
	if (read(fd, &n, sizeof(n)) < 0)
		return;
	flow_pump(graph);
}

static void run_duration(void *owner, uint64_t now)
{
	(void)now;
	graph_end(owner);
}

static int run_report_refusal(const struct node *node, int err)
{
	static const int refusals[] = { -EPERM, -EACCES, -EOPNOTSUPP, -ENOSYS };

	node->graph->failed = true;
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (err == refusals[i])
			node->graph->not_permitted = true;
	if (node->graph->not_permitted)
		probe_explain(node);
	if (err == node->option_error && (err == -ENOENT || err == -ESRCH || err == -EINVAL))
		node->graph->misused = true;
	return err;
}

static int run_start_optional(struct node *node)
{
	int err;

	node->broken = true; /* keeps node_report() silent */
	err = node_start(node);
	node->broken = false;
	return err ? run_do_without(node, err) : 0;
}

static int run_start_node(struct node *node)
{
	int err;

	if (node->state != NODE_BOUND)
		return 0;
	loop_timer_init(node->graph->loop, &node->tick, run_tick, node);
	if (node->written && node->written->optional)
		return run_start_optional(node);
	if (!node->thread) {
		err = node_start(node);
		return err ? run_report_refusal(node, err) : 0;
	}
	err = sink_thread_start(node->thread);
	if (err)
		node_report(node, "start of its thread", err);
	return err;
}

/* Providers, then from sinks to sources: whoever gets rows is ready for them. */
static int run_start(struct graph *graph)
{
	int err = 0;

	graph->phase = GRAPH_STARTING;
	for (uint32_t i = 0; i < graph->provider_count && !err; i++)
		err = run_start_node(graph->providers[i]);
	for (uint32_t i = graph->node_count; i-- > 0 && !err;)
		err = run_start_node(graph->order[i]);
	if (!err)
		graph->phase = GRAPH_RUNNING;
	return err;
}

/* In the reverse order of start. Sinks with a thread stop there. */
static void run_stop(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++)
		if (!graph->order[i]->thread)
			node_stop(graph->order[i]);
	for (uint32_t i = graph->provider_count; i-- > 0;)
		node_stop(graph->providers[i]);
	graph->phase = GRAPH_OVER;
}

static int run_prepare(struct graph *graph)
{
	graph->loop = loop_new();
	if (!graph->loop)
		return -errno;
	graph->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (graph->wake < 0)
		return -errno;
	loop_timer_init(graph->loop, &graph->duration, run_duration, graph);
	return loop_watch(graph->loop, graph->wake, EPOLLIN, run_woken, graph, NULL);
}

/* Whether anything happens that only who is attached sees; a file waits for its reader. */
static bool run_attaches(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		const struct weir_component *component = node_component(graph->order[i]);

		if (component->kind == WEIR_SOURCE && !(component->flags & WEIR_PATIENT))
			return true;
	}
	return false;
}

static int run_release(struct graph *graph)
{
	const struct pipeline_run *run = &graph->pipeline->run;
	int err = run_let_go(graph);

	if (err)
		return err;
	if (!run->quiet && run_attaches(graph))
		log_line(graph->pipeline->name, "attached");
	/* It may have been killed while it was held, before weir heard of children. */
	if (run->held && child_ended(run->held))
		run_command_ended(graph);
	return 0;
}

/* Starts all, lets the command go, and turns the loop until everything has drained. */
static int run_all(struct graph *graph)
{
	uint64_t duration = graph->pipeline->run.duration_ns;
	int err = run_start(graph);

	/* Who is to end meanwhile must not begin. */
	if (!err && !atomic_load(&graph->end_signal))
		err = run_release(graph);
	if (err) {
		graph->phase = GRAPH_RUNNING;
		graph->aborted = true;
		graph_end(graph);
	} else if (duration) {
		loop_timer_set(&graph->duration, loop_now() + duration, 0);
	}
	while (!atomic_load(&graph->ended_at_once)) {
		signals_pass_on(graph);
		if (graph->phase == GRAPH_RUNNING &&
		    (atomic_load(&graph->end_signal) || run_is_over(graph)))
			graph_end(graph);
		if (graph->phase == GRAPH_DRAINING && graph_drain(graph))
			return 0;
		err = loop_turn(graph->loop);
		if (err && graph->phase == GRAPH_RUNNING) {
			log_line(NULL, "event loop: %s", strerror(-err));
			graph->failed = true;
			graph_end(graph);
		}
	}
	return 0;
}

static int run_status(const struct graph *graph)
{
	const struct child *child = graph->pipeline->run.held;

	if (atomic_load(&graph->ended_at_once))
		return 128 + atomic_load(&graph->end_signal);
	if (graph->command_status)
		return graph->command_status;
	if (run_any_failed(graph))
		return child                                       ? 125
		       : graph->not_permitted                      ? 3
		       : graph->misused || run_had_no_input(graph) ? 2
								   : 1;
	return child ? child_status(child) : 0;
}

int graph_run(struct graph *graph)
{
	struct run_signals signals;
	int err = run_prepare(graph);

	if (!err)
		err = signals_take(graph, &signals);
	if (err) {
		log_line(NULL, "event loop: %s", strerror(-err));
		return graph->pipeline->run.held ? 125 : 1;
	}
	run_all(graph);
	if (!atomic_load(&graph->ended_at_once)) {
		run_stop(graph);
		run_wait_for_command(graph);
		stats_losses(graph);
		if (graph->pipeline->run.stats)
			stats_print(graph);
	} else {
		run_leave_at_once(graph);
	}
	signals_give_back(graph, &signals);
	return run_status(graph);
}
