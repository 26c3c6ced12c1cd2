/* SPDX-License-Identifier: BSD-2-Clause */
/* The arithmetic of histograms: bounds, percentiles, merging, halving, making one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <weir/histogram.h>

/* Last: its macro fail() hides a member of struct weir_host. */
#include <cmocka.h>

#define ROOM 600

static struct weir_histogram *histogram_new(int32_t scale, int32_t offset, uint32_t buckets)
{
	struct weir_histogram *histogram = calloc(1, weir_histogram_bytes(buckets));

	assert_non_null(histogram);
	histogram->scale = scale;
	histogram->offset = offset;
	histogram->buckets = buckets;
	return histogram;
}

/* Counts a value into a histogram of scale 3 that starts at bucket 0. */
static void histogram_count(struct weir_histogram *histogram, uint64_t value, uint64_t times)
{
	if (histogram->count == 0 || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	histogram->count += times;
	histogram->sum += value * times;
	if (value)
		histogram->counts[weir_histogram_index(value)] += times;
	else
		histogram->underflow += times;
}

static void assert_near(double got, double want, double share)
{
	double error = got > want ? got - want : want - got;

	if (error > want * share)
		fail_msg("%.9g is not within %g of %.9g", got, share, want);
}

static void bounds_are_powers_of_two_and_their_eighths(void **state)
{
	static const struct {
		int32_t scale;
		double position;
		double value;
	} rows[] = {
		{ 3, 0, 1 },
		{ 3, 80, 1024 },
		{ 3, 512, 18446744073709551616.0 },
		{ 3, 4, 1.4142135623730951 },
		{ 3, 1, 1.0905077326652577 },
		{ 3, -8, 0.5 },
		{ 3, -1, 0.91700404320467121 },
		{ 0, 10, 1024 },
		{ 0, -1, 0.5 },
		{ -1, 3, 64 },
		{ 1, 1, 1.4142135623730951 },
		{ 4, 16, 2 },
		{ 20, 1048576, 2 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_near(weir_histogram_value(rows[i].scale, rows[i].position), rows[i].value,
			    1e-15);
	assert_near(weir_histogram_value(3, 0.5), 1.0442737824274138, 1e-3);
	assert_near(weir_histogram_value(4, 1), 1.0442737824274138, 1e-3);
	assert_true(weir_histogram_value(3, -1e9) == 0);
	assert_true(weir_histogram_value(-1000, 1) > 1e300);
}

static void the_bounds_agree_with_the_index_function(void **state)
{
	(void)state;
	for (unsigned int i = 1; i < WEIR_HISTOGRAM_BUCKETS - 1; i++) {
		uint64_t bound = weir_histogram_bound(i);
		double upper = weir_histogram_upper(3, (int32_t)i);

		assert_near(upper, (double)bound, 1.0 / (double)bound + 1e-15);
		assert_true(weir_histogram_lower(3, (int32_t)i) ==
			    weir_histogram_upper(3, (int32_t)i - 1));
	}
}

static void percentiles_lie_within_their_bucket(void **state)
{
	struct weir_histogram *histogram = histogram_new(3, 0, WEIR_HISTOGRAM_BUCKETS);
	static const double shares[] = { 0.01, 0.1, 0.5, 0.9, 0.99, 0.999 };

	(void)state;
	for (uint64_t value = 1; value <= 100000; value++)
		histogram_count(histogram, value, 1);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		assert_near(weir_histogram_quantile(histogram, shares[i]), 100000 * shares[i],
			    0.01);
	assert_true(weir_histogram_quantile(histogram, 0) == 1);
	assert_true(weir_histogram_quantile(histogram, 1) == 100000);
	assert_true(weir_histogram_mean(histogram) == 50000.5);
	free(histogram);
}

static void percentiles_never_leave_what_was_seen(void **state)
{
	struct weir_histogram *histogram = histogram_new(3, 0, WEIR_HISTOGRAM_BUCKETS);

	(void)state;
	histogram_count(histogram, 1000, 7);
	assert_true(weir_histogram_quantile(histogram, 0.01) == 1000);
	assert_true(weir_histogram_quantile(histogram, 0.5) == 1000);
	assert_true(weir_histogram_quantile(histogram, 1) == 1000);
	free(histogram);
}

static void what_lies_outside_of_the_buckets_counts_as_the_extremes(void **state)
{
	struct weir_histogram *histogram = histogram_new(3, 0, 100);

	(void)state;
	histogram_count(histogram, 0, 50);
	histogram_count(histogram, 1000, 25);
	histogram->overflow = 25;
	histogram->count += 25;
	histogram->max = 1000000;
	assert_true(weir_histogram_quantile(histogram, 0.5) == 0);
	assert_near(weir_histogram_quantile(histogram, 0.75), 1000, 0.044);
	assert_true(weir_histogram_quantile(histogram, 0.76) == 1000000);
	free(histogram);
}

static void an_empty_histogram_has_no_mean_and_no_percentiles(void **state)
{
	struct weir_histogram *histogram = histogram_new(3, 0, 0);
	double mean = weir_histogram_mean(histogram);
	double median = weir_histogram_quantile(histogram, 0.5);

	(void)state;
	assert_true(mean != mean);
	assert_true(median != median);
	free(histogram);
}

/* At scale s-1 bucket i holds buckets 2i-1 and 2i: upper bounds are inclusive. */
static void halving_puts_each_bucket_into_the_one_that_holds_it(void **state)
{
	static const struct {
		int32_t from;
		int32_t to;
	} rows[] = { { -3, -1 }, { -2, -1 }, { -1, 0 }, { 0, 0 }, { 1, 1 },
		     { 2, 1 },   { 3, 2 },   { 4, 2 },  { 9, 5 } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(weir_histogram_coarser(rows[i].from, 1), rows[i].to);
	assert_int_equal(weir_histogram_coarser(9, 3), 2);
	assert_int_equal(weir_histogram_coarser(8, 3), 1);
	assert_int_equal(weir_histogram_coarser(-8, 3), -1);
	assert_int_equal(weir_histogram_coarser(-7, 3), 0);
	assert_int_equal(weir_histogram_coarser(5, 99), 1);
	assert_int_equal(weir_histogram_coarser(-5, 99), 0);
}

static void halving_thrice_gives_powers_of_two_and_loses_nothing(void **state)
{
	struct weir_histogram *histogram = histogram_new(3, 0, WEIR_HISTOGRAM_BUCKETS);

	(void)state;
	histogram_count(histogram, 1, 3);
	histogram_count(histogram, 1024, 5); /* the upper bound of (512, 1024] */
	histogram_count(histogram, 1025, 7);
	histogram_count(histogram, UINT64_MAX, 11);
	for (int i = 0; i < 3; i++)
		weir_histogram_halve(histogram);

	assert_int_equal(histogram->scale, 0);
	assert_int_equal(histogram->offset, 0);
	assert_int_equal(histogram->buckets, 65);
	assert_int_equal(histogram->counts[0], 3);
	assert_int_equal(histogram->counts[10], 5);
	assert_int_equal(histogram->counts[11], 7);
	assert_int_equal(histogram->counts[64], 11);
	for (uint32_t i = 1; i < 64; i++)
		assert_true(i == 10 || i == 11 || histogram->counts[i] == 0);
	assert_int_equal(histogram->count, 26);
	free(histogram);
}

static void merging_adds_also_across_offsets_and_scales(void **state)
{
	struct weir_histogram *all = histogram_new(0, 0, 65);
	struct weir_histogram *fine = histogram_new(3, 0, WEIR_HISTOGRAM_BUCKETS);
	struct weir_histogram *coarse = histogram_new(0, 10, 1);

	(void)state;
	histogram_count(fine, 600, 2);
	histogram_count(fine, 0, 1);
	coarse->counts[0] = 4;
	coarse->count = 4;
	coarse->sum = 4000;
	coarse->min = coarse->max = 1000;
	assert_int_equal(weir_histogram_merge(all, coarse), 0);
	assert_int_equal(all->min, 1000);
	assert_int_equal(weir_histogram_merge(all, fine), 0);
	assert_int_equal(all->counts[10], 6);
	assert_int_equal(all->count, 7);
	assert_int_equal(all->sum, 5200);
	assert_int_equal(all->underflow, 1);
	assert_int_equal(all->min, 0);
	assert_int_equal(all->max, 1000);
	free(all);
	free(fine);
	free(coarse);
}

static void a_merge_that_would_lose_something_changes_nothing(void **state)
{
	struct weir_histogram *small = histogram_new(3, 8, 8);
	struct weir_histogram *fine = histogram_new(3, 0, 64);
	struct weir_histogram *coarse = histogram_new(2, 4, 4);

	(void)state;
	histogram_count(fine, 3, 1); /* fits */
	histogram_count(fine, 100, 1);
	assert_int_equal(weir_histogram_merge(small, fine), -ERANGE);
	assert_int_equal(small->count, 0);
	for (uint32_t i = 0; i < small->buckets; i++)
		assert_int_equal(small->counts[i], 0);
	assert_int_equal(weir_histogram_merge(small, coarse), -EINVAL);
	free(small);
	free(fine);
	free(coarse);
}

/* A host that has as much arena as the batch was given. */
static int histogram_no_room(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t rows,
			     uint32_t bytes)
{
	(void)ctx;
	(void)batch;
	(void)rows;
	(void)bytes;
	return -ENOMEM;
}

static const struct weir_host histogram_host = { .size = sizeof(histogram_host),
						 .reserve = histogram_no_room };

static void cells_of_a_kernel_program_become_a_trimmed_histogram(void **state)
{
	static const unsigned int first = WEIR_HISTOGRAM_FIRST(8);
	struct weir_ctx ctx = { .host = &histogram_host };
	uint64_t arena[ROOM];
	struct weir_batch batch = { .arena = (uint8_t *)arena, .arena_capacity = sizeof(arena) };
	struct weir_histogram_cells cells = {
		.zero = 2, .under = 1, .over = 4, .sum = 12345, .inverse_min = ~200ULL, .max = 99
	};
	const struct weir_histogram *made;
	struct weir_histogram_ref ref;

	(void)state;
	cells.cells[5] = 10;
	cells.cells[7] = 20;
	assert_int_equal(weir_add_histogram_cells(&ctx, &batch, &cells, first, &ref), 0);
	made = weir_histogram_of(&batch, ref);
	assert_int_equal(ref.bytes, weir_histogram_bytes(3));
	assert_int_equal(made->offset, first + 5);
	assert_int_equal(made->buckets, 3);
	assert_int_equal(made->counts[0], 10);
	assert_int_equal(made->counts[1], 0);
	assert_int_equal(made->counts[2], 20);
	assert_int_equal(made->count, 37);
	assert_int_equal(made->sum, 12345);
	assert_int_equal(made->underflow, 3);
	assert_int_equal(made->overflow, 4);
	assert_int_equal(made->min, 0);
	assert_int_equal(made->max, 99);

	cells.zero = 0;
	assert_int_equal(weir_add_histogram_cells(&ctx, &batch, &cells, first, &ref), 0);
	assert_int_equal(weir_histogram_of(&batch, ref)->min, 200);
}

static void an_extreme_that_a_race_took_away_comes_from_its_bucket(void **state)
{
	struct weir_ctx ctx = { .host = &histogram_host };
	uint64_t arena[ROOM];
	struct weir_batch batch = { .arena = (uint8_t *)arena, .arena_capacity = sizeof(arena) };
	struct weir_histogram_cells cells = { 0 };
	const struct weir_histogram *made;
	struct weir_histogram_ref ref;

	(void)state;
	cells.cells[weir_histogram_index(1000) - 1] = 1;
	assert_int_equal(weir_add_histogram_cells(&ctx, &batch, &cells, 1, &ref), 0);
	made = weir_histogram_of(&batch, ref);
	assert_int_equal(weir_histogram_index(made->min), weir_histogram_index(1000));
	assert_int_equal(made->max, 1024);
	assert_true(made->min <= 1000);
}

static void an_empty_window_is_a_histogram_of_count_0(void **state)
{
	struct weir_ctx ctx = { .host = &histogram_host };
	uint64_t arena[ROOM];
	struct weir_batch batch = { .arena = (uint8_t *)arena, .arena_capacity = sizeof(arena) };
	struct weir_histogram_cells cells = { 0 };
	struct weir_histogram_ref ref;

	(void)state;
	assert_int_equal(weir_add_histogram_cells(&ctx, &batch, &cells, 65, &ref), 0);
	assert_int_equal(weir_histogram_of(&batch, ref)->count, 0);
	assert_int_equal(weir_histogram_of(&batch, ref)->buckets, 0);
	batch.arena_capacity = batch.arena_used;
	assert_int_equal(weir_add_histogram_cells(&ctx, &batch, &cells, 65, &ref), -ENOMEM);
	assert_null(weir_histogram_of(&batch, ref));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_are_powers_of_two_and_their_eighths),
		cmocka_unit_test(the_bounds_agree_with_the_index_function),
		cmocka_unit_test(percentiles_lie_within_their_bucket),
		cmocka_unit_test(percentiles_never_leave_what_was_seen),
		cmocka_unit_test(what_lies_outside_of_the_buckets_counts_as_the_extremes),
		cmocka_unit_test(an_empty_histogram_has_no_mean_and_no_percentiles),
		cmocka_unit_test(halving_puts_each_bucket_into_the_one_that_holds_it),
		cmocka_unit_test(halving_thrice_gives_powers_of_two_and_loses_nothing),
		cmocka_unit_test(merging_adds_also_across_offsets_and_scales),
		cmocka_unit_test(a_merge_that_would_lose_something_changes_nothing),
		cmocka_unit_test(cells_of_a_kernel_program_become_a_trimmed_histogram),
		cmocka_unit_test(an_extreme_that_a_race_took_away_comes_from_its_bucket),
		cmocka_unit_test(an_empty_window_is_a_histogram_of_count_0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
