/* SPDX-License-Identifier: BSD-2-Clause */
/* Connecting: from the names under `inputs` to links, slots that are filled, and an order. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

static struct node *connect_find_node(struct graph *graph, const struct pipeline_input *written)
{
	const char *words[64], *nearest;
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		if (strcmp(graph->nodes[i]->name, written->node) == 0)
			return graph->nodes[i];
		if (count < sizeof(words) / sizeof(words[0]))
			words[count++] = graph->nodes[i]->name;
	}
	nearest = diag_nearest(written->node, words, count);
	diag_error(graph->diag, &written->place, "there is no node \"%s\"%s%s%s", written->node,
		   nearest ? "; did you mean \"" : "", nearest ? nearest : "",
		   nearest ? "\"?" : "");
	return NULL;
}

/* The position of an output's or a slot's name; -1 after having reported that it is unknown. */
static int connect_find_output(const struct node *from, const struct pipeline_input *written)
{
	const struct weir_component *component = node_component(from);
	char names[NODE_TEXT_SIZE] = "none", title[NODE_TEXT_SIZE];
	size_t used = 0;

	if (!written->output && component->outputs.count)
		return 0;
	for (uint32_t i = 0; i < component->outputs.count; i++) {
		const char *name = component->outputs.items[i].name;

		if (strcmp(name, written->output) == 0)
			return (int)i;
		if (used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", name);
	}
	node_title(from, title, sizeof(title));
	return diag_error(from->graph->diag, &written->place, "%s has no output%s%s; it has: %s",
			  title, written->output ? " " : "", written->output ? written->output : "",
			  names);
}

static int connect_find_slot(const struct node *to, const struct pipeline_input *written)
{
	const struct weir_component *component = node_component(to);
	char title[NODE_TEXT_SIZE];

	for (uint32_t i = 0; i < component->inputs.count; i++)
		if (!written->slot || strcmp(component->inputs.items[i].name, written->slot) == 0)
			return (int)i;
	node_title(to, title, sizeof(title));
	return diag_error(to->graph->diag, &written->place, "%s has no slot%s%s for an input",
			  title, written->slot ? " " : "", written->slot ? written->slot : "");
}

static int connect_append(struct node *from, uint32_t output, struct node *to, uint32_t slot,
			  const struct pipeline_input *written)
{
	struct link *link = calloc(1, sizeof(*link)), **at = &from->outputs[output].links;

	if (!link)
		return -ENOMEM;
	edge_init(&link->edge, &written->queue);
	link->from = from;
	link->to = to;
	link->output = output;
	link->written = written;
	link->seen = (struct weir_input){ sizeof(link->seen), slot, from->name,
					  node_component(from)->outputs.items[output].name, NULL };
	while (*at)
		at = &(*at)->next;
	*at = link;
	to->inputs[to->ctx.input_count++] = link;
	return 0;
}

static int connect_input(struct node *to, const struct pipeline_input *written)
{
	struct node *from = connect_find_node(to->graph, written);
	int output, slot;

	if (!from)
		return -EINVAL;
	if (!from->plugin || !to->plugin)
		return 0; /* reported already */
	output = connect_find_output(from, written);
	slot = connect_find_slot(to, written);
	if (output < 0 || slot < 0)
		return -EINVAL;
	return connect_append(from, (uint32_t)output, to, (uint32_t)slot, written);
}

static int connect_check_slots(struct node *node)
{
	const struct weir_component *component = node_component(node);
	char title[NODE_TEXT_SIZE];
	int err = 0;

	node_title(node, title, sizeof(title));
	for (uint32_t i = 0; i < component->inputs.count; i++) {
		const struct weir_slot *slot = &component->inputs.items[i];
		const struct link *last = NULL;
		uint32_t count = 0;

		for (uint32_t j = 0; j < node->ctx.input_count; j++)
			if (node->inputs[j]->seen.slot == i) {
				last = node->inputs[j];
				count++;
			}
		if (count > 1 && !(slot->flags & WEIR_MANY))
			err = diag_error(node->graph->diag, &last->written->place,
					 "%s takes one input in its slot \"%s\"", title,
					 slot->name);
		if (count == 0 && !(slot->flags & WEIR_MAY_LACK))
			err = diag_error(node->graph->diag, node_place(node),
					 "%s needs an input in its slot \"%s\"", title, slot->name);
	}
	return err;
}

static int connect_node(struct node *node)
{
	const struct pipeline_node *written = node->written;
	int err = 0;

	node->inputs = calloc(written->input_count + 1, sizeof(struct link *));
	node->ctx.input_count = 0;
	if (!node->inputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < written->input_count; i++) {
		int failed = connect_input(node, &written->inputs[i]);

		if (failed == -ENOMEM)
			return failed;
		err = failed ? failed : err;
	}
	/* An input that is missing here was reported: what it would have filled is not known. */
	if (node->ctx.input_count < written->input_count)
		node->broken = true;
	else if (node->plugin)
		err = connect_check_slots(node);
	if (err)
		node->broken = true;
	return err;
}

static bool order_has(const struct graph *graph, uint32_t count, const struct node *node)
{
	for (uint32_t i = 0; i < count; i++)
		if (graph->order[i] == node)
			return true;
	return false;
}

static bool order_is_ready(const struct graph *graph, uint32_t count, const struct node *node)
{
	for (uint32_t i = 0; i < node->ctx.input_count; i++)
		if (!order_has(graph, count, node->inputs[i]->from))
			return false;
	return true;
}

/* From sources to sinks, otherwise as written. */
static int graph_sort(struct graph *graph)
{
	uint32_t count = 0;

	while (count < graph->node_count) {
		struct node *next = NULL, *stuck = NULL;

		for (uint32_t i = 0; i < graph->node_count && !next; i++) {
			struct node *node = graph->nodes[i];

			if (order_has(graph, count, node))
				continue;
			stuck = stuck ? stuck : node;
			if (order_is_ready(graph, count, node))
				next = node;
		}
		if (!next)
			return diag_error(graph->diag, node_place(stuck),
					  "node \"%s\" leads, through others, back to itself",
					  stuck->name);
		graph->order[count++] = next;
	}
	return 0;
}

int graph_connect(struct graph *graph)
{
	int err = 0, sorted;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		int failed = connect_node(graph->nodes[i]);

		if (failed == -ENOMEM)
			return failed;
		err = failed ? failed : err;
	}
	sorted = graph_sort(graph);
	if (sorted)
		return sorted;
	/* Nodes that are whole go on to be bound, so that their errors are seen as well. */
	return err == -ENOMEM ? err : 0;
}
