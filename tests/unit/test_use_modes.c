/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes of a histogram: humps that are put there are found, and no others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <weir/histogram.h>
#include <weir/histogram_index.h>

#include "use.h"

#include <cmocka.h>

#define BUCKETS 400

static struct weir_histogram *made;
static double modes[USE_MODES];

static int begin(void **state)
{
	(void)state;
	made = calloc(1, weir_histogram_bytes(BUCKETS));
	made->scale = 3;
	made->buckets = BUCKETS;
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(made);
	return 0;
}

/* A hump: values from half to twice its middle, fewer to the sides. */
static void add_hump(uint64_t middle, uint64_t count)
{
	for (int step = -8; step <= 8; step++) {
		const uint64_t n = count * (uint64_t)(9 - abs(step)) / 81;

		made->counts[(int)weir_histogram_index(middle) + step] += n;
		made->count += n;
	}
}

static void is_near(double mode, double middle)
{
	assert_true(mode > middle / 1.3 && mode < middle * 1.3);
}

static void one_hump_is_one_mode(void **state)
{
	(void)state;
	add_hump(1000000, 8100);
	assert_int_equal(use_modes(made, modes), 1);
	is_near(modes[0], 1e6);
}

static void two_humps_far_apart_are_two_modes(void **state)
{
	(void)state;
	add_hump(1200000, 8100);
	add_hump(33000000, 4050);
	assert_int_equal(use_modes(made, modes), 2);
	is_near(modes[0], 1.2e6);
	is_near(modes[1], 33e6);
}

static void humps_that_run_into_each_other_are_one(void **state)
{
	(void)state;
	add_hump(1000000, 8100);
	add_hump(1600000, 8100);
	assert_int_equal(use_modes(made, modes), 1);
}

static void a_few_stray_values_are_no_mode(void **state)
{
	(void)state;
	add_hump(1000000, 8100);
	add_hump(500000000, 500);
	assert_int_equal(use_modes(made, modes), 1);
	is_near(modes[0], 1e6);
}

static void nothing_has_no_mode(void **state)
{
	(void)state;
	assert_int_equal(use_modes(made, modes), 0);
}

static void a_single_value_is_a_mode(void **state)
{
	(void)state;
	made->counts[weir_histogram_index(50000000)] = 2000;
	made->count = 2000;
	assert_int_equal(use_modes(made, modes), 1);
	is_near(modes[0], 5e7);
}

static void no_more_modes_than_there_is_room_for(void **state)
{
	(void)state;
	for (uint64_t middle = 1000; middle < 100000000000ull; middle *= 100)
		add_hump(middle, 8100);
	assert_int_equal(use_modes(made, modes), USE_MODES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_hump_is_one_mode, begin, end),
		cmocka_unit_test_setup_teardown(two_humps_far_apart_are_two_modes, begin, end),
		cmocka_unit_test_setup_teardown(humps_that_run_into_each_other_are_one, begin, end),
		cmocka_unit_test_setup_teardown(a_few_stray_values_are_no_mode, begin, end),
		cmocka_unit_test_setup_teardown(nothing_has_no_mode, begin, end),
		cmocka_unit_test_setup_teardown(a_single_value_is_a_mode, begin, end),
		cmocka_unit_test_setup_teardown(no_more_modes_than_there_is_room_for, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
