/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform flame.fold: merges equal stacks. Two stacks are equal when their frames have the same
 * functions, whatever the addresses in them; frames without a function are equal by their object; and
 * where lines are wanted, they have the same ones.
 */
#include <stdlib.h>

#include "fold_set.h"
#include "intmap.h"
#include "profile_input.h"

enum fold_by { FOLD_COMM = 1, FOLD_PID = 2, FOLD_TID = 4, FOLD_CPU = 8 };

enum {
	FOLD_ROWS = 1024,     /* of a batch */
	FOLD_ARENA = 4 << 20, /* bytes of a batch's frames: it ends with the row that passes them */
	FOLD_NAMES_MAX = 16 << 20 /* bytes of names after which a new table is begun */
};

#define FOLD_FLAGS                                                                                 \
	(WEIR_FRAME_KERNEL | WEIR_FRAME_INLINED | WEIR_FRAME_JIT | WEIR_FRAME_TRUNCATED |          \
	 WEIR_FRAME_SCRIPT | WEIR_FRAME_LINE)

enum { FOLD_FLAG_BITS = 8 }; /* in keys: the line's number is above them */
_Static_assert(FOLD_FLAGS < 1u << FOLD_FLAG_BITS, "flags are in the way of line numbers");

struct fold_conf {
	uint64_t interval;
	uint32_t by;
	uint32_t max_stacks;
};

static const struct weir_option fold_options[] = {
	WEIR_OPT_CHOICES(struct fold_conf, by, "comm", "comm pid tid cpu",
			 "what is kept apart below equal stacks"),
	WEIR_OPT_DURATION(struct fold_conf, interval, "0s", 0, 24 * WEIR_HOUR,
			  "send what was folded so often; 0: once, at the end"),
	WEIR_OPT_UINT(struct fold_conf, max_stacks, "1000000", 1, 100000000,
		      "different stacks to keep; the weight of further ones goes to [lost stack]"),
};

struct fold_row {
	struct weir_name comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	struct weir_stack_ref stack;
	uint64_t weight;
	uint64_t samples;
};

enum { FOLD_FIELD_WEIGHT = 5 };

static const struct weir_field fold_fields[] = {
	WEIR_FIELD(struct fold_row, comm, WEIR_NONE, WEIR_KEY, "command"),
	WEIR_FIELD_WITH(struct fold_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"process, if asked for"),
	WEIR_FIELD_WITH(struct fold_row, tid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"thread, if asked for"),
	WEIR_FIELD_WITH(struct fold_row, cpu, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"CPU, if asked for"),
	WEIR_FIELD(struct fold_row, stack, WEIR_NONE, WEIR_KEY, "functions, leaf first"),
	WEIR_FIELD(struct fold_row, weight, WEIR_NONE, WEIR_DELTA, "sum of the samples' weights"),
	WEIR_FIELD(struct fold_row, samples, WEIR_SAMPLES, WEIR_DELTA, "samples of this stack"),
};

/* A merged frame; ids are of the transform's own names. */
struct fold_frame {
	uint32_t symbol;
	uint32_t object;
	uint32_t flags;
	uint32_t source; /* this and line: 0 unless they are wanted */
	uint32_t line;
};

struct fold_state {
	struct profile_input input;
	struct weir_field fields[sizeof(fold_fields) / sizeof(fold_fields[0])];
	struct weir_schema schema;
	struct weir_names *names;
	struct fold_frame *frames;
	uint32_t frame_count;
	uint32_t frame_capacity;
	struct intmap
		frame_ids;   /* (symbol, object, flags, line) of own ids to place in frames + 1 */
	struct intmap seen;  /* the same of the ids of the batch at hand */
	struct intmap lines; /* (source, line) of own ids to their number */
	struct intmap seen_lines;
	struct fold_set set;
	uint32_t *stack; /* the row at hand */
	uint32_t stack_capacity;
	struct fold_stack lost; /* all that max_stacks left no room for */
	uint32_t next;          /* stack to be sent next */
	uint64_t start;         /* of the window; 0: nothing came yet */
	uint64_t end;
};

static const struct weir_want fold_wants[] = { PROFILE_WANTS };
static const struct weir_slot fold_inputs[] = { { "samples", "samples with a stack each",
						  WEIR_TABLE(fold_wants), 0, 0 } };
static const struct weir_output fold_outputs[] = { { "stacks", "one row per different stack", NULL,
						     0, 0 } };

