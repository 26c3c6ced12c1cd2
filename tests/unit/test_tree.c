/* SPDX-License-Identifier: BSD-2-Clause */
/* flame.tree: shares of both views, and that they add up. */
#include <math.h>

#include "flame_host.h"

/* As flame.tree emits it. */
struct shown {
	double children;
	double self;
	uint64_t samples;
	struct weir_name comm;
	struct weir_name object;
	uint32_t depth;
	uint32_t indent;
	struct weir_name symbol;
	uint32_t reserved;
};

static void run(struct flame_host *flame, const char *const *options)
{
	assert_int_equal(flame_open(flame, options), 0);
	flame_sample(flame, "a", 600, "f@/bin/x;f@/bin/x;main@/bin/x");
	flame_sample(flame, "a", 300, "@/lib/libc.so.6;main@/bin/x");
	flame_sample(flame, "a", 60, "g@/bin/x;main@/bin/x");
	flame_sample(flame, "a", 3, "h@/bin/x;main@/bin/x");
	flame_sample(flame, "a", 1, "i@/bin/x;main@/bin/x");
	flame_sample(flame, "b", 36, "f@/bin/x;main@/bin/x");
	assert_int_equal(flame_push(flame), 0);
	assert_int_equal(flame_drain(flame), 0);
	assert_int_equal(flame->out_count, 1);
}

struct expected {
	int depth;
	int children; /* of 1000; -1: absent */
	int self;
	const char *object;
	const char *symbol;
};

static void expect(const struct flame_host *flame, const struct expected *rows, uint32_t count)
{
	const struct weir_batch *out = &flame->out[0]->seen;
	uint32_t i;

	for (i = 0; i < count && i < out->row_count; i++) {
		const struct shown *row = weir_row(out, i);

		assert_string_equal(flame_name(out, row->symbol.id), rows[i].symbol);
		assert_string_equal(flame_name(out, row->object.id), rows[i].object);
		assert_int_equal(row->depth, rows[i].depth);
		assert_int_equal(lround(row->self * 1000), rows[i].self);
		if (rows[i].children < 0)
			assert_true(isnan(row->children));
		else
			assert_int_equal(lround(row->children * 1000), rows[i].children);
	}
	assert_int_equal(out->row_count, count);
}

static void callers_stand_above_callees_and_shares_add_up(void **unused)
{
	static const struct expected rows[] = {
		{ 0, 964, 0, "", "a" },
		{ 1, 964, 0, "x", "main" },
		{ 2, 600, 0, "x", "f" },
		{ 3, 600, 600, "x", "f" },
		{ 2, 300, 300, "libc.so.6", "[libc.so.6]" },
		{ 2, 60, 60, "x", "g" },
		{ 0, 36, 0, "", "b" },
		{ 1, 36, 0, "x", "main" },
		{ 2, 36, 36, "x", "f" },
		{ 0, 4, 4, "", "(2 more below 0.5%)" },
	};
	struct flame_host flame;

	(void)unused;
	run(&flame, NULL);
	expect(&flame, rows, sizeof(rows) / sizeof(rows[0]));
	flame_close(&flame);
}

static void callees_stand_above_their_callers(void **unused)
{
	static const char *const options[] = { "order=callee", "max_depth=2", "percent_limit=5%",
					       NULL };
	static const struct expected rows[] = {
		{ 0, 636, 636, "x", "f" },
		{ 1, 600, 0, "x", "f" },
		{ 0, 300, 300, "libc.so.6", "[libc.so.6]" },
		{ 1, 300, 0, "x", "main" },
		{ 0, 60, 60, "x", "g" },
		{ 1, 60, 0, "x", "main" },
		{ 0, 40, 4, "", "(3 more below 5%)" },
	};
	struct flame_host flame;

	(void)unused;
	run(&flame, options);
	expect(&flame, rows, sizeof(rows) / sizeof(rows[0]));
	flame_close(&flame);
}

