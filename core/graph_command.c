/* SPDX-License-Identifier: BSD-2-Clause */
/* The command: let go, started once more where a source wants that, and ended with weir's own work. */
#include <errno.h>
#include <string.h>

#include "graph_parts.h"
#include "log.h"

#define DEADLINE_NS 5000000000u

int run_let_go(struct graph *graph)
{
	const struct pipeline_run *run = &graph->pipeline->run;
	int err = run->held ? child_release(run->held) : 0;

	if (!err)
		return 0;
	log_line(NULL, "%s: %s", run->command ? run->command[0] : "command", strerror(-err));
	graph->command_status = child_status(run->held);
	graph->failed = true;
	return err;
}

int graph_command_again(struct graph *graph)
{
	struct child *child = graph->pipeline->run.held;
	int status, err;

	if (!child || graph->phase != GRAPH_RUNNING)
		return -EINVAL;
	/* Another source has asked before. */
	if (graph->command_again)
		return 0;
	status = child_status(child);
	err = child_again(child, graph->found);
	if (err)
		return err;
	/* Of several runs, the first that did not go well tells. */
	if (!graph->command_status)
		graph->command_status = status;
	for (uint32_t i = 0; i < graph->node_count; i++)
		graph->nodes[i]->ctx.child = (uint64_t)child_pid(child);
	graph->command_again = true;
	return 0;
}

static void command_tell(struct node *node)
{
	const struct weir_component *component = node_component(node);
	struct node_call call;
	int err;

	if (component->kind != WEIR_SOURCE || !component->command_ended ||
	    node->state != NODE_STARTED || atomic_load(&node->failed))
		return;
	node_enter(node, &call);
	err = component->command_ended(&node->ctx);
	node_leave(node, &call);
	if (err < 0)
		node_failed(node, "command_ended", err);
}

void run_command_ended(struct graph *graph)
{
	bool again;

	for (uint32_t i = 0; i < graph->node_count; i++)
		if (graph->phase == GRAPH_RUNNING && !atomic_load(&graph->end_signal))
			command_tell(graph->nodes[i]);
	again = graph->command_again;
	graph->command_again = false;
	if (!again || run_let_go(graph) < 0)
		graph_end(graph);
}

static void command_deadline(void *owner, uint64_t now)
{
	struct graph *graph = owner;

	(void)now;
	child_signal(graph->pipeline->run.held, graph->grace_end ? SIGKILL : SIGTERM);
	/* A command that is stopped ends when it goes on. */
	child_signal(graph->pipeline->run.held, SIGCONT);
	graph->grace_end = 1;
}

/* True: the command has to end because weir does; false: it may take its time. */
static bool command_must_end(struct graph *graph)
{
	return atomic_load(&graph->end_signal) || run_any_failed(graph);
}

void run_wait_for_command(struct graph *graph)
{
	struct child *child = graph->pipeline->run.held;
	uint64_t allowed = graph->pipeline->run.deadline_ns;
	struct loop_timer patience;
	bool armed = false;

	if (!child)
		return;
	graph->grace_end = 0;
	allowed = allowed ? allowed : DEADLINE_NS;
	loop_timer_init(graph->loop, &patience, command_deadline, graph);
	if (graph->aborted)
		child_kill(child);
	if (run_any_failed(graph))
		child_signal(child, SIGTERM);
	while (!atomic_load(&graph->ended_at_once) && !child_ended(child)) {
		signals_pass_on(graph);
		if (!armed && command_must_end(graph)) {
			uint64_t now = loop_now();

			/* Asked for in the drain: its deadline counts; later: anew. */
			loop_timer_set(&patience,
				       graph->deadline > now ? graph->deadline : now + allowed,
				       allowed);
			armed = true;
		}
		if (loop_turn(graph->loop) < 0)
			break;
	}
	loop_timer_set(&patience, 0, 0);
	if (atomic_load(&graph->ended_at_once))
		child_kill(child);
}

void run_leave_at_once(struct graph *graph)
{
	if (graph->pipeline->run.held)
		child_kill(graph->pipeline->run.held);
	graph->abandoned = true;
}
