/* SPDX-License-Identifier: BSD-2-Clause */
/* filter: what is kept is kept whole. */
#include "transform_host.h"

struct conf {
	const char *where;
};

struct row {
	uint64_t wait;
	struct weir_text path;
	struct weir_name op;
	uint32_t pid;
};

static const struct weir_field fields[] = {
	WEIR_FIELD_DURATION(struct row, wait, WEIR_EVENT, WEIR_OPTIONAL, ""),
	WEIR_FIELD(struct row, path, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, op, WEIR_NONE, WEIR_KEY, ""),
	WEIR_FIELD(struct row, pid, WEIR_NONE, WEIR_KEY, ""),
};

static const struct weir_schema schema = { sizeof(schema), sizeof(struct row), "test",
					   WEIR_TABLE(fields) };

static struct {
	struct row rows[3];
	char arena[16];
	struct weir_batch batch;
} world;

static int world_make(void **state)
{
	struct weir_names *names = names_new();
	const uint32_t read = names_intern(names, "read", 4);

	(void)state;
	memcpy(world.arena, "/a\0\0\0\0\0\0/bc", 12);
	world.rows[0] = (struct row){ 5000000, { 0, 2 }, { read }, 1 };
	world.rows[1] = (struct row){ WEIR_ABSENT_U64, { 0, 0 }, { 0 }, 2 };
	world.rows[2] = (struct row){ 20000000, { 8, 3 }, { read }, 3 };
	world.batch = (struct weir_batch){ .size = sizeof(world.batch),
					   .flags = WEIR_BATCH_GAP,
					   .row_size = sizeof(struct row),
					   .row_count = 3,
					   .arena_used = sizeof(world.arena),
					   .rows = (uint8_t *)world.rows,
					   .arena = (uint8_t *)world.arena,
					   .start = 100,
					   .end = 200,
					   .names = names };
	return 0;
}

static int world_end(void **state)
{
	(void)state;
	names_release(world.batch.names);
	return 0;
}

static void rows_that_fit_are_kept(void **state)
{
	static const struct {
		const char *where;
		const char *pids;
	} cases[] = {
		{ "wait > 10ms", "3" },   { "wait < 10ms", "1" }, { "!has(wait)", "2" },
		{ "pid != 2", "13" },     { "true", "123" },      { "wait > 1h", "" },
		{ "op == 'read'", "13" }, { "path == ''", "2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct conf conf = { cases[i].where };
		struct transform_host t;
		char pids[8] = "";

		assert_int_equal(transform_open(&t, &schema, &conf), 0);
		assert_int_equal(weir_component.push(&t.ctx, 0, &world.batch), 0);
		assert_non_null(t.out);
		for (uint32_t r = 0; r < t.out->row_count && r < sizeof(pids) - 1; r++)
			pids[r] = (char)('0' + ((const struct row *)weir_row(t.out, r))->pid);
		assert_string_equal(pids, cases[i].pids);
		assert_int_equal(t.out->start, 100);
		assert_int_equal(t.out->end, 200);
		assert_int_equal(t.out->flags, WEIR_BATCH_GAP);
		transform_close(&t);
	}
}

static void texts_and_names_stay_with_their_rows(void **state)
{
	const struct conf conf = { "pid == 3" };
	struct transform_host t;
	const struct row *row;

	(void)state;
	assert_int_equal(transform_open(&t, &schema, &conf), 0);
	assert_int_equal(weir_component.push(&t.ctx, 0, &world.batch), 0);
	row = weir_row(t.out, 0);
	assert_string_equal(weir_text_of(t.out, row->path), "/bc");
	assert_ptr_equal(t.out->names, world.batch.names);
	assert_int_equal(row->op.id, world.rows[2].op.id);
	transform_close(&t);
}

static void what_finds_no_room_is_counted(void **state)
{
	const struct conf conf = { "pid != 2" };
	struct transform_host t;

	(void)state;
	assert_int_equal(transform_open(&t, &schema, &conf), 0);
	t.full = true;
	assert_int_equal(weir_component.push(&t.ctx, 0, &world.batch), 0);
	assert_int_equal(t.lost, 2);
	transform_close(&t);
}

static void only_conditions_are_taken(void **state)
{
	const struct conf number = { "wait * 2" }, unknown = { "wiat > 1ms" };
	struct transform_host t;

	(void)state;
	assert_int_equal(transform_open(&t, &schema, &number), -EINVAL);
	assert_string_equal(t.said, "\"wait * 2\" is a value, not a condition");
	transform_close(&t);
	assert_int_equal(transform_open(&t, &schema, &unknown), -EINVAL);
	assert_string_equal(t.said, "unknown column \"wiat\"; did you mean \"wait\"?");
	transform_close(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_that_fit_are_kept),
		cmocka_unit_test(texts_and_names_stay_with_their_rows),
		cmocka_unit_test(what_finds_no_room_is_counted),
		cmocka_unit_test(only_conditions_are_taken),
	};

	return cmocka_run_group_tests(tests, world_make, world_end);
}
