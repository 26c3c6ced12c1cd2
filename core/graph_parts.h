/* SPDX-License-Identifier: BSD-2-Clause */
/* What graph_run.c needs of its neighbours: signals, the command, judgement, probes. */
#ifndef CORE_GRAPH_PARTS_H
#define CORE_GRAPH_PARTS_H

#include "child.h"
#include "node.h"

/* What the process had before, which graph_run() leaves as it was; and who hears signals. */
struct run_signals {
	struct graph *graph;
	struct child_signals found;
	pthread_t watcher;
	bool watched;
	int requests; /* signalfd: SIGINT, SIGTERM, SIGHUP */
	int leave;    /* eventfd: the watcher is to end */
};

/* graph_signals.c */
int signals_take(struct graph *graph, struct run_signals *signals);
void signals_give_back(struct graph *graph, struct run_signals *signals);
/* Hands the signal that asked weir to end on to the command, where that did not get it. */
void signals_pass_on(struct graph *graph);

/* graph_command.c */
/* Lets the command go, once all that look at it are ready. 0, or failed. */
int run_let_go(struct graph *graph);
/* It has ended: sources may want it once more; else the run ends. */
void run_command_ended(struct graph *graph);
/* After the drain: the command may go on, is asked to end, or is ended, as the end demands. */
void run_wait_for_command(struct graph *graph);
/* After a second signal: reaps the command, leaves all else to the kernel. */
void run_leave_at_once(struct graph *graph);

/*
 * graph_absent.c: an optional source whose start() returned `err`. It counts as one that has nothing
 * more to say; whoever reads it is told why, and so is the user. 0 or -ENOMEM.
 */
int run_do_without(struct node *node, int err);

/* graph_judge.c */
bool run_is_over(const struct graph *graph);
bool run_any_failed(const struct graph *graph);
bool run_had_no_input(const struct graph *graph); /* that alone is why it failed */

/* probe.c: says on stderr what the node's component lacks here, and what grants it. */
void probe_explain(const struct node *node);
/*
 * The first thing without which the component cannot work here, as a phrase, and the command that
 * grants it or "": both malloc'd. False: none, or no memory; both are then NULL.
 */
bool probe_lacks(const struct node *node, char **what, char **cure);

#endif
