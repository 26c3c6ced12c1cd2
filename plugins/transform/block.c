/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Transform block: one window's rows with a sentence on what they say, as one row. It is sent at the end,
 * so that several blocks come in the order of the pipeline, whenever their sources had something.
 */
#include "block.h"

#include <stdio.h>
#include <stdlib.h>

static const struct weir_option block_options[] = {
	WEIR_OPT_TEXT(struct block_conf, rules, NULL,
		      "file of sentences; a relative path begins beside the pipeline"),
	WEIR_OPT_TEXT(struct block_conf, block, NULL, "the list of that file that is meant"),
	WEIR_OPT_TEXTS(struct block_conf, columns, "",
		       "columns of the input to show; all that it shows by itself"),
};

static const struct weir_output block_outputs[] = {
	{ "block", "one row: the sentence, and the rows of the longest window", NULL, 0, 0 },
};

static const struct weir_slot block_inputs[] = {
	{ .name = "in", .doc = "rows without names of a name table, and without nested ones" },
};

static const struct weir_field block_fields[] = {
	WEIR_FIELD(struct block_row, block, WEIR_NONE, WEIR_KEY, "name of the block"),
	WEIR_FIELD_WITH(struct block_row, verdict, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"what its rows say"),
	WEIR_FIELD_WITH(struct block_row, next, WEIR_NONE, WEIR_GAUGE,
			WEIR_SENTENCE | WEIR_OPTIONAL, "what to run next"),
	WEIR_FIELD(struct block_row, seconds, WEIR_SECONDS, WEIR_GAUGE, "length of the window"),
	WEIR_FIELD_ROWS(struct block_row, rows, NULL, "the rows"),
};

static int block_create(struct weir_ctx *ctx)
{
	const struct block_conf *conf = ctx->options;
	struct block_state *st = ctx->state;

	st->rules = ctx->host->tree_read(ctx, conf->rules, WEIR_TREE_BESIDE);
	return st->rules ? 0 : -EINVAL;
}

/* Text and numbers in the row or its arena are copied as they are; names would need their table. */
static bool block_can_show(const struct weir_field *field)
{
	switch (field->type) {
	case WEIR_TYPE_NAME:
	case WEIR_TYPE_NAMES:
	case WEIR_TYPE_STACK:
	case WEIR_TYPE_ROWS:
		return false;
	default:
		return true;
	}
}

/* Fills in the columns of the nested table: those asked for, in that order, or all. */
static int block_choose(struct weir_ctx *ctx, const struct weir_schema *from)
{
	const struct block_conf *conf = ctx->options;
	struct block_state *st = ctx->state;
	uint32_t *count = &st->rows.fields.count;
	char option[32];

	for (uint32_t i = 0; i < conf->columns.count; i++) {
		const struct weir_want want = { .name = conf->columns.items[i] };
		const struct weir_field *field;

		snprintf(option, sizeof(option), "columns[%u]", i);
		field = ctx->host->want(ctx, 0, &want, option);
		if (!field)
			return -EINVAL;
		st->shown[(*count)++] = weir_field_copy(from, field);
	}
	for (uint32_t i = 0; i < from->fields.count && !conf->columns.count; i++)
		st->shown[(*count)++] = weir_field_copy(from, weir_field_at(from, i));
	for (uint32_t i = 0; i < *count; i++)
		if (!block_can_show(&st->shown[i]))
			return weir_fail(ctx, -EINVAL, "column %s is none of numbers and texts",
					 st->shown[i].name);
	return 0;
}

static int block_bind(struct weir_ctx *ctx)
{
	const struct weir_schema *from = weir_input(ctx, 0)->schema;
	const struct block_conf *conf = ctx->options;
	struct block_state *st = ctx->state;
	int err;

	st->shown = calloc(from->fields.count + conf->columns.count + 1, sizeof(*st->shown));
	if (!st->shown)
		return weir_fail(ctx, -ENOMEM, "keep %u columns", from->fields.count);
	st->rows = (struct weir_schema){
		sizeof(st->rows), from->row_size, from->name, { st->shown, 0, sizeof(*st->shown) }
	};
	err = block_choose(ctx, from);
	if (!err)
		err = block_rules_bind(ctx);
	if (err)
		return err;
	memcpy(st->fields, block_fields, sizeof(st->fields));
	st->fields[4].rows = &st->rows;
	st->schema = (struct weir_schema){ sizeof(st->schema), sizeof(struct block_row), "block",
					   WEIR_TABLE(st->fields) };
	return ctx->host->declare(ctx, 0, &st->schema);
}

/* The row's texts, behind the rows in the arena. */
static int block_finish(struct weir_ctx *ctx, struct weir_batch *out, const char *said,
			const char *next, struct block_row *row)
{
	const struct block_conf *conf = ctx->options;
	char verdict[BLOCK_TEXT + 64];
	int err;

	snprintf(verdict, sizeof(verdict), "%s: %s", conf->block, said);
	err = weir_add_text(ctx, out, conf->block, strlen(conf->block), &row->block);
	if (!err)
		err = weir_add_text(ctx, out, verdict, strlen(verdict), &row->verdict);
	if (!err)
		err = weir_add_text(ctx, out, next, strlen(next), &row->next);
	if (!err)
		memcpy(out->rows, row, sizeof(*row));
	out->row_count = 1;
	return err;
}

