/* SPDX-License-Identifier: BSD-2-Clause */
/* top: the largest rows, in order. */
#include "transform_host.h"

struct conf {
	const char *by;
	uint32_t count;
};

struct row {
	uint64_t wait;
	int64_t balance;
	struct weir_histogram_ref times;
	uint32_t id;
	uint32_t pad;
};

static const struct weir_field fields[] = {
	WEIR_FIELD_DURATION(struct row, wait, WEIR_EVENT, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, balance, WEIR_NONE, WEIR_GAUGE, ""),
	WEIR_FIELD(struct row, times, WEIR_NS, WEIR_DELTA, ""),
	WEIR_FIELD(struct row, id, WEIR_NONE, WEIR_KEY, ""),
};

static const struct weir_schema schema = { sizeof(schema), sizeof(struct row), "test",
					   WEIR_TABLE(fields) };

static struct weir_histogram histograms[2] = { { .count = 9, .sum = 10 },
					       { .count = 1, .sum = 70 } };

#define HISTOGRAM sizeof(struct weir_histogram)

static struct row rows[] = {
	{ 30, -1, { 0, HISTOGRAM }, 0, 0 },        { WEIR_ABSENT_U64, -9, { 0, 0 }, 1, 0 },
	{ 50, 4, { HISTOGRAM, HISTOGRAM }, 2, 0 }, { 30, -3, { 0, 0 }, 3, 0 },
	{ 0, 0, { 0, HISTOGRAM }, 4, 0 },
};

static const struct weir_batch batch = { .size = sizeof(batch),
					 .row_size = sizeof(struct row),
					 .row_count = 5,
					 .arena_used = sizeof(histograms),
					 .rows = (uint8_t *)rows,
					 .arena = (uint8_t *)histograms,
					 .start = 100,
					 .end = 200 };

static void the_largest_come_first(void **state)
{
	static const struct {
		struct conf conf;
		const char *ids;
	} cases[] = {
		{ { "wait", 10 }, "20341" },
		{ { "wait", 2 }, "20" },
		{ { "wait", 1 }, "2" },
		{ { "balance", 4 }, "2403" },
		{ { "-balance", 2 }, "13" },
		{ { "times", 3 }, "204" },
		{ { "count(times)", 10 }, "04213" },
		{ { "wait / 2ns", 3 }, "203" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct transform_host t;
		char ids[8] = "";

		assert_int_equal(transform_open(&t, &schema, &cases[i].conf), 0);
		assert_int_equal(weir_component.push(&t.ctx, 0, &batch), 0);
		for (uint32_t r = 0; r < t.out->row_count && r < sizeof(ids) - 1; r++)
			ids[r] = (char)('0' + ((const struct row *)weir_row(t.out, r))->id);
		assert_string_equal(ids, cases[i].ids);
		assert_int_equal(t.out->start, 100);
		assert_int_equal(t.out->end, 200);
		assert_memory_equal(t.out->arena, histograms, sizeof(histograms));
		transform_close(&t);
	}
}

static void rows_left_out_are_said_but_not_lost(void **state)
{
	const struct conf conf = { "wait", 2 };
	struct transform_host t;

	(void)state;
	assert_int_equal(transform_open(&t, &schema, &conf), 0);
	assert_int_equal(weir_component.push(&t.ctx, 0, &batch), 0);
	assert_string_equal(t.said, "3 of 5 rows left out");
	assert_int_equal(t.lost, 0);
	transform_close(&t);
}

static void empty_windows_are_handed_on(void **state)
{
	const struct weir_batch empty = { .size = sizeof(empty), .start = 7, .end = 9 };
	const struct conf conf = { "wait", 2 };
	struct transform_host t;

	(void)state;
	assert_int_equal(transform_open(&t, &schema, &conf), 0);
	assert_int_equal(weir_component.push(&t.ctx, 0, &empty), 0);
	assert_int_equal(t.out->row_count, 0);
	assert_int_equal(t.out->end, 9);
	transform_close(&t);
}

static int larger_first(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->wait != y->wait)
		return x->wait < y->wait ? 1 : -1;
	return x->id < y->id ? -1 : 1;
}

static void a_large_batch_is_as_if_sorted(void **state)
{
	const struct conf conf = { "wait", 1000 };
	struct row *many = calloc(50000, sizeof(*many));
	struct weir_batch large = batch;
	struct transform_host t;
	uint32_t random = 1;

	(void)state;
	assert_non_null(many);
	for (uint32_t i = 0; i < 50000; i++) {
		random = random * 1664525 + 1013904223;
		many[i] = (struct row){ .wait = random >> 20, .id = i };
	}
	large.rows = (uint8_t *)many;
	large.row_count = 50000;
	assert_int_equal(transform_open(&t, &schema, &conf), 0);
	assert_int_equal(weir_component.push(&t.ctx, 0, &large), 0);
	qsort(many, 50000, sizeof(*many), larger_first);
	assert_int_equal(t.out->row_count, 1000);
	assert_memory_equal(t.out->rows, many, 1000 * sizeof(*many));
	transform_close(&t);
	free(many);
}

static void only_numbers_are_taken(void **state)
{
	const struct conf conf = { "wait > 1ms", 2 };
	struct transform_host t;

	(void)state;
	assert_int_equal(transform_open(&t, &schema, &conf), -EINVAL);
	assert_string_equal(t.said, "\"wait > 1ms\" is not a number to sort by");
	transform_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_come_first),
		cmocka_unit_test(rows_left_out_are_said_but_not_lost),
		cmocka_unit_test(empty_windows_are_handed_on),
		cmocka_unit_test(a_large_batch_is_as_if_sorted),
		cmocka_unit_test(only_numbers_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
