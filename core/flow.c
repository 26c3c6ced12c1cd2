/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How rows move. A committed batch goes to each reader's edge; a reader on the loop thread is
 * called at once, so its queue fills only while a blocking edge behind it is full. Recursion is
 * as deep as the graph, which has no cycles.
 */
#include "node.h"

#include "sink_thread.h"

/* True when whatever the node may commit finds room, or may be dropped. */
bool flow_has_room(struct node *node)
{
	bool room = true;

	for (uint32_t i = 0; i < node_component(node)->outputs.count; i++)
		for (struct link *link = node->outputs[i].links; link; link = link->next)
			if (!edge_has_room(&link->edge))
				room = false;
	return room;
}

int flow_push(struct node *node, struct link *link, struct batch *batch)
{
	uint32_t input = 0;
	struct node_call call;
	int err;

	while (node->inputs[input] != link)
		input++;
	node->work.rows_in += batch->seen.row_count;
	if (!node_component(node)->push)
		return 0;
	node_enter(node, &call);
	err = node_component(node)->push(&node->ctx, input, &batch->seen);
	node_leave(node, &call);
	return err < 0 ? err : 0;
}

/* One waiting batch, of the inputs in turn. False: none. */
static bool flow_feed_one(struct node *node)
{
	for (uint32_t i = 0; i < node->ctx.input_count; i++) {
		struct link *link = node->inputs[i];
		struct batch *batch = edge_pop(&link->edge);
		int err;

		if (!batch)
			continue;
		err = flow_push(node, link, batch);
		edge_done(&link->edge, node_loss(node, err));
		if (err)
			node_failed(node, "push", err);
		return true;
	}
	return false;
}

void flow_feed(struct node *node)
{
	if (node->thread || node->busy || node->state != NODE_STARTED)
		return;
	while (!atomic_load(&node->failed) && flow_has_room(node))
		if (!flow_feed_one(node))
			return;
}

/*
 * While the graph drains there is nothing else to do than to wait for a sink that is slower than
 * what comes: a profile's stacks all come then, at once. A sink that takes nothing for a quarter
 * of the time left is not waited for again, so that it cannot use up that of the others.
 */
static void flow_wait(struct node *node, struct batch *batch)
{
	struct graph *graph = node->graph;
	uint64_t now;

	if (graph->phase != GRAPH_DRAINING)
		return;
	graph_end_go_on(graph);
	now = loop_now();
	if (now >= graph->deadline)
		return;
	for (struct link *link = node->outputs[batch->output].links; link; link = link->next)
		if (link->to->thread)
			edge_wait(&link->edge, batch, (graph->deadline - now) / 4, graph->deadline);
}

int flow_commit(struct node *node, struct batch *batch)
{
	int err = batch_commit(batch);

	if (err)
		return err;
	node->work.rows_out += batch->seen.row_count;
	node->work.batches_out++;
	flow_wait(node, batch);
	for (struct link *link = node->outputs[batch->output].links; link; link = link->next) {
		edge_push(&link->edge, batch);
		if (link->to->thread)
			sink_thread_wake(link->to->thread);
		else
			flow_feed(link->to);
	}
	batch_release(batch);
	return 0;
}

void flow_pump(struct graph *graph)
{
	for (uint32_t i = graph->node_count; i-- > 0;)
		flow_feed(graph->order[i]);
	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct node *node = graph->nodes[i];

		if (!node->held || !flow_has_room(node))
			continue;
		node->held = false;
		loop_hold(graph->loop, node, false);
	}
}

void flow_close(struct node *node, enum edge_loss why, bool all)
{
	for (uint32_t i = 0; i < node->ctx.input_count; i++)
		edge_close(&node->inputs[i]->edge, why, all);
}

bool flow_idle(struct node *node)
{
	for (uint32_t i = 0; i < node->ctx.input_count; i++)
		if (!edge_idle(&node->inputs[i]->edge))
			return false;
	return true;
}
