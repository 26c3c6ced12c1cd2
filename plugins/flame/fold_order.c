/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of merged stacks; see fold_order.h. A sort by one number of all stacks after the other:
 * of those that are equal so far, none is looked at twice. Stacks may be deep: nothing here recurses.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fold_order.h"

enum { ORDER_KEYS = sizeof(struct fold_key) / sizeof(uint32_t) };

struct order_item {
	uint32_t place;
	uint32_t number; /* at the depth of the range that it is in */
};

/* Items that are equal up to `depth`. */
struct order_range {
	uint32_t begin;
	uint32_t end;
	uint32_t depth;
	bool read; /* their numbers are */
};

struct order {
	const struct fold_set *set;
	struct order_item *items;
	struct order_range *ranges; /* still to be sorted; none has less than two items */
	uint32_t count;
};

/* What a stack stands on, then its frames from the root on. 0: behind the last. */
static uint32_t order_number(const struct fold_set *set, uint32_t place, uint32_t depth)
{
	const struct fold_stack *stack = &set->stacks[place];
	const uint32_t keys[] = { stack->key.comm, stack->key.pid, stack->key.tid, stack->key.cpu };

	if (depth < ORDER_KEYS)
		return keys[depth];
	depth -= ORDER_KEYS;
	return depth < stack->frame_count
		       ? set->pool[stack->frames + stack->frame_count - 1 - depth]
		       : 0;
}

static void order_add(struct order *order, uint32_t begin, uint32_t end, uint32_t depth, bool read)
{
	if (end - begin > 1)
		order->ranges[order->count++] = (struct order_range){ begin, end, depth, read };
}

static uint32_t order_middle(uint32_t a, uint32_t b, uint32_t c)
{
	if (a < b)
		return b < c ? b : a < c ? c : a;
	return a < c ? a : b < c ? c : b;
}

static void order_swap(struct order_item *a, struct order_item *b)
{
	struct order_item held = *a;

	*a = *b;
	*b = held;
}

/* Parts a range into what is less, equal and more than one of its numbers. */
static void order_part(struct order *order, const struct order_range *range)
{
	struct order_item *items = order->items;
	uint32_t less = range->begin, more = range->end, at = less;
	uint32_t number = order_middle(items[less].number, items[less + (more - less) / 2].number,
				       items[more - 1].number);

	while (at < more) {
		if (items[at].number < number)
			order_swap(&items[less++], &items[at++]);
		else if (items[at].number > number)
			order_swap(&items[at], &items[--more]);
		else
			at++;
	}
	order_add(order, range->begin, less, range->depth, true);
	order_add(order, more, range->end, range->depth, true);
	if (number || range->depth < ORDER_KEYS)
		order_add(order, less, more, range->depth + 1, false);
}

static void order_sort(struct order *order)
{
	order_add(order, 0, order->set->count, 0, false);
	while (order->count) {
		struct order_range range = order->ranges[--order->count];

		for (uint32_t i = range.begin; !range.read && i < range.end; i++)
			order->items[i].number =
				order_number(order->set, order->items[i].place, range.depth);
		order_part(order, &range);
	}
}

uint32_t *fold_order(const struct fold_set *set)
{
	struct order order = { .set = set };
	uint32_t *places = set->count ? calloc(set->count, sizeof(*places)) : NULL;

	order.items = calloc((size_t)set->count + 1, sizeof(*order.items));
	order.ranges = calloc((size_t)set->count / 2 + 1, sizeof(*order.ranges));
	if (places && order.items && order.ranges) {
		for (uint32_t i = 0; i < set->count; i++)
			order.items[i].place = i;
		order_sort(&order);
		for (uint32_t i = 0; i < set->count; i++)
			places[i] = order.items[i].place;
	} else {
		free(places);
		places = NULL;
	}
	free(order.items);
	free(order.ranges);
	return places;
}

uint32_t fold_common(const struct fold_set *set, const struct fold_stack *a,
		     const struct fold_stack *b)
{
	uint32_t most = a->frame_count < b->frame_count ? a->frame_count : b->frame_count;
	uint64_t a_end = a->frames + a->frame_count, b_end = b->frames + b->frame_count;
	uint32_t common = 0;

	while (common < most && set->pool[a_end - 1 - common] == set->pool[b_end - 1 - common])
		common++;
	return common;
}
