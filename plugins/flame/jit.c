/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform flame.jit: names code that was made at run time, from what its process has told of it:
 * a jitdump or a perf map.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jit_names.h"
#include "remap.h"

#define JIT_NAMES_KEPT ((size_t)16 << 20) /* bytes of names after which a new table is begun */

struct jit_conf {
	uint64_t hold;
	bool merge_tiers;
};

static const struct weir_option jit_options[] = {
	WEIR_OPT_SIZE(struct jit_conf, hold, "16MiB", 0, 1 << 30,
		      "rows with code that has no name yet wait for one until the end, up to this "
		      "size; 0: none waits"),
	WEIR_OPT_BOOL(struct jit_conf, merge_tiers, "false",
		      "leave out V8's marks for how far a function was compiled"),
};

/* A batch whose rows wait for names. */
struct jit_held {
	struct weir_batch *batch;
	struct jit_held *next;
};

struct jit_state {
	const struct weir_schema *schema;
	struct jit_names jit;
	struct remap remap;
	struct jit_held *held;
	struct jit_held **held_end;
	uint64_t held_bytes;
};

static const struct weir_want jit_wants[] = {
	{ "stack", WEIR_TYPE_STACK, 0, NULL, 0, 0 },
	{ "pid", WEIR_TYPE_UINT, 0, NULL, WEIR_OPTIONAL, 0 },
	{ "time", WEIR_TYPE_TIME, 0, NULL, WEIR_OPTIONAL, 0 },
};
static const struct weir_slot jit_inputs[] = {
	{ "stacks", "rows with a stack, as flame.symbolize has named them", WEIR_TABLE(jit_wants),
	  0, 0 },
};
static const struct weir_output jit_outputs[] = {
	{ "stacks", "the same rows, with more names", NULL, WEIR_SAME_AS_INPUT, 0 },
};

static int jit_bind(struct weir_ctx *ctx)
{
	const struct jit_conf *conf = ctx->options;
	struct jit_state *state = ctx->state;

	state->held_end = &state->held;
	state->jit.merge_tiers = conf->merge_tiers;
	state->schema = weir_input(ctx, 0)->schema;
	state->jit.stack = weir_find(state->schema, "stack");
	state->jit.pid = weir_find(state->schema, "pid");
	state->jit.time = weir_find(state->schema, "time");
	if (state->jit.stack->item_size != sizeof(struct weir_frame))
		return weir_fail(ctx, -EINVAL, "column stack has frames of %u bytes",
				 state->jit.stack->item_size);
	state->jit.names = ctx->host->names_new(ctx);
	return state->jit.names ? 0 : weir_fail(ctx, -ENOMEM, "names");
}

static int jit_start(struct weir_ctx *ctx)
{
	struct jit_state *state = ctx->state;

	if (!state->jit.pid)
		return 0;
	return weir_service(ctx, WEIR_PROCESS_SERVICE, WEIR_PROCESS_VERSION, &state->jit.process);
}

static int jit_send(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct jit_state *state = ctx->state;

	jit_names_count(&state->jit, batch);
	return weir_commit(ctx, batch);
}

static uint64_t jit_batch_bytes(const struct weir_batch *batch)
{
	return (uint64_t)batch->row_capacity * batch->row_size + batch->arena_capacity;
}

/* Sends the batch that has waited longest, with the names that there are now. */
static int jit_release(struct weir_ctx *ctx)
{
	struct jit_state *state = ctx->state;
	struct jit_held *held = state->held;
	int nameless = jit_names_fill(ctx, &state->jit, held->batch);

	state->held = held->next;
	if (!state->held)
		state->held_end = &state->held;
	state->held_bytes -= jit_batch_bytes(held->batch);
	if (nameless >= 0)
		nameless = jit_send(ctx, held->batch);
	else
		weir_discard(ctx, held->batch);
	free(held);
	return nameless;
}

