/* SPDX-License-Identifier: BSD-2-Clause */
/* The sentences of a block: the first whose condition holds for a row is said, of that row. */
#include <stdio.h>
#include <stdlib.h>

#include <weir/quantity.h>

#include "block.h"

static const struct weir_schema *block_input(struct weir_ctx *ctx)
{
	return weir_input(ctx, 0)->schema;
}

/* "${name}" at `text`: the field, and what follows it; NULL where there is none. */
static const char *block_reference(const struct weir_schema *schema, const char *text,
				   uint32_t *field)
{
	const char *end = text[0] == '$' && text[1] == '{' ? strchr(text, '}') : NULL;

	*field = schema->fields.count;
	for (uint32_t i = 0; end && i < schema->fields.count; i++) {
		const char *name = weir_field_at(schema, i)->name;
		const size_t length = strlen(name);

		if ((size_t)(end - text - 2) == length && strncmp(name, text + 2, length) == 0)
			*field = i;
	}
	return end ? end + 1 : NULL;
}

static int block_bind_say(struct weir_ctx *ctx, const struct weir_tree *tree, const char *say)
{
	const struct weir_schema *schema = block_input(ctx);
	struct block_state *st = ctx->state;
	uint32_t field;

	for (const char *at = say; *at; at++) {
		if (!block_reference(schema, at, &field))
			continue;
		if (field == schema->fields.count)
			return weir_tree_fail(ctx, tree, -EINVAL, "%.*s is no column of the input",
					      (int)(strchr(at, '}') - at + 1), at);
		if (!st->values[field])
			st->values[field] = ctx->host->expr_compile(
				ctx, weir_field_at(schema, field)->name, schema, "block");
		if (!st->values[field])
			return -EINVAL;
	}
	return 0;
}

static const char *block_text(struct weir_ctx *ctx, const struct weir_tree *map, const char *key)
{
	const struct weir_tree *tree = weir_tree_get(ctx, map, key);
	struct weir_tree_look look = { 0 };

	if (tree)
		ctx->host->tree_look(tree, &look);
	return look.text;
}

static int block_bind_verdict(struct weir_ctx *ctx, const struct weir_tree *map,
			      struct block_verdict *verdict)
{
	const struct weir_tree *when = weir_tree_get(ctx, map, "when");
	const char *next = block_text(ctx, map, "next");

	verdict->say = block_text(ctx, map, "say");
	verdict->next = next ? next : "";
	if (!verdict->say)
		return weir_tree_fail(ctx, map, -EINVAL, "\"say\" is missing");
	if (when)
		verdict->when = ctx->host->tree_expr(ctx, when, block_input(ctx));
	if (when && !verdict->when)
		return -EINVAL;
	if (when && ctx->host->expr_type(verdict->when) != WEIR_TYPE_BOOL)
		return weir_tree_fail(ctx, when, -EINVAL, "when takes a condition");
	return block_bind_say(ctx, weir_tree_get(ctx, map, "say"), verdict->say);
}

int block_rules_bind(struct weir_ctx *ctx)
{
	const struct block_conf *conf = ctx->options;
	struct block_state *st = ctx->state;
	const struct weir_tree *list = weir_tree_get(ctx, st->rules, conf->block), *item;
	struct weir_tree_look look = { 0 };
	int err = 0;

	if (list)
		ctx->host->tree_look(list, &look);
	if (look.kind != WEIR_TREE_LIST)
		return weir_tree_fail(ctx, list ? list : st->rules, -EINVAL,
				      "a list \"%s\" of sentences is expected here", conf->block);
	if (look.count > BLOCK_VERDICTS)
		return weir_tree_fail(ctx, list, -E2BIG, "at most %d sentences", BLOCK_VERDICTS);
	st->values = calloc(block_input(ctx)->fields.count + 1, sizeof(struct weir_expr *));
	if (!st->values)
		return weir_fail(ctx, -ENOMEM, "keep the columns of sentences");
	for (uint32_t i = 0; !err && (item = ctx->host->tree_item(list, i, NULL)); i++)
		err = block_bind_verdict(ctx, item, &st->verdicts[st->verdict_count++]);
	return err;
}

void block_rules_free(struct weir_ctx *ctx)
{
	struct block_state *st = ctx->state;

	for (uint32_t i = 0; i < st->verdict_count; i++)
		ctx->host->expr_free(st->verdicts[i].when);
	for (uint32_t i = 0; st->values && i < block_input(ctx)->fields.count; i++)
		ctx->host->expr_free(st->values[i]);
	free(st->values);
}

/* The first row that a condition holds for, or row_count. */
static int block_find(struct weir_ctx *ctx, const struct block_verdict *verdict,
		      const struct weir_batch *batch, uint32_t *row)
{
	for (*row = 0; *row < batch->row_count; ++*row) {
		struct weir_value holds = { .u = 1 };
		int err = verdict->when ? ctx->host->expr_eval(verdict->when, batch,
							       weir_row(batch, *row), &holds)
					: 0;

		if (err || (holds.u && (!verdict->when || holds.type == WEIR_TYPE_BOOL)))
			return err;
	}
	return 0;
}

static void block_value(struct weir_ctx *ctx, const struct weir_batch *batch, const void *row,
			uint32_t field, char *out, size_t size)
{
	const struct block_state *st = ctx->state;
	const struct weir_unit *unit = ctx->host->expr_unit(st->values[field]);
	struct weir_value value = { 0 };

	snprintf(out, size, "-");
	if (ctx->host->expr_eval(st->values[field], batch, row, &value) < 0)
		return;
	if (value.type == WEIR_TYPE_TEXT)
		snprintf(out, size, "%.*s", (int)value.length, value.text);
	else if (value.type == WEIR_TYPE_UINT)
		weir_quantity((double)value.u, unit, out, size);
	else if (value.type == WEIR_TYPE_INT)
		weir_quantity((double)value.i, unit, out, size);
	else if (value.type == WEIR_TYPE_DOUBLE && !isnan(value.d))
		weir_quantity(value.d, unit, out, size);
}

static void block_fill_in(struct weir_ctx *ctx, const struct weir_batch *batch, const void *row,
			  const char *say, char out[BLOCK_TEXT])
{
	size_t used = 0;
	uint32_t field;

	while (*say && used + 1 < BLOCK_TEXT) {
		const char *after = block_reference(block_input(ctx), say, &field);

		if (after) {
			block_value(ctx, batch, row, field, out + used, BLOCK_TEXT - used);
			used += strlen(out + used);
		} else {
			out[used++] = *say;
		}
		say = after ? after : say + 1;
	}
	out[used] = '\0';
}

int block_say(struct weir_ctx *ctx, const struct weir_batch *batch, char verdict[BLOCK_TEXT],
	      const char **next)
{
	const struct block_state *st = ctx->state;

	verdict[0] = '\0';
	*next = "";
	for (uint32_t i = 0; i < st->verdict_count; i++) {
		uint32_t row;
		int err = block_find(ctx, &st->verdicts[i], batch, &row);

		if (err)
			return err;
		/* Without rows, what needs none is said. */
		if (row == batch->row_count &&
		    (st->verdicts[i].when || strstr(st->verdicts[i].say, "${")))
			continue;
		block_fill_in(ctx, batch, row < batch->row_count ? weir_row(batch, row) : NULL,
			      st->verdicts[i].say, verdict);
		*next = st->verdicts[i].next;
		return 0;
	}
	return 0;
}
