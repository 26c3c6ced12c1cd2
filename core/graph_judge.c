/* SPDX-License-Identifier: BSD-2-Clause */
/* When a run is over by itself, and whether it went well. */
#include <errno.h>

#include "graph_parts.h"

static bool judge_gone(const struct node *node)
{
	return atomic_load(&node->failed) != 0;
}

/* True when there is a node of that kind and none of them works any more. */
static bool judge_all_gone(const struct graph *graph, enum weir_kind kind)
{
	bool any = false;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (graph->nodes[i]->written->kind != kind)
			continue;
		if (!judge_gone(graph->nodes[i]))
			return false;
		any = true;
	}
	return any;
}

static bool judge_transform_failed(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++)
		if (graph->nodes[i]->written->kind == WEIR_TRANSFORM && judge_gone(graph->nodes[i]))
			return true;
	return false;
}

static bool judge_is_source(const struct node *node)
{
	return node->written->kind == WEIR_SOURCE;
}

/* No source has anything more to say. */
static bool judge_finished(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		const struct node *node = graph->nodes[i];

		if (judge_is_source(node) && !node->finished && !judge_gone(node) && !node->counted)
			return false;
	}
	return true;
}

/* --count: each source that ticks has ticked so often; where none does, so many rows came. */
static bool judge_counted(const struct graph *graph)
{
	uint64_t count = graph->pipeline->run.count, rows = 0;
	bool ticking = false;

	if (!count)
		return false;
	for (uint32_t i = 0; i < graph->node_count; i++) {
		const struct node *node = graph->nodes[i];

		if (!judge_is_source(node))
			continue;
		rows += node->work.rows_out;
		if (node->tick.period || node->counted)
			ticking = true;
		if (node->tick.period && !node->counted && !node->finished && !judge_gone(node))
			return false;
	}
	return ticking || rows >= count;
}

bool run_is_over(const struct graph *graph)
{
	return judge_finished(graph) || judge_counted(graph) || judge_all_gone(graph, WEIR_SINK) ||
	       judge_transform_failed(graph);
}

/* A sink whose reader has closed stdout has done its work. */
bool run_any_failed(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		const struct node *node = graph->nodes[i];
		int err = atomic_load(&node->failed);

		if (err && !(err == -EPIPE && atomic_load(&node->output_closed)))
			return true;
	}
	return graph->failed;
}

/* -ENODATA and -ENOMSG are of sources: what they were given to read has nothing, or is nothing known. */
bool run_had_no_input(const struct graph *graph)
{
	bool any = false;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		int err = atomic_load(&graph->nodes[i]->failed);

		if (err &&
		    (!judge_is_source(graph->nodes[i]) || (err != -ENODATA && err != -ENOMSG)))
			return false;
		any |= err != 0;
	}
	return any && !graph->failed;
}
