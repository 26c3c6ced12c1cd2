/* SPDX-License-Identifier: BSD-2-Clause */
/* Optional sources that the host refuses: the pipeline runs without them, and says so. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "graph_parts.h"
#include "log.h"

static bool run_all_absent(const struct node *node)
{
	for (uint32_t i = 0; i < node->ctx.input_count; i++)
		if (!node->inputs[i]->seen.absent)
			return false;
	return true;
}

/* Whoever reads `node`, and who reads those that nothing else reaches, hears that `source` is off. */
static void run_tell_absent(struct node *node, const struct node *source)
{
	for (uint32_t i = 0; i < node_component(node)->outputs.count; i++)
		for (struct link *link = node->outputs[i].links; link; link = link->next) {
			link->seen.absent = source->absent;
			link->seen.cure = source->cure;
			if (run_all_absent(link->to))
				run_tell_absent(link->to, source);
		}
}

int run_do_without(struct node *node, int err)
{
	if (!probe_lacks(node, &node->absent, &node->cure)) {
		node->absent = strdup(node->reason[0] ? node->reason : strerror(-err));
		node->cure = strdup("");
	}
	if (!node->absent || !node->cure)
		return -ENOMEM;
	node_stop(node);
	run_tell_absent(node, node);
	node->finished = true;
	loop_forget(node->graph->loop, node);
	if (!node->graph->pipeline->run.quiet)
		log_line(node->name, "left out: %s", node->absent);
	return 0;
}
