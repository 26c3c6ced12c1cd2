/* SPDX-License-Identifier: BSD-2-Clause */
/* What graph_run.c needs of its neighbours: signals and the command, judgement, probes. */
#ifndef CORE_GRAPH_PARTS_H
#define CORE_GRAPH_PARTS_H

#include <signal.h>

#include "node.h"

/* What the process had before: graph_run() leaves it as it was. */
struct run_signals {
	sigset_t mask;
	struct sigaction pipe;
	struct sigaction urgent;
};

/* graph_signals.c */
int signals_take(struct graph *graph, struct run_signals *saved);
void signals_give_back(struct graph *graph, const struct run_signals *saved);
/* After the drain: the command may go on, is asked to end, or is ended, as the end demands. */
void run_wait_for_command(struct graph *graph);
/* After a second signal: reaps the command, leaves all else to the kernel. */
void run_leave_at_once(struct graph *graph);

/* graph_judge.c */
bool run_is_over(const struct graph *graph);
bool run_any_failed(const struct graph *graph);

/* probe.c: says on stderr what the node's component lacks here, and what grants it. */
void probe_explain(const struct node *node);

#endif
