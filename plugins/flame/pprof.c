/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink flame.pprof: a profile as pprof reads it, gzipped. Equal stacks are one sample. */
#include <stdlib.h>

#include "gzip.h"
#include "pprof.h"
#include "pprof_parts.h"
#include "value_type.h"

struct pprof_conf {
	const char *path;
};

static const struct weir_option pprof_options[] = {
	WEIR_OPT_TEXT(struct pprof_conf, path, "", "file to write; what -o says, else stdout"),
};

/* What a stack stands on: labels of its sample. */
struct pprof_root {
	uint32_t comm; /* strings */
	uint32_t pid;  /* this and the next two: WEIR_ABSENT_U32 where not known */
	uint32_t tid;
	uint32_t cpu;
};

/* The profile's tree has locations for names; below its root stand struct pprof_root. */
struct pprof_state {
	struct profile profile;
	struct pprof_parts parts;
	struct pprof_set roots;
	struct value_type type; /* of weights */
	uint32_t *stack;        /* locations of the row at hand */
	uint32_t stack_capacity;
	struct gzip gzip;
};

static const struct weir_want pprof_wants[] = { PROFILE_WANTS };
static const struct weir_slot pprof_inputs[] = {
	{ "stacks", "rows with a stack", WEIR_TABLE(pprof_wants), 0, 0 },
};
static const struct weir_format pprof_formats[] = { { "pprof", ".pb.gz" }, { "pprof", ".pprof" } };

static int pprof_bind(struct weir_ctx *ctx)
{
	struct pprof_state *state = ctx->state;
	int err = profile_bind(ctx, &state->profile, PROFILE_BY_LABEL);

	if (!err)
		err = pprof_parts_init(ctx, &state->parts);
	if (err)
		return err;
	value_type_bind(ctx, &state->type);
	state->roots.names = ctx->host->names_new(ctx);
	return state->roots.names ? 0 : weir_fail(ctx, -ENOMEM, "names");
}

static int pprof_start(struct weir_ctx *ctx)
{
	const struct pprof_conf *conf = ctx->options;
	struct pprof_state *state = ctx->state;

	return gzip_open(ctx, &state->gzip, conf->path);
}

/* The node of what the row's stack stands on. 0: no memory. */
static uint32_t pprof_root(struct weir_ctx *ctx, const struct profile_row *row)
{
	struct pprof_state *state = ctx->state;
	struct pprof_root root = { 0, row->pid, row->tid, row->cpu };
	uint32_t number;

	if (row->comm_length) {
		root.comm = pprof_string(ctx, &state->parts, row->comm, row->comm_length);
		if (!root.comm)
			return 0;
	}
	number = ctx->host->names_intern(state->roots.names, (const char *)&root, sizeof(root));
	return number ? calltree_child(&state->profile.tree, 0, number, PROFILE_ROOT) : 0;
}

/* The row's locations, leaf first; -ENOMEM, or their number. */
static int pprof_locations(struct weir_ctx *ctx, const struct weir_batch *batch,
			   const struct profile_row *row)
{
	static const char truncated[] = "[truncated]";
	struct pprof_state *state = ctx->state;
	struct pprof_run run = { row->frames, row->frame_count };
	int count = 0;

	/* Room for one more: where the walk ended. */
	if (row->frame_count >= state->stack_capacity) {
		uint32_t capacity = row->frame_count + 256;
		uint32_t *stack = reallocarray(state->stack, capacity, sizeof(*stack));

		if (!stack)
			return -ENOMEM;
		state->stack = stack;
		state->stack_capacity = capacity;
	}
	for (; run.count; count++) {
		state->stack[count] =
			pprof_location(ctx, &state->parts, &state->profile, batch, &run);
		if (!state->stack[count])
			return -ENOMEM;
	}
	if (count && run.frames[-1].flags & WEIR_FRAME_TRUNCATED) {
		state->stack[count] =
			pprof_location_named(ctx, &state->parts, truncated, sizeof(truncated) - 1);
		if (!state->stack[count++])
			return -ENOMEM;
	}
	return count;
}

static int pprof_add(struct weir_ctx *ctx, const struct weir_batch *batch,
		     const struct profile_row *row)
{
	struct pprof_state *state = ctx->state;
	struct calltree *tree = &state->profile.tree;
	uint32_t node = pprof_root(ctx, row);
	int count = pprof_locations(ctx, batch, row);

	while (node && count > 0)
		node = calltree_child(tree, node, state->stack[--count], 0);
	if (!node || count < 0)
		return weir_fail(ctx, -ENOMEM, "%u locations", state->parts.locations.last);
	state->profile.samples += row->samples;
	return calltree_add(tree, node, row->weight, row->samples)
		       ? weir_fail(ctx, -ENOMEM, "weights of %u nodes", tree->count)
		       : 0;
}

static int pprof_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct pprof_state *state = ctx->state;
	struct profile_row row;
	uint32_t i;
	int err = 0;

	(void)input;
	profile_begin(ctx, &state->profile, batch);
	value_type_note(ctx, &state->type, batch);
	for (i = 0; i < batch->row_count && !err; i++) {
		profile_input_row(ctx, &state->profile.input, batch, i, &row);
		err = pprof_add(ctx, batch, &row);
	}
	return err;
}

static int pprof_write(struct weir_ctx *ctx, const struct wire *message)
{
	struct pprof_state *state = ctx->state;

	return gzip_write(&state->gzip, message->bytes, message->used);
}

static uint32_t pprof_word(struct weir_ctx *ctx, const char *word)
{
	struct pprof_state *state = ctx->state;

	return pprof_string(ctx, &state->parts, word, strlen(word));
}

static void pprof_add_type(struct weir_ctx *ctx, const char *type, const char *unit,
			   struct wire *message)
{
	struct wire part = { 0 };

