/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches: growth, commitment, and the name table that they hold. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "failing_memory.h"
#include "names.h"

#include <cmocka.h>

static void rows_and_arena_grow_and_keep_what_they_hold(void **state)
{
	struct batch *batch = batch_new(8, 1, 8);
	uint64_t *first;

	(void)state;
	batch->seen.row_count = 1;
	first = (uint64_t *)(void *)batch->seen.rows;
	*first = 42;
	memcpy(batch->seen.arena, "weir", 5);
	batch->seen.arena_used = 8;
	assert_int_equal(batch_reserve(batch, 1000, 100000), 0);
	assert_true(batch->seen.row_capacity >= 1001);
	assert_true(batch->seen.arena_capacity >= 100008);
	assert_int_equal(*(const uint64_t *)weir_row(&batch->seen, 0), 42);
	assert_string_equal(weir_arena(&batch->seen, 0), "weir");
	assert_true(batch_bytes(batch) >= 1001 * 8 + 100008);
	batch_release(batch);
}

static void a_batch_beyond_32_bits_is_refused(void **state)
{
	struct batch *batch = batch_new(1u << 20, 1, 8);

	(void)state;
	assert_int_equal(batch_reserve(batch, UINT32_MAX, 0), -ENOMEM);
	batch->seen.arena_used = 8;
	assert_int_equal(batch_reserve(batch, 0, UINT32_MAX), -ENOMEM);
	assert_int_equal(batch->seen.row_capacity, 1);
	batch_release(batch);
	assert_null(batch_new(1u << 20, UINT32_MAX, 0));
}

static void counts_beyond_the_memory_are_not_committed(void **state)
{
	struct batch *batch = batch_new(8, 2, 16);

	(void)state;
	batch->seen.row_count = batch->seen.row_capacity + 1;
	assert_int_equal(batch_commit(batch), -EINVAL);
	batch->seen.row_count = 0;
	batch->seen.arena_used = batch->seen.arena_capacity + 1;
	assert_int_equal(batch_commit(batch), -EINVAL);
	batch->seen.arena_used = 0;
	assert_int_equal(batch_commit(batch), 0);
	assert_int_equal(batch_commit(batch), -EINVAL);
	batch_release(batch);
}

static void names_live_as_long_as_the_batch(void **state)
{
	struct weir_names *names = names_new();
	uint32_t id = names_intern(names, "main", 4), length;
	struct batch *batch = batch_new(8, 1, 0);

	(void)state;
	batch->seen.names = names;
	assert_int_equal(batch_commit(batch), 0);
	names_release(names);
	batch_hold(batch);
	batch_release(batch);
	assert_string_equal(names_text(batch->seen.names, id, &length), "main");
	batch_release(batch);
}

static void without_memory_nothing_leaks(void **state)
{
	struct batch *batch = NULL;

	(void)state;
	for (int calls = 0; !batch; calls++) {
		assert_true(calls < 10);
		failing_memory_after(calls);
		batch = batch_new(8, 4, 64);
		failing_memory_never();
	}
	for (int calls = 0;; calls++) {
		int err;

		assert_true(calls < 10);
		failing_memory_after(calls);
		err = batch_reserve(batch, 1000, 1000);
		failing_memory_never();
		if (!err)
			break;
		assert_int_equal(err, -ENOMEM);
	}
	batch_release(batch);
	batch_release(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_and_arena_grow_and_keep_what_they_hold),
		cmocka_unit_test(a_batch_beyond_32_bits_is_refused),
		cmocka_unit_test(counts_beyond_the_memory_are_not_committed),
		cmocka_unit_test(names_live_as_long_as_the_batch),
		cmocka_unit_test(without_memory_nothing_leaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
