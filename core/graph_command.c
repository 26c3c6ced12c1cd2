/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of the command, once weir has done its own work. */
#include "child.h"
#include "graph_parts.h"

#define DEADLINE_NS 5000000000u

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
