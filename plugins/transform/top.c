/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * top: keeps the largest rows of each window, sorted. A heap with the worst kept row on top makes
 * that one pass over large batches. Rows refer to the arena by offset, so it is copied as it is.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir/plugin.h>

#define TOP_NAME_MAX 128

struct top_conf {
	const char *by;
	uint32_t count;
};

struct top_entry {
	struct weir_value value;
	uint32_t row;
};

struct top_state {
	struct weir_expr *by;
	struct top_entry *heap;
	uint32_t room;
};

static const struct weir_option top_options[] = {
	WEIR_OPT_TEXT(struct top_conf, by, NULL,
		      "sort by this column or expression; of a histogram, by its sum"),
	WEIR_OPT_UINT(struct top_conf, count, "10", 1, 1000000, "how many rows to keep"),
};

static const struct weir_output top_outputs[] = {
	{ .name = "rows", .doc = "the largest rows, largest first", .flags = WEIR_SAME_AS_INPUT },
};

static const struct weir_slot top_inputs[] = {
	{ .name = "in", .doc = "rows of any kind" },
};

static bool top_is_number(uint32_t type)
{
	return type == WEIR_TYPE_UINT || type == WEIR_TYPE_INT || type == WEIR_TYPE_DOUBLE;
}

static int top_bind(struct weir_ctx *ctx)
{
	const struct weir_schema *schema = weir_input(ctx, 0)->schema;
	const struct top_conf *conf = ctx->options;
	const struct weir_field *field = weir_find(schema, conf->by);
	struct top_state *st = ctx->state;
	char sum[TOP_NAME_MAX + sizeof("sum()")];
	const char *by = conf->by;

	if (field && field->type == WEIR_TYPE_HISTOGRAM && strlen(by) < TOP_NAME_MAX) {
		snprintf(sum, sizeof(sum), "sum(%s)", by);
		by = sum;
	}
	st->by = ctx->host->expr_compile(ctx, by, schema, "by");
	if (!st->by)
		return -EINVAL;
	if (!top_is_number(ctx->host->expr_type(st->by)))
		return weir_fail_option(ctx, "by", -EINVAL, "\"%s\" is not a number to sort by",
					conf->by);
	return 0;
}

/* The type is one for all rows, or NONE where it is absent, which sorts last. */
static int top_order(const struct weir_value *a, const struct weir_value *b)
{
	if (a->type != b->type)
		return a->type == WEIR_TYPE_NONE ? -1 : 1;
	switch (a->type) {
	case WEIR_TYPE_UINT:
		return (a->u > b->u) - (a->u < b->u);
	case WEIR_TYPE_INT:
		return (a->i > b->i) - (a->i < b->i);
	case WEIR_TYPE_DOUBLE:
		return (a->d > b->d) - (a->d < b->d);
	default:
		return 0;
	}
}

/* Stable: of equal rows the earlier one goes first. */
static bool top_before(const struct top_entry *a, const struct top_entry *b)
{
	const int order = top_order(&a->value, &b->value);

	return order ? order > 0 : a->row < b->row;
}

static void top_swap(struct top_entry *a, struct top_entry *b)
{
	const struct top_entry kept = *a;

	*a = *b;
	*b = kept;
}

/* Restores the heap below `at`: no entry goes before one of its children. */
static void top_sink(struct top_entry *heap, uint32_t count, uint32_t at)
{
	for (;;) {
		const uint32_t left = 2 * at + 1, right = left + 1;
		uint32_t worst = at;

		if (left < count && top_before(&heap[worst], &heap[left]))
			worst = left;
		if (right < count && top_before(&heap[worst], &heap[right]))
			worst = right;
		if (worst == at)
			return;
		top_swap(&heap[at], &heap[worst]);
		at = worst;
	}
}

static void top_rise(struct top_entry *heap, uint32_t at)
{
	while (at && top_before(&heap[(at - 1) / 2], &heap[at])) {
		top_swap(&heap[at], &heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
}

/* The worst goes to the end, again and again. */
static void top_sort(struct top_entry *heap, uint32_t count)
{
	while (count > 1) {
		top_swap(&heap[0], &heap[--count]);
		top_sink(heap, count, 0);
	}
}

static int top_select(struct weir_ctx *ctx, const struct weir_batch *batch, uint32_t most)
{
	struct top_state *st = ctx->state;
	uint32_t count = 0;

	for (uint32_t i = 0; i < batch->row_count; i++) {
		struct top_entry entry = { .row = i };
		int err = ctx->host->expr_eval(st->by, batch, weir_row(batch, i), &entry.value);

		if (err)
			return weir_fail(ctx, err, "by, in row %u", i);
		if (count < most) {
			st->heap[count] = entry;
			top_rise(st->heap, count++);
		} else if (top_before(&entry, &st->heap[0])) {
			st->heap[0] = entry;
			top_sink(st->heap, count, 0);
		}
	}
	top_sort(st->heap, count);
	return 0;
}

static int top_make_room(struct top_state *st, uint32_t count)
{
	struct top_entry *heap;

	if (count <= st->room)
		return 0;
	heap = realloc(st->heap, count * sizeof(*heap));
	if (!heap)
		return -ENOMEM;
	st->heap = heap;
	st->room = count;
	return 0;
}

static void top_copy(const struct weir_batch *from, const struct top_entry *entries, uint32_t count,
		     struct weir_batch *to)
{
	to->flags = from->flags;
	to->start = from->start;
	to->end = from->end;
	to->names = from->names;
	for (uint32_t i = 0; i < count; i++)
		memcpy(to->rows + (size_t)i * to->row_size, weir_row(from, entries[i].row),
		       from->row_size);
	to->row_count = count;
	if (from->arena_used)
		memcpy(to->arena, from->arena, from->arena_used);
	to->arena_used = from->arena_used;
}

static int top_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	const struct top_conf *conf = ctx->options;
	const uint32_t count = batch->row_count < conf->count ? batch->row_count : conf->count;
	struct top_state *st = ctx->state;
	struct weir_batch *out;
	int err;

	(void)input;
	if (top_make_room(st, count))
		return weir_fail(ctx, -ENOMEM, "%u rows", count);
	err = top_select(ctx, batch, count);
	if (err)
		return err;
	if (count < batch->row_count)
		weir_log(ctx, WEIR_LOG_DEBUG, "%u of %u rows left out", batch->row_count - count,
			 batch->row_count);
	out = weir_loan(ctx, 0, count, batch->arena_used);
	if (!out) {
		weir_lost(ctx, "no room behind top", count, NULL);
		return 0;
	}
	top_copy(batch, st->heap, count, out);
	return weir_commit(ctx, out);
}

static void top_destroy(struct weir_ctx *ctx)
{
	struct top_state *st = ctx->state;

	ctx->host->expr_free(st->by);
	free(st->heap);
}

WEIR_COMPONENT("top", WEIR_TRANSFORM, .summary = "keeps the largest rows of each window, sorted",
	       .doc = "Largest first; rows that are equal keep their order, and those without a "
		      "value go last.",
	       .options_size = sizeof(struct top_conf), .state_size = sizeof(struct top_state),
	       .options = WEIR_TABLE(top_options), .outputs = WEIR_TABLE(top_outputs),
	       .inputs = WEIR_TABLE(top_inputs), .bind = top_bind, .push = top_push,
	       .destroy = top_destroy);
