/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sink flame.speedscope: a profile as speedscope reads it: a sampled profile for each thread, or
 * whatever else stacks stand on, with its samples in order of time.
 */
#include <inttypes.h>
#include <stdlib.h>

#include <weir/json_text.h>

#include "moments.h"
#include "value_type.h"
#include "writing.h"

struct speedscope_conf {
	const char *path;
	const char *title;
};

static const struct weir_option speedscope_options[] = {
	WEIR_OPT_TEXT(struct speedscope_conf, path, "", "file to write; what -o says, else stdout"),
	WEIR_OPT_TEXT(struct speedscope_conf, title, "", "name of the whole; empty: none"),
};

struct speedscope_state {
	struct profile profile; /* nodes' tags are objects: "file" of a frame */
	struct moments moments; /* parts are nodes that stacks stand on */
	struct value_type type;
	struct intmap frames; /* (name, tag) to place + 1 */
	uint32_t frame_count;
	uint32_t *stack; /* nodes of the sample at hand */
	uint32_t stack_capacity;
	struct writing out;
};

static const struct weir_want speedscope_wants[] = { PROFILE_WANTS };
static const struct weir_slot speedscope_inputs[] = {
	{ "stacks", "rows with a stack", WEIR_TABLE(speedscope_wants), 0, 0 },
};
static const struct weir_format speedscope_formats[] = { { "speedscope", ".speedscope.json" } };

static int speedscope_bind(struct weir_ctx *ctx)
{
	struct speedscope_state *state = ctx->state;

	int err = profile_bind(ctx, &state->profile, PROFILE_BY_OBJECT);

	value_type_bind(ctx, &state->type);
	/* A thread goes from CPU to CPU: it is one profile. */
	state->profile.input.cpu = NULL;
	return err;
}

static int speedscope_start(struct weir_ctx *ctx)
{
	const struct speedscope_conf *conf = ctx->options;
	struct speedscope_state *state = ctx->state;

	return writing_open(ctx, &state->out, conf->path);
}

static int speedscope_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct speedscope_state *state = ctx->state;

	(void)input;
	value_type_note(ctx, &state->type, batch);
	return moments_push(ctx, &state->moments, &state->profile, batch);
}

static void speedscope_text(struct weir_ctx *ctx, const char *text, size_t length)
{
	struct speedscope_state *state = ctx->state;
	char escaped[WEIR_JSON_MAX];
	size_t at, taken;

	writing_bytes(&state->out, "\"", 1);
	for (at = 0; at < length; at += taken)
		writing_bytes(&state->out, escaped,
			      weir_json_next(text + at, length - at, escaped, &taken));
	writing_bytes(&state->out, "\"", 1);
}

static void speedscope_name(struct weir_ctx *ctx, uint32_t id)
{
	struct speedscope_state *state = ctx->state;
	uint32_t length;
	const char *text = profile_text(ctx, &state->profile, id, &length);

	speedscope_text(ctx, text, length);
}

/* Writes the frames and gives them their places. */
static void speedscope_frames(struct weir_ctx *ctx)
{
	struct speedscope_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	uint32_t i;

	writing_print(&state->out, "\"shared\":{\"frames\":[");
	for (i = 1; i < tree->count && !state->out.err; i++) {
		uint32_t name = calltree_name(tree, i), tag = calltree_tag(tree, i);

		if (intmap_get(&state->frames, name, tag))
			continue;
		state->out.err = intmap_add(&state->frames, name, tag, ++state->frame_count);
		writing_print(&state->out, "%s\n{\"name\":", state->frame_count > 1 ? "," : "");
		speedscope_name(ctx, name);
		if (tag && !(tag & PROFILE_ROOT)) {
			writing_print(&state->out, ",\"file\":");
			speedscope_name(ctx, tag);
		}
		writing_print(&state->out, "}");
	}
	writing_print(&state->out, "]},\n");
}

/* The node that a stack stands on; 0: it stands on none, such as in folded text. */
static uint32_t speedscope_part(const struct calltree *tree, uint32_t node)
{
	while (node && tree->nodes[node].parent)
		node = tree->nodes[node].parent;
	return calltree_tag(tree, node) & PROFILE_ROOT ? node : 0;
}

/* The nodes from `node` up, without what the stack stands on. Their number, or -ENOMEM. */
static int speedscope_lead(struct speedscope_state *state, uint32_t node, uint32_t part)
{
	const struct calltree *tree = &state->profile.tree;
	uint32_t count = 0;

	for (; node != part && node; node = tree->nodes[node].parent) {
		if (count == state->stack_capacity) {
			uint32_t capacity = count * 2 + 256;
			uint32_t *stack = reallocarray(state->stack, capacity, sizeof(*stack));

			if (!stack)
				return -ENOMEM;
			state->stack = stack;
			state->stack_capacity = capacity;
		}
		state->stack[count++] = node;
	}
	return (int)count;
}

