/* SPDX-License-Identifier: BSD-2-Clause */
/* The order in which merged stacks are sent: that of a plain comparison, with none left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fold_order.h"

enum { STACKS = 3000, DEEP = 40000 };

static uint32_t next_number(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) % below;
}

/* Few different frames and keys, so that most stacks begin as others do. */
static void add_stacks(struct fold_set *set)
{
	uint32_t state = 1, frames[9];

	for (uint32_t i = 0; i < STACKS; i++) {
		struct fold_key key = { next_number(&state, 3),
					next_number(&state, 2) ? 7 : UINT32_MAX,
					next_number(&state, 2), 0 };
		uint32_t count = next_number(&state, 10);

		for (uint32_t j = 0; j < count; j++)
			frames[j] = 1 + next_number(&state, 3);
		if (!fold_set_find(set, &key, frames, count))
			assert_non_null(fold_set_add(set, &key, frames, count));
	}
}

static int compare_number(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

/* By what they stand on, then frame by frame from the root on; the shorter one first. */
static int compare(const struct fold_set *set, const struct fold_stack *a,
		   const struct fold_stack *b)
{
	const uint32_t *of_a = set->pool + a->frames, *of_b = set->pool + b->frames;
	int order = compare_number(a->key.comm, b->key.comm);

	order = order ? order : compare_number(a->key.pid, b->key.pid);
	order = order ? order : compare_number(a->key.tid, b->key.tid);
	for (uint32_t i = 1; !order && i <= a->frame_count && i <= b->frame_count; i++)
		order = compare_number(of_a[a->frame_count - i], of_b[b->frame_count - i]);
	return order ? order : compare_number(a->frame_count, b->frame_count);
}

static uint32_t count_common(const struct fold_set *set, const struct fold_stack *a,
			     const struct fold_stack *b)
{
	uint32_t i = 0;

	while (i < a->frame_count && i < b->frame_count &&
	       set->pool[a->frames + a->frame_count - 1 - i] ==
		       set->pool[b->frames + b->frame_count - 1 - i])
		i++;
	return i;
}

static void each_stack_begins_as_the_one_before_did(void **unused)
{
	struct fold_set set = { 0 };
	bool seen[STACKS] = { false };
	uint32_t *order;

	(void)unused;
	add_stacks(&set);
	order = fold_order(&set);
	assert_non_null(order);
	for (uint32_t i = 0; i < set.count; i++) {
		const struct fold_stack *stack = &set.stacks[order[i]];

		assert_in_range(order[i], 0, set.count - 1);
		assert_false(seen[order[i]]);
		seen[order[i]] = true;
		if (i == 0)
			continue;
		assert_true(compare(&set, &set.stacks[order[i - 1]], stack) < 0);
		assert_int_equal(fold_common(&set, &set.stacks[order[i - 1]], stack),
				 count_common(&set, &set.stacks[order[i - 1]], stack));
	}
	free(order);
	fold_set_clear(&set);
}

static void deep_stacks_and_none_are_ordered(void **unused)
{
	struct fold_set set = { 0 };
	const struct fold_key key = { 1, 2, 3, 4 };
	uint32_t *frames = calloc(DEEP, sizeof(*frames)), *order;

	(void)unused;
	assert_non_null(frames);
	assert_null(fold_order(&set));
	for (uint32_t i = 0; i < DEEP; i++)
		frames[i] = 5;
	assert_non_null(fold_set_add(&set, &key, frames, DEEP));
	frames[0] = 4; /* the leaf */
	assert_non_null(fold_set_add(&set, &key, frames, DEEP));
	assert_non_null(fold_set_add(&set, &key, frames, 0));
	order = fold_order(&set);
	assert_non_null(order);
	assert_int_equal(order[0], 2);
	assert_int_equal(order[1], 1);
	assert_int_equal(order[2], 0);
	assert_int_equal(fold_common(&set, &set.stacks[0], &set.stacks[1]), DEEP - 1);
	free(order);
	free(frames);
	fold_set_clear(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_stack_begins_as_the_one_before_did),
		cmocka_unit_test(deep_stacks_and_none_are_ordered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
