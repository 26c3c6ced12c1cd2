/* SPDX-License-Identifier: BSD-2-Clause */
/* A node: an instance of a component, its callbacks, and how its failures are told. */
#include "node.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

struct node *node_new(struct graph *graph, const struct pipeline_node *written, const char *name)
{
	struct node *node = calloc(1, sizeof(*node));

	if (!node)
		return NULL;
	node->ctx.size = sizeof(node->ctx);
	node->ctx.host = &host_calls;
	node->ctx.root = graph->root;
	node->graph = graph;
	node->written = written;
	node->name = written ? written->name : name;
	node->nested = &graph->nested;
	pthread_mutex_init(&node->lock, NULL);
	ledger_init(&node->ledger);
	return node;
}

int node_give_plugin(struct node *node, const struct plugin *plugin)
{
	const struct weir_component *component = &plugin->component;

	node->plugin = plugin;
	node->options = calloc(1, component->options_size ? component->options_size : 1);
	node->ctx.state = calloc(1, component->state_size ? component->state_size : 1);
	node->outputs = calloc(component->outputs.count + 1, sizeof(*node->outputs));
	node->ctx.options = node->options;
	return node->options && node->ctx.state && node->outputs ? 0 : -ENOMEM;
}

static void node_free_links(struct node *node)
{
	for (uint32_t i = 0; i < node->ctx.input_count; i++) {
		edge_clear(&node->inputs[i]->edge);
		free(node->inputs[i]);
	}
	free(node->inputs);
	for (uint32_t i = 0; node->outputs && i < node_component(node)->outputs.count; i++)
		free(node->outputs[i].owned);
	free(node->outputs);
}

void node_free(struct node *node)
{
	if (!node)
		return;
	if (node->state != NODE_NEW && node_component(node)->destroy)
		node_component(node)->destroy(&node->ctx);
	node_free_links(node);
	option_release(node->memory);
	free(node->options);
	free(node->ctx.state);
	ledger_clear(&node->ledger);
	for (uint32_t i = 0; i < node->tree_count; i++)
		tree_free(node->trees[i]);
	free(node->trees);
	free(node->absent);
	free(node->cure);
	pthread_mutex_destroy(&node->lock);
	free(node);
}

const struct place *node_place(const struct node *node)
{
	return node->written ? &node->written->place : NULL;
}

void node_title(const struct node *node, char *out, size_t size)
{
	const char *kind = node->written ? "node" : "service";

	snprintf(out, size, "%s \"%s\" (%s)", kind, node->name,
		 node->plugin ? node->plugin->note.name : "?");
}

void node_title_placed(const struct node *node, char *out, size_t size)
{
	const struct place *place = node_place(node);
	size_t used;

	node_title(node, out, size);
	used = strlen(out);
	if (place && place->text)
		snprintf(out + used, size - used, ", defined at %s:%u:%u,", place->text->name,
			 place->line, place->column);
}

int node_fail(struct node *node, int error, const char *format, va_list args)
{
	size_t used;

	pthread_mutex_lock(&node->lock);
	vsnprintf(node->reason, sizeof(node->reason), format, args);
	used = strlen(node->reason);
	if (error < 0)
		snprintf(node->reason + used, sizeof(node->reason) - used, ": %s",
			 strerror(-error));
	pthread_mutex_unlock(&node->lock);
	return error < 0 ? error : -EINVAL;
}

void node_report(struct node *node, const char *callback, int error)
{
	char title[NODE_TEXT_SIZE / 2], reason[NODE_TEXT_SIZE];

	if (node->broken)
		return;
	node_title(node, title, sizeof(title));
	pthread_mutex_lock(&node->lock);
	snprintf(reason, sizeof(reason), "%s", node->reason);
	pthread_mutex_unlock(&node->lock);
	if (!reason[0])
		snprintf(reason, sizeof(reason), "%s: %s", callback, strerror(-error));
	if (node->graph->diag) {
		node->broken = true;
		diag_error(node->graph->diag, node_place(node), "%s: %s", title, reason);
	} else {
		log_line(NULL, "%s: %s", title, reason);
	}
}

enum edge_loss node_loss(struct node *node, int error)
{
	if (!error)
		return EDGE_NOT_LOST;
	return error == -EPIPE && atomic_load(&node->output_closed) ? EDGE_READER_GONE
								    : EDGE_FAILED;
}

void node_failed(struct node *node, const char *callback, int error)
{
	enum edge_loss loss = node_loss(node, error);

	if (loss != EDGE_READER_GONE)
		node_report(node, callback, error);
	atomic_store(&node->failed, error);
	flow_close(node, loss, false);
	graph_wake(node->graph);
}

void node_enter(struct node *node, struct node_call *call)
{
	pthread_mutex_lock(&node->lock);
	node->reason[0] = '\0';
	pthread_mutex_unlock(&node->lock);
	node->busy = true;
	call->nested = *node->nested;
	call->began = loop_now();
}

void node_leave(struct node *node, const struct node_call *call)
{
	uint64_t took = loop_now() - call->began;
	uint64_t own = took - (*node->nested - call->nested);

	*node->nested = call->nested + took;
	node->busy = false;
	node->work.calls++;
	node->work.ns += own;
	if (own > NODE_SLOW_NS)
		node->work.slow++;
}

/* One of the callbacks that take nothing but the context. */
static int node_call_plain(struct node *node, int (*callback)(struct weir_ctx *ctx),
			   const char *name)
{
	struct node_call call;
	int err;

	if (!callback)
		return 0;
	node_enter(node, &call);
	err = callback(&node->ctx);
	node_leave(node, &call);
	if (err < 0)
		node_report(node, name, err);
	return err < 0 ? err : 0;
}

int node_create(struct node *node)
{
	node->state = NODE_CREATED;
	return node_call_plain(node, node_component(node)->create, "create");
}

int node_bind(struct node *node)
{
	int err = node_call_plain(node, node_component(node)->bind, "bind");

	if (!err)
		node->state = NODE_BOUND;
	return err;
}

/* Only where --stats asks for it: measuring may slow down what is measured. */
static void node_cost(struct node *node)
{
	if (!node->measured || !node_component(node)->cost)
		return;
	memset(&node->cost, 0, sizeof(node->cost));
	node->cost.size = sizeof(node->cost);
	node_component(node)->cost(&node->ctx, &node->cost);
}

int node_start(struct node *node)
{
	int err;

	node->state = NODE_STARTED;
	err = node_call_plain(node, node_component(node)->start, "start");
	node->measured = !err && node->graph->pipeline->run.stats;
	node_cost(node);
	return err;
}

int node_drain(struct node *node, uint64_t deadline)
{
	struct node_call call;
	int err;

	if (!node_component(node)->drain)
		return 0;
	node_enter(node, &call);
	err = node_component(node)->drain(&node->ctx, deadline);
	node_leave(node, &call);
	return err < 0 ? err : 0;
}

void node_stop(struct node *node)
{
	struct node_call call;

	if (node->state != NODE_STARTED)
		return;
	node->state = NODE_STOPPED;
	node_cost(node);
	if (!node_component(node)->stop)
		return;
	node_enter(node, &call);
	node_component(node)->stop(&node->ctx);
	node_leave(node, &call);
}
