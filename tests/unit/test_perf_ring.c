/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader of perf's rings: records that wrap around, and sizes that cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/perf_ring.h>

#include <cmocka.h>

#define RING_SIZE 4096

/* A ring in plain memory, in place of the kernel's. */
struct fake {
	struct perf_event_mmap_page page;
	uint64_t data[RING_SIZE / 8];
	struct weir_perf_ring ring;
};

static void fake_open(struct fake *fake, uint64_t at)
{
	memset(fake, 0, sizeof(*fake));
	fake->page.data_head = fake->page.data_tail = at;
	fake->ring.page = &fake->page;
	fake->ring.data = (const uint8_t *)fake->data;
	fake->ring.data_size = RING_SIZE;
	fake->ring.tail = at;
	fake->ring.copy = malloc(WEIR_PERF_RECORD_MAX);
	assert_non_null(fake->ring.copy);
}

/* A record of `size` bytes as its header says, whose words count up; it takes `takes` bytes. */
static void fake_write(struct fake *fake, uint16_t size, uint16_t takes)
{
	struct perf_event_header header = { .type = 7, .size = size };
	uint64_t at = fake->page.data_head;

	memcpy(&fake->data[at % RING_SIZE / 8], &header, sizeof(header));
	for (uint64_t i = 8; i < takes; i += 8)
		fake->data[(at + i) % RING_SIZE / 8] = i;
	fake->page.data_head += takes;
}

static void records_are_whole_wherever_they_begin(void **state)
{
	struct fake fake;

	(void)state;
	for (uint64_t at = 0; at < 2 * RING_SIZE; at += 8) {
		const struct perf_event_header *record;

		fake_open(&fake, at);
		fake_write(&fake, 1024, 1024);
		fake_write(&fake, 8, 8);
		weir_perf_ring_begin(&fake.ring);
		record = weir_perf_ring_next(&fake.ring);
		assert_non_null(record);
		assert_int_equal(record->size, 1024);
		for (uint64_t i = 8; i < 1024; i += 8)
			assert_int_equal(((const uint64_t *)(const void *)record)[i / 8], i);
		record = weir_perf_ring_next(&fake.ring);
		assert_non_null(record);
		assert_int_equal(record->size, 8);
		assert_null(weir_perf_ring_next(&fake.ring));
		weir_perf_ring_end(&fake.ring);
		assert_int_equal(fake.page.data_tail, fake.page.data_head);
		assert_int_equal(fake.ring.broken, 0);
		free(fake.ring.copy);
	}
}

static void an_impossible_size_ends_the_reading_and_is_counted(void **state)
{
	static const uint16_t sizes[] = { 0, 7, 12, 1000, 65535 };
	struct fake fake;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		fake_open(&fake, 0);
		fake_write(&fake, 16, 16);
		fake_write(&fake, sizes[i], 64);
		weir_perf_ring_begin(&fake.ring);
		assert_non_null(weir_perf_ring_next(&fake.ring));
		assert_null(weir_perf_ring_next(&fake.ring));
		assert_int_equal(fake.ring.broken, 64);
		/* And the ring goes on behind it. */
		weir_perf_ring_end(&fake.ring);
		fake_write(&fake, 24, 24);
		weir_perf_ring_begin(&fake.ring);
		assert_non_null(weir_perf_ring_next(&fake.ring));
		free(fake.ring.copy);
	}
}

static void what_comes_while_reading_waits_for_the_next_time(void **state)
{
	struct fake fake;

	(void)state;
	fake_open(&fake, 0);
	fake_write(&fake, 16, 16);
	weir_perf_ring_begin(&fake.ring);
	fake_write(&fake, 16, 16);
	assert_non_null(weir_perf_ring_next(&fake.ring));
	assert_null(weir_perf_ring_next(&fake.ring));
	weir_perf_ring_begin(&fake.ring);
	assert_non_null(weir_perf_ring_next(&fake.ring));
	free(fake.ring.copy);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_whole_wherever_they_begin),
		cmocka_unit_test(an_impossible_size_ends_the_reading_and_is_counted),
		cmocka_unit_test(what_comes_while_reading_waits_for_the_next_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
