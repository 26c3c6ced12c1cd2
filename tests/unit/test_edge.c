/* SPDX-License-Identifier: BSD-2-Clause */
/* Edges: policies, bounds, and a ledger that adds up whatever happens. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "edge.h"
#include "failing_memory.h"

#include <cmocka.h>

static struct batch *rows(uint32_t count)
{
	struct batch *batch = batch_new(8, count, 0);

	assert_non_null(batch);
	batch->seen.row_count = count;
	assert_int_equal(batch_commit(batch), 0);
	return batch;
}

static void push(struct edge *edge, uint32_t count)
{
	struct batch *batch = rows(count);

	edge_push(edge, batch);
	batch_release(batch);
}

static struct edge_counts account(struct edge *edge)
{
	struct edge_counts counts;
	uint64_t sum;

	edge_count(edge, &counts);
	sum = counts.out + counts.queued;
	for (int i = 0; i < EDGE_LOSSES; i++)
		sum += counts.lost[i];
	assert_int_equal(counts.in, sum);
	return counts;
}

static void the_account_adds_up_under_random_loads(void **state)
{
	(void)state;
	for (int policy = QUEUE_BLOCK; policy <= QUEUE_DROP_OLDEST; policy++) {
		struct queue_limits limits = { 100, 4000, (enum queue_policy)policy };
		struct edge edge;

		srand(7);
		edge_init(&edge, &limits);
		for (int i = 0; i < 20000; i++) {
			struct edge_counts counts;

			if (rand() % 2 && edge_has_room(&edge))
				push(&edge, (uint32_t)(rand() % 60));
			else if (edge.reading)
				edge_done(&edge, rand() % 8 ? EDGE_NOT_LOST : EDGE_FAILED);
			else
				edge_pop(&edge);
			counts = account(&edge);
			/* A writer that asked first exceeds the bound by one batch at most. */
			assert_true(counts.queued <= 100 + 60);
			assert_true(policy == QUEUE_BLOCK ? counts.lost[EDGE_FULL] == 0 : true);
		}
		edge_close(&edge, EDGE_DEADLINE, true);
		assert_int_equal(account(&edge).queued, 0);
		assert_int_equal(edge.bytes, 0);
		edge_clear(&edge);
	}
}

static void newest_and_oldest_are_dropped_as_said(void **state)
{
	static const struct {
		enum queue_policy policy;
		uint32_t first_left; /* rows of the first batch that is still there */
	} cases[] = { { QUEUE_DROP_NEWEST, 1 }, { QUEUE_DROP_OLDEST, 3 } };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct queue_limits limits = { 7, 0, cases[i].policy };
		struct edge edge;

		edge_init(&edge, &limits);
		for (uint32_t n = 1; n <= 4; n++)
			push(&edge, n);
		assert_int_equal(account(&edge).lost[EDGE_FULL], i ? 3 : 4);
		assert_int_equal(edge_pop(&edge)->seen.row_count, cases[i].first_left);
		edge_done(&edge, EDGE_NOT_LOST);
		edge_clear(&edge);
	}
}

static void a_batch_above_the_bound_passes_an_empty_queue(void **state)
{
	struct queue_limits limits = { 5, 64, QUEUE_DROP_NEWEST };
	struct edge edge;

	(void)state;
	edge_init(&edge, &limits);
	push(&edge, 50);
	push(&edge, 50);
	assert_int_equal(account(&edge).queued, 50);
	assert_int_equal(account(&edge).lost[EDGE_FULL], 50);
	edge_clear(&edge);
}

static void a_blocking_edge_says_when_there_is_room_again(void **state)
{
	struct queue_limits limits = { 2, 0, QUEUE_BLOCK };
	struct edge edge;

	(void)state;
	edge_init(&edge, &limits);
	push(&edge, 1);
	assert_true(edge_has_room(&edge));
	push(&edge, 1);
	assert_false(edge_has_room(&edge));
	/* What the reader has is not yet room. */
	assert_non_null(edge_pop(&edge));
	assert_false(edge_has_room(&edge));
	assert_true(edge_done(&edge, EDGE_NOT_LOST));
	assert_true(edge_has_room(&edge));
	assert_false(edge_done(&edge, EDGE_NOT_LOST));
	edge_clear(&edge);
}