/* "[root,...,leaf]" as places of frames. */
static void speedscope_sample(struct weir_ctx *ctx, const struct moment *moment)
{
	struct speedscope_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	int count = speedscope_lead(state, moment->node, moment->part), i;

	if (count < 0)
		state->out.err = count;
	writing_bytes(&state->out, "[", 1);
	for (i = count; i-- > 0;) {
		uint32_t node = state->stack[i];
		uint32_t place = intmap_get(&state->frames, calltree_name(tree, node),
					    calltree_tag(tree, node));

		writing_print(&state->out, "%u%s", place - 1, i ? "," : "");
	}
	writing_bytes(&state->out, "]", 1);
}

/* Samples of one stack that follow upon each other are one. */
static size_t speedscope_merge(struct moment *items, size_t count)
{
	size_t kept = 0, i;

	for (i = 0; i < count; i++) {
		if (kept && items[kept - 1].node == items[i].node)
			items[kept - 1].weight += items[i].weight;
		else
			items[kept++] = items[i];
	}
	return kept;
}

static const char *speedscope_unit(const struct speedscope_state *state)
{
	const char *unit = value_type_unit(&state->type);

	return strcmp(unit, "count") == 0 ? "none" : unit;
}

static void speedscope_profile(struct weir_ctx *ctx, struct moment *items, size_t count)
{
	struct speedscope_state *state = ctx->state;
	uint32_t part = items[0].part;
	uint64_t total = 0;
	size_t i;

	count = speedscope_merge(items, count);
	writing_print(&state->out, "{\"type\":\"sampled\",\"name\":");
	if (part)
		speedscope_name(ctx, calltree_name(&state->profile.tree, part));
	else
		speedscope_text(ctx, "all", 3);
	writing_print(&state->out, ",\"unit\":\"%s\",\"startValue\":0,\n\"samples\":[",
		      speedscope_unit(state));
	for (i = 0; i < count && !state->out.err; i++) {
		writing_bytes(&state->out, i ? ",\n" : "\n", i ? 2 : 1);
		speedscope_sample(ctx, &items[i]);
		total += items[i].weight;
	}
	writing_print(&state->out, "],\n\"weights\":[");
	for (i = 0; i < count && !state->out.err; i++)
		writing_print(&state->out, "%s%" PRIu64, i ? "," : "", items[i].weight);
	writing_print(&state->out, "],\"endValue\":%" PRIu64 "}", total);
}

static void speedscope_profiles(struct weir_ctx *ctx)
{
	struct speedscope_state *state = ctx->state;
	struct moments *moments = &state->moments;
	size_t first, next, i;

	for (i = 0; i < moments->count; i++)
		moments->items[i].part =
			speedscope_part(&state->profile.tree, moments->items[i].node);
	moments_sort(moments);
	writing_print(&state->out, "\"profiles\":[");
	for (first = 0; first < moments->count && !state->out.err; first = next) {
		for (next = first + 1; next < moments->count; next++)
			if (moments->items[next].part != moments->items[first].part)
				break;
		writing_print(&state->out, "%s\n", first ? "," : "");
		speedscope_profile(ctx, &moments->items[first], next - first);
	}
	writing_print(&state->out, "]}\n");
}

static int speedscope_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct speedscope_conf *conf = ctx->options;
	struct speedscope_state *state = ctx->state;

	(void)deadline;
	if (state->profile.samples == 0)
		weir_log(ctx, WEIR_LOG_WARNING, "no samples: the profile is empty");
	writing_print(&state->out,
		      "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
		      "\"exporter\":\"weir\",\"activeProfileIndex\":0,");
	if (conf->title[0]) {
		writing_print(&state->out, "\"name\":");
		speedscope_text(ctx, conf->title, strlen(conf->title));
		writing_print(&state->out, ",");
	}
	speedscope_frames(ctx);
	speedscope_profiles(ctx);
	return writing_close(ctx, &state->out, "the profile");
}

static void speedscope_stop(struct weir_ctx *ctx)
{
	struct speedscope_state *state = ctx->state;

	writing_stop(&state->out);
}

static void speedscope_destroy(struct weir_ctx *ctx)
{
	struct speedscope_state *state = ctx->state;

	profile_clear(ctx, &state->profile);
	moments_clear(&state->moments);
	intmap_clear(&state->frames);
	free(state->stack);
}

WEIR_COMPONENT(
	"flame.speedscope", WEIR_SINK, .summary = "writes stacks as a speedscope profile",
	.doc = "JSON as speedscope.app reads it: for each command, process or thread that stacks "
	       "stand on,\na sampled profile whose samples are in order of time, where rows have "
	       "one. A frame's file is\nits binary.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct speedscope_conf),
	.state_size = sizeof(struct speedscope_state), .options = WEIR_TABLE(speedscope_options),
	.inputs = WEIR_TABLE(speedscope_inputs), .formats = WEIR_TABLE(speedscope_formats),
	.bind = speedscope_bind, .start = speedscope_start, .push = speedscope_push,
	.drain = speedscope_drain, .stop = speedscope_stop, .destroy = speedscope_destroy);
