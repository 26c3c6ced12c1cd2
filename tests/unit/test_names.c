/* SPDX-License-Identifier: BSD-2-Clause */
/* Name tables: stable ids, texts that never move, readers on other threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failing_memory.h"
#include "names.h"

#include <cmocka.h>

#define MANY 30000u

static uint32_t intern_number(struct weir_names *names, uint32_t number)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "name-%u", number);

	return names_intern(names, text, (size_t)length);
}

static void assert_number(const struct weir_names *names, uint32_t id, uint32_t number)
{
	char expected[32];
	uint32_t length;

	snprintf(expected, sizeof(expected), "name-%u", number);
	assert_string_equal(names_text(names, id, &length), expected);
	assert_int_equal(length, strlen(expected));
}

static void equal_texts_have_one_id_and_ids_stay(void **state)
{
	struct weir_names *names = names_new();
	const char *first;

	(void)state;
	assert_int_equal(intern_number(names, 0), 1);
	first = names_text(names, 1, NULL);
	for (uint32_t i = 1; i < MANY; i++)
		assert_int_equal(intern_number(names, i), i + 1);
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(intern_number(names, i), i + 1);
		assert_number(names, i + 1, i);
	}
	assert_ptr_equal(names_text(names, 1, NULL), first);
	assert_true(names_bytes(names) > MANY * 10);
	names_release(names);
}

static void odd_texts_and_ids_are_harmless(void **state)
{
	struct weir_names *names = names_new();
	char large[200000];
	uint32_t length, id;

	(void)state;
	memset(large, 'x', sizeof(large));
	assert_int_equal(names_intern(names, "", 0), 0);
	assert_string_equal(names_text(names, 0, &length), "");
	assert_int_equal(length, 0);
	assert_string_equal(names_text(names, 4000000000u, NULL), "");
	assert_string_equal(names_text(NULL, 1, NULL), "");
	id = names_intern(names, "a\0b", 3);
	assert_int_not_equal(id, names_intern(names, "a\0c", 3));
	assert_memory_equal(names_text(names, id, &length), "a\0b", 4);
	id = names_intern(names, large, sizeof(large));
	assert_memory_equal(names_text(names, id, &length), large, sizeof(large));
	assert_int_equal(length, sizeof(large));
	names_hold(names);
	names_release(names);
	names_release(names);
	names_release(NULL);
}

/* How ids get from the owner to a reader: through a mutex, as in a queue. */
struct handover {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct weir_names *names;
	uint32_t published;
	uint32_t wrong;
};

static void *read_names(void *arg)
{
	struct handover *handover = arg;

	for (uint32_t seen = 0; seen < MANY;) {
		uint32_t published;

		pthread_mutex_lock(&handover->lock);
		while (handover->published == seen)
			pthread_cond_wait(&handover->changed, &handover->lock);
		published = handover->published;
		pthread_mutex_unlock(&handover->lock);
		for (; seen < published; seen++) {
			char expected[32];

			snprintf(expected, sizeof(expected), "name-%u", seen);
			if (strcmp(names_text(handover->names, seen + 1, NULL), expected) != 0)
				handover->wrong++;
		}
	}
	names_release(handover->names);
	return NULL;
}

static void another_thread_reads_while_the_owner_interns(void **state)
{
	struct handover handover = { .lock = PTHREAD_MUTEX_INITIALIZER,
				     .changed = PTHREAD_COND_INITIALIZER,
				     .names = names_new() };
	pthread_t reader;

	(void)state;
	names_hold(handover.names);
	pthread_create(&reader, NULL, read_names, &handover);
	for (uint32_t i = 0; i < MANY; i++) {
		intern_number(handover.names, i);
		if (i % 7 && i + 1 < MANY)
			continue;
		pthread_mutex_lock(&handover.lock);
		handover.published = i + 1;
		pthread_cond_signal(&handover.changed);
		pthread_mutex_unlock(&handover.lock);
	}
	names_release(handover.names);
	pthread_join(reader, NULL);
	assert_int_equal(handover.wrong, 0);
}

static void without_memory_a_name_is_0_and_the_table_stays_whole(void **state)
{
	struct weir_names *names = NULL;
	uint32_t refused = 0;

	(void)state;
	for (int calls = 0; !names; calls++) {
		assert_true(calls < 10);
		failing_memory_after(calls);
		names = names_new();
		failing_memory_never();
	}
	for (uint32_t i = 0; i < 3000; i++) {
		uint32_t id = 0;

		for (int calls = 0; !id; calls++) {
			assert_true(calls < 10);
			failing_memory_after(calls);
			id = intern_number(names, i);
			failing_memory_never();
			refused += !id;
		}
		assert_int_equal(id, i + 1);
	}
	assert_true(refused > 0);
	for (uint32_t i = 0; i < 3000; i++)
		assert_number(names, i + 1, i);
	names_release(names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_texts_have_one_id_and_ids_stay),
		cmocka_unit_test(odd_texts_and_ids_are_harmless),
		cmocka_unit_test(another_thread_reads_while_the_owner_interns),
		cmocka_unit_test(without_memory_a_name_is_0_and_the_table_stays_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