/* What is too small is one row where that makes enough, so that each level has not its own. */
static void small_rests_come_together_as_soon_as_they_are_worth_a_row(void **unused)
{
	static const char *const options[] = { "percent_limit=10%", NULL };
	static const struct expected rows[] = {
		{ 0, 1000, 0, "", "a" },
		{ 1, 1000, 0, "x", "main" },
		{ 2, 850, 0, "x", "f" },
		{ 3, 710, 710, "x", "g" },
		{ 3, 140, 140, "", "(2 more below 10%)" },
		{ 2, 150, 150, "", "(4 more below 10%)" },
	};
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, options), 0);
	flame_sample(&flame, "a", 710, "g@/bin/x;f@/bin/x;main@/bin/x");
	flame_sample(&flame, "a", 70, "h@/bin/x;f@/bin/x;main@/bin/x");
	flame_sample(&flame, "a", 70, "i@/bin/x;f@/bin/x;main@/bin/x");
	flame_sample(&flame, "a", 40, "j@/bin/x;main@/bin/x");
	flame_sample(&flame, "a", 40, "k@/bin/x;main@/bin/x");
	flame_sample(&flame, "a", 40, "l@/bin/x;main@/bin/x");
	flame_sample(&flame, "a", 30, "m@/bin/x;main@/bin/x");
	assert_int_equal(flame_push(&flame), 0);
	assert_int_equal(flame_drain(&flame), 0);
	expect(&flame, rows, sizeof(rows) / sizeof(rows[0]));
	flame_close(&flame);
}

static void a_chain_of_calls_stands_on_one_indentation(void **unused)
{
	static const uint32_t indents[] = { 0, 1, 1, 1, 2, 3, 3, 2 };
	static const uint32_t depths[] = { 0, 1, 2, 3, 4, 5, 6, 4 };
	struct flame_host flame;
	const struct weir_batch *out;
	uint32_t i;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	flame_sample(&flame, "a", 600, "z@/bin/x;y@/bin/x;north@/bin/x;trunk@/bin/x;main@/bin/x;s");
	flame_sample(&flame, "a", 400, "south@/bin/x;trunk@/bin/x;main@/bin/x;s");
	assert_int_equal(flame_push(&flame), 0);
	assert_int_equal(flame_drain(&flame), 0);
	out = &flame.out[0]->seen;
	assert_int_equal(out->row_count, sizeof(indents) / sizeof(indents[0]));
	for (i = 0; i < out->row_count; i++) {
		const struct shown *row = weir_row(out, i);

		assert_int_equal(row->indent, indents[i]);
		assert_int_equal(row->depth, depths[i]);
	}
	flame_close(&flame);
}

static void recursion_counts_once_in_the_flat_view(void **unused)
{
	static const char *const options[] = { "view=flat", NULL };
	static const struct expected rows[] = {
		{ 0, 600, 600, "x", "f" },
		{ 0, 300, 300, "libc.so.6", "[libc.so.6]" },
		{ 0, 60, 60, "x", "g" },
		{ 0, 36, 36, "x", "f" },
		{ 0, 964, 0, "x", "main" },
		{ 0, 36, 0, "x", "main" },
		{ 0, -1, 4, "", "(2 more below 0.5%)" },
	};
	struct flame_host flame;

	(void)unused;
	run(&flame, options);
	expect(&flame, rows, sizeof(rows) / sizeof(rows[0]));
	flame_close(&flame);
}

static void nothing_is_said_and_sends_nothing(void **unused)
{
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	assert_int_equal(flame_drain(&flame), 0);
	assert_int_equal(flame.out_count, 0);
	assert_non_null(strstr(flame.said, "no samples"));
	flame_close(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_stand_above_callees_and_shares_add_up),
		cmocka_unit_test(callees_stand_above_their_callers),
		cmocka_unit_test(small_rests_come_together_as_soon_as_they_are_worth_a_row),
		cmocka_unit_test(a_chain_of_calls_stands_on_one_indentation),
		cmocka_unit_test(recursion_counts_once_in_the_flat_view),
		cmocka_unit_test(nothing_is_said_and_sends_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
