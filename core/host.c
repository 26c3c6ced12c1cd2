/* SPDX-License-Identifier: BSD-2-Clause */
/* The host's vtable: what a component may ask of weir. Batches: host_batch.c; outputs: host_writer.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host_parts.h"
#include "log.h"
#include "names.h"
#include "schema.h"
#include "writer.h"

#define WALL_REFRESH_NS 1000000000u

static void WEIR_PRINTF(3, 0)
	host_log(struct weir_ctx *ctx, int level, const char *format, va_list args)
{
	const struct node *node = node_of(ctx);
	const struct pipeline *pipeline = node->graph->pipeline;

	if (pipeline && level == WEIR_LOG_INFO && pipeline->run.quiet)
		return;
	if (level >= WEIR_LOG_DEBUG && !(pipeline && pipeline->run.verbose))
		return;
	log_vline(node->name, format, args);
}

static int WEIR_PRINTF(3, 0)
	host_fail(struct weir_ctx *ctx, int error, const char *format, va_list args)
{
	return node_fail(node_of(ctx), error, format, args);
}

/* The place of an option in the user's YAML; false: there is none to point to now. */
static bool host_option_place(const struct node *node, const char *path, struct place *place)
{
	if (!node->graph->diag || !node->written)
		return false;
	*place = option_place(node->written->options, path, &node->written->place);
	return true;
}

int host_fail_option(struct weir_ctx *ctx, const char *path, int error, const char *format,
		     va_list args)
{
	struct node *node = node_of(ctx);
	char reason[NODE_TEXT_SIZE], title[NODE_TEXT_SIZE];
	struct place place;

	node_fail(node, error, format, args);
	node->option_error = error;
	pthread_mutex_lock(&node->lock);
	snprintf(reason, sizeof(reason), "%s", node->reason);
	snprintf(node->reason, sizeof(node->reason), "option \"%.40s\": %.*s", path,
		 NODE_TEXT_SIZE - 64, reason);
	pthread_mutex_unlock(&node->lock);
	if (host_option_place(node, path, &place)) {
		node_title(node, title, sizeof(title));
		diag_error(node->graph->diag, &place, "%s: option \"%s\": %s", title, path, reason);
		node->broken = true;
	}
	return error < 0 ? error : -EINVAL;
}

static void host_need(struct weir_ctx *ctx, const struct weir_need *need)
{
	const struct node *node = node_of(ctx);
	struct weir_need copy = { 0 };
	size_t size = need->size < sizeof(copy) ? need->size : sizeof(copy);

	if (!node->need_seen)
		return;
	memcpy(&copy, need, size);
	copy.size = sizeof(copy);
	copy.found = copy.found ? copy.found : "";
	copy.effect = copy.effect ? copy.effect : "";
	copy.cure = copy.cure ? copy.cure : "";
	node->need_seen(node_component(node), &copy, node->need_arg);
}

static void host_lost(struct weir_ctx *ctx, const char *reason, uint64_t n, const char *cure)
{
	if (n)
		ledger_add(&node_of(ctx)->ledger, reason, n, cure);
}

static uint64_t host_now(struct weir_ctx *ctx)
{
	(void)ctx;
	return loop_now();
}

/* CLOCK_REALTIME may be set while weir runs: its distance is taken anew each second. */
static uint64_t host_wall(struct weir_ctx *ctx, uint64_t monotonic)
{
	struct graph *graph = node_of(ctx)->graph;
	uint64_t now = loop_now();
	struct timespec wall;
	long long offset;

	if (now - atomic_load(&graph->wall_sampled) > WALL_REFRESH_NS) {
		clock_gettime(CLOCK_REALTIME, &wall);
		offset = (long long)wall.tv_sec * 1000000000 + wall.tv_nsec - (long long)now;
		atomic_store(&graph->wall_offset, offset);
		atomic_store(&graph->wall_sampled, now);
	}
	return monotonic + (uint64_t)atomic_load(&graph->wall_offset);
}

static int host_ending(struct weir_ctx *ctx)
{
	struct node *node = node_of(ctx);

	if (node_component(node)->kind == WEIR_SINK)
		return atomic_load(&node->hurry);
	return atomic_load(&node->graph->ending);
}

static const struct weir_input *host_input(struct weir_ctx *ctx, uint32_t i)
{
	const struct node *node = node_of(ctx);

	return i < ctx->input_count ? &node->inputs[i]->seen : NULL;
}

static const struct weir_field *host_want(struct weir_ctx *ctx, uint32_t i,
					  const struct weir_want *want, const char *option)
{
	struct node *node = node_of(ctx);
	const struct weir_field *field;
	struct place place;

	if (i >= ctx->input_count || !node->graph->diag)
		return NULL;
	switch (schema_want(node->inputs[i]->seen.schema, want, &field)) {
	case SCHEMA_FITS:
		return field;
	case SCHEMA_GOES_WITHOUT:
		return NULL;
	case SCHEMA_LACKS:
	case SCHEMA_DIFFERS:
		break;
	}
	place = node->inputs[i]->written->place;
	if (option)
		host_option_place(node, option, &place);
	node_report_want(node, i, want, &place);
	return NULL;
}

