/* SPDX-License-Identifier: BSD-2-Clause */
/* Sink flame.folded against golden files. Run in tests/. */
#include "flame_host.h"
#include "flame_stacks.h"

static void expect(const char *const *options, const char *path)
{
	struct flame_host flame;
	char *golden = flame_file(path);

	assert_int_equal(flame_open(&flame, options), 0);
	assert_int_equal(flame_start(&flame), 0);
	flame_stacks(&flame);
	assert_int_equal(flame_push(&flame), 0);
	assert_int_equal(flame_drain(&flame), 0);
	assert_true(flame.kept);
	assert_string_equal(flame.text, golden);
	free(golden);
	flame_close(&flame);
}

static void names_of_all_kinds_fold_as_told(void **unused)
{
	(void)unused;
	expect(NULL, "golden/flame/stacks.folded");
}

static void samples_can_be_counted_and_marks_left_out(void **unused)
{
	static const char *const options[] = { "value=samples", "annotations=false", NULL };

	(void)unused;
	expect(options, "golden/flame/samples.folded");
}

static void nothing_gives_an_empty_file_and_says_so(void **unused)
{
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	assert_int_equal(flame_start(&flame), 0);
	assert_int_equal(flame_drain(&flame), 0);
	assert_int_equal(flame.text_size, 0);
	assert_true(flame.kept);
	assert_non_null(strstr(flame.said, "no samples"));
	flame_close(&flame);
}

static void a_run_that_ends_before_its_drain_leaves_no_file(void **unused)
{
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	assert_int_equal(flame_start(&flame), 0);
	flame_stacks(&flame);
	assert_int_equal(flame_push(&flame), 0);
	flame_close(&flame);
	assert_false(flame.kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_all_kinds_fold_as_told),
		cmocka_unit_test(samples_can_be_counted_and_marks_left_out),
		cmocka_unit_test(nothing_gives_an_empty_file_and_says_so),
		cmocka_unit_test(a_run_that_ends_before_its_drain_leaves_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
