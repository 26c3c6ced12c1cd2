/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's calls about batches: who may have one, and what becomes of it. */
#include <errno.h>
#include <stdarg.h>

#include "host_parts.h"

/* A source that finds no room is left alone until there is some. In the drain nothing waits. */
static bool host_hold_up(struct node *node)
{
	struct graph *graph = node->graph;

	if (node_component(node)->kind != WEIR_SOURCE || graph->phase > GRAPH_RUNNING ||
	    flow_has_room(node))
		return false;
	node->held = true;
	loop_hold(graph->loop, node, true);
	return true;
}

struct weir_batch *host_loan(struct weir_ctx *ctx, uint32_t output, uint32_t rows,
			     uint32_t arena_bytes)
{
	struct node *node = node_of(ctx);
	struct batch *batch;

	/* Who reads may have ended with the drain: nothing would come of a later batch. */
	if (node->state != NODE_STARTED || output >= node_component(node)->outputs.count ||
	    !node->outputs[output].schema || host_hold_up(node))
		return NULL;
	batch = batch_new(node->outputs[output].schema->row_size, rows, arena_bytes);
	if (!batch)
		return NULL;
	batch->output = output;
	return &batch->seen;
}

int host_reserve(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
		 uint32_t arena_bytes)
{
	(void)ctx;
	return batch_reserve(batch_of(batch), rows, arena_bytes);
}

/* `--count` of sources that do not tick: the rows until then, exactly. */
static void host_cut(const struct node *node, struct weir_batch *batch)
{
	uint64_t count = node->graph->pipeline->run.count;

	if (!count || node_component(node)->kind != WEIR_SOURCE || node->tick.period)
		return;
	if (node->work.rows_out >= count)
		batch->row_count = 0;
	else if (batch->row_count > count - node->work.rows_out)
		batch->row_count = (uint32_t)(count - node->work.rows_out);
}

static int WEIR_PRINTF(3, 4) batch_fail(struct weir_ctx *ctx, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err = node_fail(node_of(ctx), err, format, args);
	va_end(args);
	return err;
}

int host_commit(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct node *node = node_of(ctx);
	int err;

	host_cut(node, batch);
	err = flow_commit(node, batch_of(batch));
	if (err == 0)
		return 0;
	batch_release(batch_of(batch));
	return batch_fail(ctx, err, "commit of a batch whose counts exceed its memory");
}

void host_discard(struct weir_ctx *ctx, struct weir_batch *batch)
{
	(void)ctx;
	if (batch)
		batch_release(batch_of(batch));
}