static int jit_release_all(struct weir_ctx *ctx, uint64_t bytes_left)
{
	struct jit_state *state = ctx->state;
	int err = 0;

	while (state->held && state->held_bytes > bytes_left && !err)
		err = jit_release(ctx);
	return err;
}

static int jit_hold(struct weir_ctx *ctx, struct weir_batch *batch)
{
	const struct jit_conf *conf = ctx->options;
	struct jit_state *state = ctx->state;
	struct jit_held *held = conf->hold ? calloc(1, sizeof(*held)) : NULL;

	if (!held)
		return jit_send(ctx, batch);
	held->batch = batch;
	*state->held_end = held;
	state->held_end = &held->next;
	state->held_bytes += jit_batch_bytes(batch);
	return jit_release_all(ctx, conf->hold);
}

/* A new table of names where the old one has grown too large; who waits for a name has the old. */
static int jit_renew_names(struct weir_ctx *ctx)
{
	struct jit_state *state = ctx->state;
	int err;

	if (ctx->host->names_bytes(state->jit.names) <= JIT_NAMES_KEPT)
		return 0;
	err = jit_release_all(ctx, 0);
	ctx->host->names_release(state->jit.names);
	state->jit.names = ctx->host->names_new(ctx);
	return state->jit.names ? err : weir_fail(ctx, -ENOMEM, "names");
}

static int jit_take(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct jit_state *state = ctx->state;
	int nameless;

	jit_names_renew(&state->jit);
	nameless = jit_names_fill(ctx, &state->jit, batch);
	if (nameless < 0) {
		weir_discard(ctx, batch);
		return nameless;
	}
	return nameless ? jit_hold(ctx, batch) : jit_send(ctx, batch);
}

static int jit_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct jit_state *state = ctx->state;
	struct weir_batch *out;
	int err = jit_renew_names(ctx);

	(void)input;
	if (err)
		return err;
	out = remap_copy(ctx, 0, batch);
	if (!out) {
		weir_lost(ctx, "no room for named rows", batch->row_count, NULL);
		return 0;
	}
	state->remap.names = state->jit.names;
	err = remap_names(ctx, &state->remap, state->schema, batch, out);
	if (!err)
		return jit_take(ctx, out);
	weir_discard(ctx, out);
	return weir_fail(ctx, err, "names of a batch");
}

static int jit_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct jit_state *state = ctx->state;
	int err;

	(void)deadline;
	jit_names_renew(&state->jit);
	err = jit_release_all(ctx, 0);
	if (!err)
		jit_names_say(ctx, &state->jit);
	return err;
}

static void jit_destroy(struct weir_ctx *ctx)
{
	struct jit_state *state = ctx->state;

	while (state->held) {
		struct jit_held *next = state->held->next;

		weir_discard(ctx, state->held->batch);
		free(state->held);
		state->held = next;
	}
	jit_names_clear(&state->jit);
	intmap_clear(&state->remap.ids);
	ctx->host->names_release(state->jit.names);
}

WEIR_COMPONENT(
	"flame.jit", WEIR_TRANSFORM, .summary = "names code that was made at run time",
	.doc = "Behind flame.symbolize. A process that makes code tells of it in a jitdump, which "
	       "it\n"
	       "maps and which has times, or in a perf map, /tmp/perf-PID.map, looked for below "
	       "the\n"
	       "process's own root and by the pid that it has for itself. Of two that tell of the\n"
	       "same address the later one has it. A file is read only when it belongs to the\n"
	       "process's user or to root, is no link, and was written since the process began;\n"
	       "never does it rename code that comes from a file.\n"
	       "\n"
	       "Rows whose code has no name yet wait for one until the end, since some run times\n"
	       "write their map only then.",
	.options_size = sizeof(struct jit_conf), .state_size = sizeof(struct jit_state),
	.options = WEIR_TABLE(jit_options), .outputs = WEIR_TABLE(jit_outputs),
	.inputs = WEIR_TABLE(jit_inputs), .bind = jit_bind, .start = jit_start, .push = jit_push,
	.drain = jit_drain, .destroy = jit_destroy);
