/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph: a pipeline's nodes and edges, from its description to its orderly end. */
#ifndef CORE_GRAPH_H
#define CORE_GRAPH_H

#include <stdbool.h>

#include <weir/host.h>

#include "pipeline.h"
#include "plugin.h"

struct graph;

/*
 * Makes nodes and edges: loads plugins, fills options, creates, binds schemas in the order of the
 * edges. Needs no privileges and touches nothing: this is `weir check`. All errors go to `diag`.
 * *made is set also on failure where there is something to free. The pipeline and the plugins
 * must outlive it.
 */
int graph_new(const struct pipeline *pipeline, struct plugins *plugins, struct diag *diag,
	      struct graph **made);

/*
 * Runs it: start, loop, drain, stop. Returns weir's exit status: 0, 1, 2 (what it was given to read
 * holds nothing, or nothing known), 3 (a needed thing is not there), 125 (weir's own failure while a
 * command ran) or the command's status (128 + signal when it was killed). Messages go to stderr.
 */
int graph_run(struct graph *graph);

/*
 * NULL is allowed. False: a thread of it hangs and may go on at any time, so nothing was freed,
 * and the pipeline and the plugins must stay, too, until the process ends.
 */
bool graph_free(struct graph *graph);

/* Runs a component's probe() and hands each need to `seen`. */
typedef void need_seen_fn(const struct weir_component *component, const struct weir_need *need,
			  void *arg);
void graph_probe(const struct plugin *plugin, const char *root, need_seen_fn *seen, void *arg);

#endif