static int fold_bind(struct weir_ctx *ctx)
{
	struct fold_state *fold = ctx->state;
	int err = profile_input_bind(ctx, &fold->input, 0);

	if (err)
		return err;
	memcpy(fold->fields, fold_fields, sizeof(fold_fields));
	fold->fields[FOLD_FIELD_WEIGHT].unit = fold->input.unit;
	fold->schema = (struct weir_schema){ sizeof(fold->schema), WEIR_ROW_SIZE(struct fold_row),
					     "stacks", WEIR_TABLE(fold_fields) };
	fold->schema.fields.items = fold->fields;
	fold->names = ctx->host->names_new(ctx);
	if (!fold->names)
		return weir_fail(ctx, -ENOMEM, "names");
	return ctx->host->declare(ctx, 0, &fold->schema);
}

static int fold_start(struct weir_ctx *ctx)
{
	const struct fold_conf *conf = ctx->options;

	return conf->interval ? weir_every(ctx, conf->interval) : 0;
}

/* The same name among the transform's own. False: no memory. */
static bool fold_name(struct weir_ctx *ctx, const struct weir_batch *batch, uint32_t id,
		      uint32_t *own)
{
	struct fold_state *fold = ctx->state;
	uint32_t length;
	const char *text;

	*own = 0;
	if (!id || !batch->names)
		return true;
	text = ctx->host->names_text(batch->names, id, &length);
	*own = ctx->host->names_intern(fold->names, text, length);
	return *own || length == 0;
}

static int fold_grow_frames(struct fold_state *fold)
{
	uint32_t capacity = fold->frame_capacity ? fold->frame_capacity * 2 : 1024;
	struct fold_frame *frames;

	if (fold->frame_count < fold->frame_capacity)
		return 0;
	frames = reallocarray(fold->frames, capacity, sizeof(*frames));
	if (!frames)
		return -ENOMEM;
	fold->frames = frames;
	fold->frame_capacity = capacity;
	return 0;
}

/* What tells frames of the same names apart. False: no memory, or too many lines. */
static bool fold_kind(struct intmap *lines, const struct fold_frame *frame, uint32_t *kind)
{
	uint32_t number;

	*kind = frame->flags;
	if (!(frame->flags & WEIR_FRAME_LINE))
		return true;
	number = intmap_get(lines, frame->source, frame->line);
	if (!number) {
		number = lines->count + 1;
		if (number >> (32 - FOLD_FLAG_BITS) ||
		    intmap_add(lines, frame->source, frame->line, number))
			return false;
	}
	*kind |= number << FOLD_FLAG_BITS;
	return true;
}

/* The place + 1 of a merged frame; 0: no memory. */
static uint32_t fold_own_frame(struct fold_state *fold, const struct fold_frame *frame)
{
	uint64_t key = (uint64_t)frame->symbol << 32 | frame->object;
	uint32_t place, kind;

	if (!fold_kind(&fold->lines, frame, &kind))
		return 0;
	place = intmap_get(&fold->frame_ids, key, kind);
	if (place)
		return place;
	if (fold_grow_frames(fold) ||
	    intmap_add(&fold->frame_ids, key, kind, fold->frame_count + 1))
		return 0;
	fold->frames[fold->frame_count] = *frame;
	return ++fold->frame_count;
}

static uint32_t fold_frame(struct weir_ctx *ctx, const struct weir_batch *batch,
			   const struct weir_frame *frame)
{
	struct fold_state *fold = ctx->state;
	bool lines = frame->flags & WEIR_FRAME_LINE;
	struct fold_frame own = { .flags = frame->flags & FOLD_FLAGS,
				  .source = lines ? frame->source : 0,
				  .line = lines ? frame->line : 0 };
	uint64_t key = (uint64_t)frame->symbol << 32 | frame->object;
	uint32_t place, kind;

	if (!fold_kind(&fold->seen_lines, &own, &kind))
		return 0;
	place = intmap_get(&fold->seen, key, kind);
	if (place)
		return place;
	if (!fold_name(ctx, batch, frame->symbol, &own.symbol) ||
	    !fold_name(ctx, batch, frame->object, &own.object) ||
	    !fold_name(ctx, batch, own.source, &own.source))
		return 0;
	place = fold_own_frame(fold, &own);
	return place && !intmap_add(&fold->seen, key, kind, place) ? place : 0;
}

