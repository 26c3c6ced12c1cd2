/* SPDX-License-Identifier: BSD-2-Clause */
/* flame.fold: what is merged, what is kept apart, and that the total stays. */
#include "flame_host.h"

/* As flame.fold emits it. */
struct folded {
	struct weir_name comm;
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	struct weir_stack_ref stack;
	uint64_t weight;
	uint64_t samples;
};

static const struct folded *folded_row(const struct flame_host *flame, uint32_t i)
{
	return weir_row(&flame->out[0]->seen, i);
}

static const struct weir_frame *folded_frames(const struct flame_host *flame, uint32_t i)
{
	return weir_arena(&flame->out[0]->seen, folded_row(flame, i)->stack.offset);
}

static void run(struct flame_host *flame)
{
	assert_int_equal(flame_push(flame), 0);
	assert_int_equal(flame_drain(flame), 0);
	assert_int_equal(flame->out_count, 1);
}

static void equal_functions_merge_whatever_the_addresses(void **unused)
{
	struct flame_host flame;
	uint32_t i;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	for (i = 0; i < 3; i++)
		flame_sample(&flame, "a", 10, "leaf@/bin/x;main@/bin/x#c");
	flame_sample(&flame, "a", 5, "leaf@/lib/y;main@/bin/x#c");
	run(&flame);
	assert_int_equal(flame.out[0]->seen.row_count, 2);
	assert_int_equal(folded_row(&flame, 0)->weight, 30);
	assert_int_equal(folded_row(&flame, 0)->samples, 3);
	assert_int_equal(folded_frames(&flame, 0)[0].address, 0);
	assert_string_equal(flame_name(&flame.out[0]->seen, folded_frames(&flame, 0)[1].symbol),
			    "main");
	assert_string_equal(flame_name(&flame.out[0]->seen, folded_row(&flame, 0)->comm.id), "a");
	assert_int_equal(folded_row(&flame, 0)->pid, WEIR_ABSENT_U32);
	assert_int_equal(folded_row(&flame, 1)->weight, 5);
	flame_close(&flame);
}

static void frames_without_a_function_merge_by_object(void **unused)
{
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	flame_sample(&flame, "a", 1, "@/lib/y;main@/bin/x");
	flame_sample(&flame, "a", 1, "@/lib/y;main@/bin/x");
	flame_sample(&flame, "a", 1, "@/lib/z;main@/bin/x");
	run(&flame);
	assert_int_equal(flame.out[0]->seen.row_count, 2);
	flame_close(&flame);
}

static void kernel_and_user_functions_of_one_name_are_two(void **unused)
{
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	flame_sample(&flame, "a", 1, "memcpy;main");
	flame_sample(&flame, "a", 1, "memcpy#k;main");
	run(&flame);
	assert_int_equal(flame.out[0]->seen.row_count, 2);
	flame_close(&flame);
}

static void by_says_what_is_kept_apart(void **unused)
{
	static const char *const by_pid[] = { "by=pid,tid", NULL };
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, by_pid), 0);
	flame.pid = 42;
	flame_sample(&flame, "a", 1, "main");
	flame_sample(&flame, "b", 1, "main");
	run(&flame);
	assert_int_equal(flame.out[0]->seen.row_count, 1);
	assert_int_equal(folded_row(&flame, 0)->pid, 42);
	assert_int_equal(folded_row(&flame, 0)->tid, 42);
	assert_int_equal(folded_row(&flame, 0)->comm.id, 0);
	flame_close(&flame);
}

static void weight_beyond_max_stacks_stays_in_the_total(void **unused)
{
	static const char *const two[] = { "max_stacks=2", NULL };
	struct flame_host flame;
	const struct weir_batch *out;
	uint64_t total = 0;
	uint32_t i;

	(void)unused;
	assert_int_equal(flame_open(&flame, two), 0);
	flame_sample(&flame, "a", 1, "one");
	flame_sample(&flame, "a", 2, "two");
	flame_sample(&flame, "a", 4, "three");
	flame_sample(&flame, "a", 8, "four");
	flame_sample(&flame, "a", 16, "two");
	run(&flame);
	out = &flame.out[0]->seen;
	assert_int_equal(out->row_count, 3);
	for (i = 0; i < out->row_count; i++)
		total += folded_row(&flame, i)->weight;
	assert_int_equal(total, 31);
	assert_string_equal(flame_name(out, folded_frames(&flame, 0)[0].symbol), "[lost stack]");
	assert_int_equal(folded_row(&flame, 0)->weight, 12);
	assert_int_equal(flame.lost, 2);
	flame_close(&flame);
}

static void an_empty_stack_keeps_its_weight(void **unused)
{
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	flame_sample(&flame, "a", 7, "");
	run(&flame);
	assert_int_equal(folded_row(&flame, 0)->weight, 7);
	assert_int_equal(folded_row(&flame, 0)->stack.count, 0);
	flame_close(&flame);
}

static void the_unit_of_the_weight_is_handed_on(void **unused)
{
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	assert_string_equal(weir_find(flame.declared, "weight")->unit->ucum, "ns");
	flame_close(&flame);
}

static void ticks_send_windows_and_begin_again(void **unused)
{
	static const char *const often[] = { "interval=1s", NULL };
	struct flame_host flame;

	(void)unused;
	assert_int_equal(flame_open(&flame, often), 0);
	flame_sample(&flame, "a", 7, "main");
	assert_int_equal(flame_push(&flame), 0);
	assert_int_equal(weir_component.tick(&flame.ctx, 3000), 0);
	assert_int_equal(flame.out[0]->seen.end, 3000);
	flame_sample(&flame, "a", 5, "main");
	assert_int_equal(flame_push(&flame), 0);
	assert_int_equal(flame_drain(&flame), 0);
	assert_int_equal(flame.out_count, 2);
	assert_int_equal(((const struct folded *)weir_row(&flame.out[1]->seen, 0))->weight, 5);
	flame_close(&flame);
}

static void many_stacks_come_out_in_many_batches(void **unused)
{
	struct flame_host flame;
	uint32_t i, rows = 0;
	char stack[64];

	(void)unused;
	assert_int_equal(flame_open(&flame, NULL), 0);
	for (i = 0; i < 5000; i++) {
		snprintf(stack, sizeof(stack), "leaf%u;main", i);
		flame_sample(&flame, "a", 1, stack);
	}
	assert_int_equal(flame_push(&flame), 0);
	assert_int_equal(flame_drain(&flame), 0);
	for (i = 0; i < flame.out_count; i++)
		rows += flame.out[i]->seen.row_count;
	assert_int_equal(rows, 5000);
	assert_true(flame.out_count > 1);
	flame_close(&flame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_functions_merge_whatever_the_addresses),
		cmocka_unit_test(frames_without_a_function_merge_by_object),
		cmocka_unit_test(kernel_and_user_functions_of_one_name_are_two),
		cmocka_unit_test(by_says_what_is_kept_apart),
		cmocka_unit_test(weight_beyond_max_stacks_stays_in_the_total),
		cmocka_unit_test(an_empty_stack_keeps_its_weight),
		cmocka_unit_test(the_unit_of_the_weight_is_handed_on),
		cmocka_unit_test(ticks_send_windows_and_begin_again),
		cmocka_unit_test(many_stacks_come_out_in_many_batches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
