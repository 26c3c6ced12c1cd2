/* SPDX-License-Identifier: BSD-2-Clause */
/* Probes: what a component lacks on this host, in its own words. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph_parts.h"
#include "log.h"

/* Fills the defaults; an option that must be given stays zero. */
static void probe_defaults(struct node *node)
{
	struct diag *diag = diag_new();

	if (diag)
		option_fill(node_component(node), NULL, diag, NULL, node->options, &node->memory);
	diag_free(diag);
}

static void probe_run(struct node *node)
{
	void *state = node->ctx.state;

	node->ctx.state = NULL;
	node_component(node)->probe(&node->ctx);
	node->ctx.state = state;
}

void graph_probe(const struct plugin *plugin, const char *root, need_seen_fn *seen, void *arg)
{
	static const struct pipeline none;
	struct graph graph = { .pipeline = &none, .root = -1, .wake = -1, .signals = -1 };
	struct node *node;

	if (!plugin->component.probe)
		return;
	graph.root = open(root ? root : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	node = node_new(&graph, NULL, plugin->note.name);
	if (node && node_give_plugin(node, plugin) == 0) {
		probe_defaults(node);
		node->need_seen = seen;
		node->need_arg = arg;
		probe_run(node);
	}
	node_free(node);
	if (graph.root >= 0)
		close(graph.root);
}

struct probe_lack {
	char *what;
	char *cure;
};

static void probe_keep_first(const struct weir_component *component, const struct weir_need *need,
			     void *arg)
{
	struct probe_lack *lack = arg;

	(void)component;
	if (need->state != WEIR_NEED_MISSING || lack->what)
		return;
	if (asprintf(&lack->what, "%s: %s", need->name, need->found) < 0)
		lack->what = NULL;
	lack->cure = strdup(need->cure ? need->cure : "");
}

bool probe_lacks(const struct node *node, char **what, char **cure)
{
	struct probe_lack lack = { NULL, NULL };

	graph_probe(node->plugin, node->graph->pipeline->run.root, probe_keep_first, &lack);
	*what = lack.what;
	*cure = lack.cure;
	if (lack.what && lack.cure)
		return true;
	free(lack.what);
	free(lack.cure);
	*what = *cure = NULL;
	return false;
}

static void probe_print(const struct weir_component *component, const struct weir_need *need,
			void *arg)
{
	(void)arg;
	if (need->state != WEIR_NEED_MET)
		log_line(component->name, "%s: %s: %s%s%s", need->name, need->found, need->effect,
			 need->cure && need->cure[0] ? "; to allow it: " : "",
			 need->cure ? need->cure : "");
}

void probe_explain(const struct node *node)
{
	graph_probe(node->plugin, node->graph->pipeline->run.root, probe_print, NULL);
}