static void a_closed_edge_counts_and_keeps_its_first_reason(void **state)
{
	struct queue_limits limits = { 0, 0, QUEUE_BLOCK };
	struct edge edge;

	(void)state;
	edge_init(&edge, &limits);
	push(&edge, 3);
	edge_close(&edge, EDGE_FAILED, false);
	edge_close(&edge, EDGE_DEADLINE, true);
	push(&edge, 4);
	assert_true(edge_has_room(&edge));
	assert_int_equal(account(&edge).lost[EDGE_FAILED], 7);
	assert_true(edge_idle(&edge));
	edge_clear(&edge);
}

struct race {
	struct edge edge;
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int over;
	uint64_t got;
};

static void *race_read(void *arg)
{
	struct race *race = arg;
	struct batch *batch;

	pthread_mutex_lock(&race->lock);
	for (;;) {
		while ((batch = edge_pop(&race->edge))) {
			race->got += batch->seen.row_count;
			edge_done(&race->edge, EDGE_NOT_LOST);
		}
		if (race->over)
			break;
		pthread_cond_wait(&race->filled, &race->lock);
	}
	pthread_mutex_unlock(&race->lock);
	return NULL;
}

static void two_threads_share_an_edge(void **state)
{
	struct race race = { .lock = PTHREAD_MUTEX_INITIALIZER,
			     .filled = PTHREAD_COND_INITIALIZER };
	struct queue_limits limits = { 64, 0, QUEUE_DROP_OLDEST };
	struct edge_counts counts;
	pthread_t reader;

	(void)state;
	edge_init(&race.edge, &limits);
	pthread_create(&reader, NULL, race_read, &race);
	for (int i = 0; i < 5000; i++) {
		push(&race.edge, 3);
		account(&race.edge);
		pthread_cond_signal(&race.filled);
	}
	pthread_mutex_lock(&race.lock);
	race.over = 1;
	pthread_cond_signal(&race.filled);
	pthread_mutex_unlock(&race.lock);
	pthread_join(reader, NULL);
	counts = account(&race.edge);
	assert_int_equal(counts.in, 15000);
	assert_int_equal(counts.out, race.got);
	edge_clear(&race.edge);
}

static void without_memory_rows_are_counted_not_forgotten(void **state)
{
	struct queue_limits limits = { 0, 0, QUEUE_DROP_NEWEST };
	struct batch *batch = rows(2);
	struct edge edge;

	(void)state;
	edge_init(&edge, &limits);
	failing_memory_after(0);
	for (int i = 0; i < 20; i++)
		edge_push(&edge, batch);
	failing_memory_never();
	assert_int_equal(account(&edge).lost[EDGE_NO_MEMORY], 40);
	for (int i = 0; i < 9; i++) {
		failing_memory_after(i < 8 ? 1 : 0);
		edge_push(&edge, batch);
	}
	failing_memory_never();
	assert_int_equal(account(&edge).queued, 16);
	assert_int_equal(account(&edge).lost[EDGE_NO_MEMORY], 42);
	batch_release(batch);
	edge_clear(&edge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_account_adds_up_under_random_loads),
		cmocka_unit_test(newest_and_oldest_are_dropped_as_said),
		cmocka_unit_test(a_batch_above_the_bound_passes_an_empty_queue),
		cmocka_unit_test(a_blocking_edge_says_when_there_is_room_again),
		cmocka_unit_test(a_closed_edge_counts_and_keeps_its_first_reason),
		cmocka_unit_test(two_threads_share_an_edge),
		cmocka_unit_test(without_memory_rows_are_counted_not_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