static int fold_make_stack(struct weir_ctx *ctx, const struct weir_batch *batch,
			   const struct profile_row *row)
{
	struct fold_state *fold = ctx->state;
	uint32_t i;

	if (row->frame_count > fold->stack_capacity) {
		uint32_t *stack = reallocarray(fold->stack, row->frame_count, sizeof(*stack));

		if (!stack)
			return -ENOMEM;
		fold->stack = stack;
		fold->stack_capacity = row->frame_count;
	}
	for (i = 0; i < row->frame_count; i++) {
		fold->stack[i] = fold_frame(ctx, batch, &row->frames[i]);
		if (!fold->stack[i])
			return -ENOMEM;
	}
	return 0;
}

static int fold_make_key(struct weir_ctx *ctx, const struct profile_row *row, struct fold_key *key)
{
	const struct fold_conf *conf = ctx->options;
	struct fold_state *fold = ctx->state;

	key->comm = 0;
	key->pid = conf->by & FOLD_PID ? row->pid : WEIR_ABSENT_U32;
	key->tid = conf->by & FOLD_TID ? row->tid : WEIR_ABSENT_U32;
	key->cpu = conf->by & FOLD_CPU ? row->cpu : WEIR_ABSENT_U32;
	if (!(conf->by & FOLD_COMM) || row->comm_length == 0)
		return 0;
	key->comm = ctx->host->names_intern(fold->names, row->comm, row->comm_length);
	return key->comm ? 0 : -ENOMEM;
}

/* The merged stack of a row. */
static struct fold_stack *fold_stack_of(struct weir_ctx *ctx, const struct weir_batch *batch,
					const struct profile_row *row)
{
	const struct fold_conf *conf = ctx->options;
	struct fold_state *fold = ctx->state;
	struct fold_stack *stack;
	struct fold_key key;

	if (fold_make_key(ctx, row, &key) || fold_make_stack(ctx, batch, row))
		return NULL;
	stack = fold_set_find(&fold->set, &key, fold->stack, row->frame_count);
	if (stack)
		return stack;
	if (fold->set.count >= conf->max_stacks) {
		weir_lost(ctx, "stacks beyond max_stacks", row->samples,
			  "raise max_stacks; their weight is under [lost stack]");
		return &fold->lost;
	}
	return fold_set_add(&fold->set, &key, fold->stack, row->frame_count);
}

static int fold_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct fold_state *fold = ctx->state;
	struct profile_row row;
	uint32_t i;

	(void)input;
	intmap_reset(&fold->seen);
	intmap_reset(&fold->seen_lines);
	if (!fold->start || batch->start < fold->start)
		fold->start = batch->start;
	if (batch->end > fold->end)
		fold->end = batch->end;
	for (i = 0; i < batch->row_count; i++) {
		struct fold_stack *stack;

		profile_input_row(ctx, &fold->input, batch, i, &row);
		stack = fold_stack_of(ctx, batch, &row);
		if (!stack)
			return weir_fail(ctx, -ENOMEM, "%u stacks", fold->set.count);
		stack->weight += row.weight;
		stack->samples += row.samples;
	}
	return 0;
}

static int fold_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
			const struct fold_stack *stack, const uint32_t *places)
{
	struct fold_state *fold = ctx->state;
	struct fold_row *row = weir_add_row(ctx, batch);
	struct weir_frame *frames = NULL;
	uint32_t offset = 0, i;

	if (!row)
		return -ENOMEM;
	*row = (struct fold_row){ .comm = { stack->key.comm },
				  .pid = stack->key.pid,
				  .tid = stack->key.tid,
				  .cpu = stack->key.cpu,
				  .weight = stack->weight,
				  .samples = stack->samples };
	if (stack->frame_count) {
		frames = weir_add_bytes(ctx, batch, stack->frame_count * (uint32_t)sizeof(*frames),
					&offset);
		if (!frames)
			return -ENOMEM;
	}
	for (i = 0; i < stack->frame_count; i++) {
		const struct fold_frame *frame = &fold->frames[places[i] - 1];

		frames[i].symbol = frame->symbol;
		frames[i].object = frame->object;
		frames[i].flags = frame->flags;
		frames[i].source = frame->source;
		frames[i].line = frame->line;
	}
	row->stack = (struct weir_stack_ref){ offset, stack->frame_count };
	return 0;
}