static int host_declare(struct weir_ctx *ctx, uint32_t output, const struct weir_schema *schema)
{
	struct node *node = node_of(ctx);

	return node->graph->diag ? node_declare(node, output, schema) : -EBUSY;
}

static int host_service(struct weir_ctx *ctx, const char *name, uint32_t version,
			struct weir_service *service)
{
	return service_get(node_of(ctx), name, version, service);
}

static int host_service_at(struct weir_ctx *ctx, const char *name, uint32_t version, uint32_t i,
			   struct weir_service *service, const char **provider)
{
	return service_get_at(node_of(ctx), name, version, i, service, provider);
}

static int host_every(struct weir_ctx *ctx, uint64_t period_ns)
{
	struct node *node = node_of(ctx);

	if (!node->graph->loop)
		return -EBUSY;
	if (!node->written || node->thread)
		return -ENOTSUP;
	loop_timer_set(&node->tick, period_ns ? loop_now() + period_ns : 0, period_ns);
	return 0;
}

static void host_ready(void *owner, void *arg, int fd, uint32_t events)
{
	struct node *node = owner;
	weir_ready_fn *ready = *(weir_ready_fn **)&arg;
	struct node_call call;
	int err;

	node_enter(node, &call);
	err = ready(&node->ctx, fd, events);
	node_leave(node, &call);
	if (err < 0)
		node_failed(node, "read", err);
}

static int host_watch(struct weir_ctx *ctx, int fd, uint32_t events, weir_ready_fn *ready)
{
	struct node *node = node_of(ctx);

	if (!node->graph->loop)
		return -EBUSY;
	if (node->thread)
		return -ENOTSUP;
	return loop_watch(node->graph->loop, fd, events, host_ready, node, *(void **)&ready);
}

static void host_finished(struct weir_ctx *ctx)
{
	struct node *node = node_of(ctx);

	node->finished = true;
	if (node->graph->loop)
		loop_forget(node->graph->loop, node);
}

struct host_loss_seen {
	const char *node;
	weir_loss_fn *seen;
	void *arg;
};

static void host_loss(const struct ledger_item *item, void *arg)
{
	const struct host_loss_seen *to = arg;
	const struct weir_loss loss = { .size = sizeof(loss),
					.n = item->n,
					.node = to->node,
					.reason = item->reason,
					.cure = item->cure };

	to->seen(&loss, to->arg);
}

static void host_losses(struct weir_ctx *ctx, weir_loss_fn *seen, void *arg)
{
	const struct graph *graph = node_of(ctx)->graph;
	struct host_loss_seen to = { NULL, seen, arg };

	for (uint32_t i = 0; i < graph->provider_count; i++) {
		to.node = graph->providers[i]->name;
		ledger_each(&graph->providers[i]->ledger, host_loss, &to);
	}
	for (uint32_t i = 0; i < graph->node_count; i++) {
		to.node = graph->nodes[i]->name;
		ledger_each(&graph->nodes[i]->ledger, host_loss, &to);
	}
}

static int host_command_again(struct weir_ctx *ctx)
{
	int err = graph_command_again(node_of(ctx)->graph);

	return err ? weir_fail(ctx, err, "the command once more") : 0;
}

static struct weir_names *host_names_new(struct weir_ctx *ctx)
{
	(void)ctx;
	return names_new();
}

const struct weir_host host_calls = {
	.size = sizeof(struct weir_host),
	.abi_major = WEIR_ABI_MAJOR,
	.abi_minor = WEIR_ABI_MINOR,
	.log = host_log,
	.fail = host_fail,
	.fail_option = host_fail_option,
	.need = host_need,
	.lost = host_lost,
	.now = host_now,
	.wall = host_wall,
	.ending = host_ending,
	.input = host_input,
	.want = host_want,
	.declare = host_declare,
	.service = host_service,
	.every = host_every,
	.watch = host_watch,
	.loan = host_loan,
	.reserve = host_reserve,
	.commit = host_commit,
	.discard = host_discard,
	.names_new = host_names_new,
	.names_release = names_release,
	.names_intern = names_intern,
	.names_text = names_text,
	.names_bytes = names_bytes,
	.expr_compile = host_expr_compile,
	.expr_type = expr_type,
	.expr_eval = expr_eval,
	.expr_free = expr_free,
	.writer_open = host_writer_open,
	.writer_write = writer_write,
	.writer_flush = writer_flush,
	.writer_close = writer_close,
	.writer_columns = writer_columns,
	.writer_patch = writer_patch,
	.service_at = host_service_at,
	.tree_text = host_tree_text,
	.writer_color = writer_color,
	.finished = host_finished,
	.expr_unit = expr_unit,
	.tree_read = host_tree_read,
	.tree_look = host_tree_look,
	.tree_item = host_tree_item,
	.tree_fail = host_tree_fail,
	.tree_expr = host_tree_expr,
	.losses = host_losses,
	.names_hold = names_hold,
	.writer_rows = writer_rows,
	.command_again = host_command_again,
};
