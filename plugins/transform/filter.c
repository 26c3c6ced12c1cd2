/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter: keeps the rows for which a condition is true. Rows refer to the arena by offset, so it
 * is copied as it is.
 */
#include <stdlib.h>

#include <weir/plugin.h>

struct filter_conf {
	const char *where;
};

struct filter_state {
	struct weir_expr *where;
	uint32_t *kept; /* rows of the batch at hand */
	uint32_t room;
};

static const struct weir_option filter_options[] = {
	WEIR_OPT_TEXT(struct filter_conf, where, NULL,
		      "keep the rows for which this is true: wait > 10ms && comm != 'make'"),
};

static const struct weir_output filter_outputs[] = {
	{ .name = "rows", .doc = "the rows that were kept", .flags = WEIR_SAME_AS_INPUT },
};

static const struct weir_slot filter_inputs[] = {
	{ .name = "in", .doc = "rows of any kind" },
};

static int filter_bind(struct weir_ctx *ctx)
{
	const struct filter_conf *conf = ctx->options;
	struct filter_state *st = ctx->state;

	st->where = ctx->host->expr_compile(ctx, conf->where, weir_input(ctx, 0)->schema, "where");
	if (!st->where)
		return -EINVAL;
	if (ctx->host->expr_type(st->where) != WEIR_TYPE_BOOL)
		return weir_fail_option(ctx, "where", -EINVAL, "\"%s\" is a value, not a condition",
					conf->where);
	return 0;
}

static int filter_make_room(struct filter_state *st, uint32_t rows)
{
	uint32_t *kept;

	if (rows <= st->room)
		return 0;
	kept = realloc(st->kept, rows * sizeof(*kept));
	if (!kept)
		return -ENOMEM;
	st->kept = kept;
	st->room = rows;
	return 0;
}

static int filter_select(struct weir_ctx *ctx, const struct weir_batch *batch, uint32_t *count)
{
	struct filter_state *st = ctx->state;

	*count = 0;
	for (uint32_t i = 0; i < batch->row_count; i++) {
		struct weir_value value;
		int err = ctx->host->expr_eval(st->where, batch, weir_row(batch, i), &value);

		if (err)
			return weir_fail(ctx, err, "where, in row %u", i);
		if (value.type == WEIR_TYPE_BOOL && value.u)
			st->kept[(*count)++] = i;
	}
	return 0;
}

static void filter_copy(const struct weir_batch *from, const uint32_t *kept, uint32_t count,
			struct weir_batch *to)
{
	to->flags = from->flags;
	to->start = from->start;
	to->end = from->end;
	if (!count)
		return;
	to->names = from->names;
	if (count == from->row_count)
		memcpy(to->rows, from->rows, (size_t)count * from->row_size);
	else
		for (uint32_t i = 0; i < count; i++)
			memcpy(to->rows + (size_t)i * to->row_size, weir_row(from, kept[i]),
			       from->row_size);
	to->row_count = count;
	if (from->arena_used)
		memcpy(to->arena, from->arena, from->arena_used);
	to->arena_used = from->arena_used;
}

static int filter_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	struct filter_state *st = ctx->state;
	struct weir_batch *out;
	uint32_t count;
	int err;

	(void)input;
	if (filter_make_room(st, batch->row_count))
		return weir_fail(ctx, -ENOMEM, "%u rows", batch->row_count);
	err = filter_select(ctx, batch, &count);
	if (err)
		return err;
	out = weir_loan(ctx, 0, count, count ? batch->arena_used : 0);
	if (!out) {
		weir_lost(ctx, "no room behind the filter", count, NULL);
		return 0;
	}
	filter_copy(batch, st->kept, count, out);
	return weir_commit(ctx, out);
}

static void filter_destroy(struct weir_ctx *ctx)
{
	struct filter_state *st = ctx->state;

	ctx->host->expr_free(st->where);
	free(st->kept);
}

WEIR_COMPONENT("filter", WEIR_TRANSFORM, .summary = "keeps the rows for which a condition is true",
	       .doc = "Columns, units and functions are those of weir's expressions. A comparison "
		      "with an absent\nvalue is false. Windows without rows are handed on.",
	       .options_size = sizeof(struct filter_conf),
	       .state_size = sizeof(struct filter_state), .options = WEIR_TABLE(filter_options),
	       .outputs = WEIR_TABLE(filter_outputs), .inputs = WEIR_TABLE(filter_inputs),
	       .bind = filter_bind, .push = filter_push, .destroy = filter_destroy);