/* The row of all stacks that found no room. */
static int fold_add_lost(struct weir_ctx *ctx, struct weir_batch *batch)
{
	static const char text[] = "[lost stack]";
	struct fold_state *fold = ctx->state;
	struct fold_frame frame = { 0 };
	uint32_t place;
	int err;

	if (fold->lost.samples == 0 && fold->lost.weight == 0)
		return 0;
	frame.symbol = ctx->host->names_intern(fold->names, text, sizeof(text) - 1);
	place = frame.symbol ? fold_own_frame(fold, &frame) : 0;
	if (!place)
		return -ENOMEM;
	fold->lost.key = (struct fold_key){ 0, WEIR_ABSENT_U32, WEIR_ABSENT_U32, WEIR_ABSENT_U32 };
	fold->lost.frame_count = 1;
	err = fold_add_row(ctx, batch, &fold->lost, &place);
	fold->lost.weight = fold->lost.samples = 0;
	return err;
}

/* Fills a batch with the stacks that are next. */
static int fold_fill(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct fold_state *fold = ctx->state;
	int err = 0;

	if (fold->next == 0)
		err = fold_add_lost(ctx, batch);
	while (!err && fold->next < fold->set.count && batch->row_count < FOLD_ROWS &&
	       batch->arena_used < FOLD_ARENA) {
		const struct fold_stack *stack = &fold->set.stacks[fold->next++];

		err = fold_add_row(ctx, batch, stack, fold->set.pool + stack->frames);
	}
	batch->names = fold->names;
	batch->start = fold->start;
	batch->end = fold->end;
	return err;
}

/* Everything was sent: begin again, with new names if there are many. */
static int fold_renew(struct weir_ctx *ctx)
{
	struct fold_state *fold = ctx->state;

	fold->next = 0;
	fold->start = fold->end;
	fold_set_reset(&fold->set);
	intmap_reset(&fold->frame_ids);
	intmap_reset(&fold->lines);
	fold->frame_count = 0;
	if (ctx->host->names_bytes(fold->names) <= FOLD_NAMES_MAX)
		return 0;
	ctx->host->names_release(fold->names);
	fold->names = ctx->host->names_new(ctx);
	return fold->names ? 0 : weir_fail(ctx, -ENOMEM, "names");
}

/* Sends what there is, in batches. */
static int fold_send(struct weir_ctx *ctx)
{
	struct fold_state *fold = ctx->state;
	int err;

	do {
		uint32_t left = fold->set.count - fold->next + 1;
		struct weir_batch *batch =
			weir_loan(ctx, 0, left < FOLD_ROWS ? left : FOLD_ROWS, 0);

		if (!batch)
			return weir_fail(ctx, -ENOMEM, "rows of %u stacks", fold->set.count);
		err = fold_fill(ctx, batch);
		if (err) {
			weir_discard(ctx, batch);
			return weir_fail(ctx, err, "rows of %u stacks", fold->set.count);
		}
		err = weir_commit(ctx, batch);
	} while (!err && fold->next < fold->set.count);
	return err ? err : fold_renew(ctx);
}

static int fold_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct fold_state *fold = ctx->state;

	if (!fold->start)
		return 0;
	fold->end = now > fold->end ? now : fold->end;
	return fold_send(ctx);
}

static int fold_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct fold_state *fold = ctx->state;

	(void)deadline;
	return fold->start || fold->set.count ? fold_send(ctx) : 0;
}

static void fold_destroy(struct weir_ctx *ctx)
{
	struct fold_state *fold = ctx->state;

	ctx->host->names_release(fold->names);
	free(fold->frames);
	free(fold->stack);
	intmap_clear(&fold->frame_ids);
	intmap_clear(&fold->seen);
	intmap_clear(&fold->lines);
	intmap_clear(&fold->seen_lines);
	fold_set_clear(&fold->set);
}

WEIR_COMPONENT(
	"flame.fold", WEIR_TRANSFORM, .summary = "merges samples with equal stacks",
	.doc = "Two stacks are equal when they stand on the same command (option by) and their\n"
	       "frames have the same functions, whatever the addresses within them. Frames\n"
	       "without a known function are equal by their object; where lines are wanted, they "
	       "have\n"
	       "the same line. Nothing vanishes from the\n"
	       "total: what max_stacks leaves no room for goes to a row [lost stack].",
	.options_size = sizeof(struct fold_conf), .state_size = sizeof(struct fold_state),
	.options = WEIR_TABLE(fold_options), .outputs = WEIR_TABLE(fold_outputs),
	.inputs = WEIR_TABLE(fold_inputs), .bind = fold_bind, .start = fold_start,
	.tick = fold_tick, .push = fold_push, .drain = fold_drain, .destroy = fold_destroy);