/* The arena goes first, so that the rows' offsets stay true. */
static int block_make(struct weir_ctx *ctx, const struct weir_batch *batch, struct weir_batch *out)
{
	const uint32_t bytes = batch->row_count * batch->row_size;
	struct block_row row = { .seconds = (double)(batch->end - batch->start) / 1e9,
				 .rows = { 0, batch->row_count } };
	char said[BLOCK_TEXT];
	const char *next;
	void *room;
	int err = block_say(ctx, batch, said, &next);

	if (err)
		return err;
	if (batch->arena_used)
		memcpy(out->arena, batch->arena, batch->arena_used);
	out->arena_used = (batch->arena_used + 7u) & ~7u;
	out->flags = batch->flags;
	out->start = batch->start;
	out->end = batch->end;
	room = bytes ? weir_add_bytes(ctx, out, bytes, &row.rows.offset) : NULL;
	if (bytes && !room)
		return -ENOMEM;
	if (bytes)
		memcpy(room, batch->rows, bytes);
	return block_finish(ctx, out, said, next, &row);
}

/* The last part of a run may be a moment only: it is not told in place of a whole window. */
static bool block_is_shorter(const struct weir_batch *batch, const struct weir_batch *kept)
{
	return kept && batch->end - batch->start < kept->end - kept->start;
}

static int block_push(struct weir_ctx *ctx, uint32_t input __attribute__((unused)),
		      const struct weir_batch *batch)
{
	struct block_state *st = ctx->state;
	struct weir_batch *out;
	int err;

	if (block_is_shorter(batch, st->kept))
		return 0;
	out = weir_loan(ctx, 0, 1, batch->arena_used + batch->row_count * batch->row_size + 2048);
	if (!out) {
		weir_lost(ctx, "no room behind a block", 1, NULL);
		return 0;
	}
	err = block_make(ctx, batch, out);
	if (err) {
		weir_discard(ctx, out);
		return err == -ENOMEM ? weir_fail(ctx, err, "keep %u rows", batch->row_count) : err;
	}
	weir_discard(ctx, st->kept);
	st->kept = out;
	return 0;
}

/* No event is an answer; no window is none. */
static bool block_is_of_events(const struct weir_schema *schema)
{
	for (uint32_t i = 0; i < schema->fields.count; i++)
		if (weir_field_at(schema, i)->role == WEIR_EVENT)
			return true;
	return false;
}

/* That nothing came is told, with the reason where it is known. */
static int block_nothing(struct weir_ctx *ctx)
{
	const struct weir_input *input = weir_input(ctx, 0);
	struct weir_batch *out = weir_loan(ctx, 0, 1, 2048);
	struct block_row row = { .seconds = 0 };
	const struct weir_batch nothing = { .row_count = 0 };
	char said[BLOCK_TEXT] = "nothing came";
	const char *next = "";
	int err = 0;

	if (!out) {
		weir_lost(ctx, "no room behind a block", 1, NULL);
		return 0;
	}
	if (block_is_of_events(input->schema))
		err = block_say(ctx, &nothing, said, &next);
	if (input->absent)
		snprintf(said, sizeof(said), "not checked: %s", input->absent);
	out->start = out->end = weir_now(ctx);
	if (!err)
		err = block_finish(ctx, out, said,
				   input->absent && input->cure ? input->cure : next, &row);
	if (!err)
		return weir_commit(ctx, out);
	weir_discard(ctx, out);
	return weir_fail(ctx, err, "tell that nothing came");
}

static int block_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	struct block_state *st = ctx->state;
	struct weir_batch *kept = st->kept;

	st->kept = NULL;
	return kept ? weir_commit(ctx, kept) : block_nothing(ctx);
}

static void block_stop(struct weir_ctx *ctx)
{
	struct block_state *st = ctx->state;

	weir_discard(ctx, st->kept);
	st->kept = NULL;
}

static void block_destroy(struct weir_ctx *ctx)
{
	struct block_state *st = ctx->state;

	block_rules_free(ctx);
	free(st->shown);
}

WEIR_COMPONENT(
	"block", WEIR_TRANSFORM, .summary = "one window's rows, and what they say",
	.doc = "Keeps the longest window and tells it at the end, below a sentence: the first "
	       "in its\nfile whose condition holds for a row, with that row's columns.",
	.options_size = sizeof(struct block_conf), .state_size = sizeof(struct block_state),
	.options = WEIR_TABLE(block_options), .outputs = WEIR_TABLE(block_outputs),
	.inputs = WEIR_TABLE(block_inputs), .create = block_create, .bind = block_bind,
	.push = block_push, .drain = block_drain, .stop = block_stop, .destroy = block_destroy);