	wire_number(&part, PPROF_TYPE_TYPE, pprof_word(ctx, type));
	wire_number(&part, PPROF_TYPE_UNIT, pprof_word(ctx, unit));
	wire_message(message, PPROF_SAMPLE_TYPE, &part);
	wire_clear(&part);
}

/* What values are, and how long was measured. */
static int pprof_write_head(struct weir_ctx *ctx)
{
	struct pprof_state *state = ctx->state;
	const struct profile *profile = &state->profile;
	struct wire message = { 0 };
	int err;

	pprof_add_type(ctx, "samples", "count", &message);
	if (profile->has_weight)
		pprof_add_type(ctx, state->type.name, value_type_unit(&state->type), &message);
	wire_number(&message, PPROF_DEFAULT_TYPE,
		    pprof_word(ctx, profile->has_weight ? state->type.name : "samples"));
	wire_number(&message, PPROF_DURATION, profile->end - profile->start);
	err = message.failed ? -ENOMEM : pprof_write(ctx, &message);
	wire_clear(&message);
	return err;
}

static void pprof_add_label(struct weir_ctx *ctx, const char *key, uint32_t text, uint32_t number,
			    struct wire *sample)
{
	struct wire part = { 0 };

	if (!text && number == WEIR_ABSENT_U32)
		return;
	wire_number(&part, PPROF_LABEL_KEY, pprof_word(ctx, key));
	wire_number(&part, PPROF_LABEL_TEXT, text);
	if (!text)
		wire_number(&part, PPROF_LABEL_NUMBER, number);
	wire_message(sample, PPROF_SAMPLE_LABEL, &part);
	wire_clear(&part);
}

static void pprof_add_labels(struct weir_ctx *ctx, uint32_t number, struct wire *sample)
{
	struct pprof_state *state = ctx->state;
	struct pprof_root root;

	memcpy(&root, ctx->host->names_text(state->roots.names, number, NULL), sizeof(root));
	pprof_add_label(ctx, "comm", root.comm, WEIR_ABSENT_U32, sample);
	pprof_add_label(ctx, "pid", 0, root.pid, sample);
	pprof_add_label(ctx, "tid", 0, root.tid, sample);
	pprof_add_label(ctx, "cpu", 0, root.cpu, sample);
}

/* The sample of a node that has a weight of its own. */
static void pprof_sample(struct weir_ctx *ctx, uint32_t node, struct wire *sample,
			 struct wire *list)
{
	struct pprof_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	const struct calltree_node *nodes = tree->nodes;
	uint32_t at;

	for (at = node; nodes[at].parent; at = nodes[at].parent)
		wire_item(list, calltree_name(tree, at));
	wire_message(sample, PPROF_SAMPLE_LOCATION, list);
	wire_item(list, calltree_samples(tree, node));
	if (state->profile.has_weight)
		wire_item(list, nodes[node].weight);
	wire_message(sample, PPROF_SAMPLE_VALUE, list);
	pprof_add_labels(ctx, calltree_name(tree, at), sample);
}

static int pprof_write_samples(struct weir_ctx *ctx)
{
	struct pprof_state *state = ctx->state;
	const struct calltree *tree = &state->profile.tree;
	struct wire message = { 0 }, sample = { 0 }, list = { 0 };
	uint32_t node;
	int err = 0;

	for (node = 1; node < tree->count && !err; node++) {
		if (!tree->nodes[node].weight && !calltree_samples(tree, node))
			continue;
		pprof_sample(ctx, node, &sample, &list);
		wire_message(&message, PPROF_SAMPLE, &sample);
		err = message.failed ? -ENOMEM : pprof_write(ctx, &message);
		message.used = 0;
	}
	wire_clear(&message);
	wire_clear(&sample);
	wire_clear(&list);
	return err;
}

static int pprof_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct pprof_state *state = ctx->state;
	int err;

	(void)deadline;
	if (state->profile.samples == 0)
		weir_log(ctx, WEIR_LOG_WARNING, "no samples: the profile is empty");
	err = pprof_write_head(ctx);
	if (!err)
		err = pprof_write_samples(ctx);
	if (!err)
		err = pprof_parts_write(ctx, &state->parts, pprof_write);
	if (!err)
		err = gzip_close(&state->gzip, true);
	return err ? weir_fail(ctx, err, "writing the profile") : 0;
}

/* What drain did not finish is thrown away. */
static void pprof_stop(struct weir_ctx *ctx)
{
	struct pprof_state *state = ctx->state;

	gzip_close(&state->gzip, false);
}

static void pprof_destroy(struct weir_ctx *ctx)
{
	struct pprof_state *state = ctx->state;

	profile_clear(ctx, &state->profile);
	pprof_parts_clear(ctx, &state->parts);
	ctx->host->names_release(state->roots.names);
	free(state->stack);
}

WEIR_COMPONENT(
	"flame.pprof", WEIR_SINK, .summary = "writes stacks as a pprof profile",
	.doc = "profile.proto, gzipped, as go tool pprof and others read it. Values are the number "
	       "of\nsamples and their weight, in the unit of the input. Command, process, thread "
	       "and CPU are\nlabels of the samples. Inlined frames belong to the location of what "
	       "they are inlined into.",
	.flags = WEIR_BLOCKS, .options_size = sizeof(struct pprof_conf),
	.state_size = sizeof(struct pprof_state), .options = WEIR_TABLE(pprof_options),
	.inputs = WEIR_TABLE(pprof_inputs), .formats = WEIR_TABLE(pprof_formats),
	.bind = pprof_bind, .start = pprof_start, .push = pprof_push, .drain = pprof_drain,
	.stop = pprof_stop, .destroy = pprof_destroy);
