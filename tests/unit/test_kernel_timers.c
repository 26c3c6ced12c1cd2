/* SPDX-License-Identifier: BSD-2-Clause */
/* kernel.timers over a root with units of its own. */
#include "source_host.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#define SECOND 1000000000ull

/* Makes the timer one that is enabled. */
static void enable(struct source_host *source, const char *timer)
{
	char path[128];

	snprintf(path, sizeof(path), "etc/systemd/system/timers.target.wants/%s", timer);
	source_file(source, path, "");
}

/* It fired so long ago, by the wall's clock. */
static void stamp(struct source_host *source, const char *timer, int64_t seconds_ago)
{
	char path[256], below[192];
	struct timespec times[2];

	snprintf(below, sizeof(below), "var/lib/systemd/timers/stamp-%s", timer);
	source_file(source, below, "");
	snprintf(path, sizeof(path), "%s/%s", source->root, below);
	assert_int_equal(clock_gettime(CLOCK_REALTIME, &times[0]), 0);
	times[0].tv_sec -= seconds_ago;
	times[1] = times[0];
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void each_timer_tells_what_it_starts_and_when_it_did(void **state)
{
	struct source_host source;
	uint32_t row;
	uint64_t fired;

	(void)state;
	source_open(&source, NULL);
	source.now = 1000 * SECOND;
	source_file(&source, "lib/systemd/system/backup.timer",
		    "[Unit]\nUnit=no\n[Timer]\nOnCalendar=daily\nPersistent=true\n");
	source_file(&source, "lib/systemd/system/other.timer",
		    "[Timer]\nUnit=early.service\nUnit= late.service \n[Install]\nUnit=no\n");
	source_file(&source, "run/systemd/transient/run-r1.timer", "[Timer]\nOnActiveSec=1\n");
	source_file(&source, "lib/systemd/system/disabled.timer", "[Timer]\n");
	source_file(&source, "lib/systemd/system/backup.service", "[Service]\n");
	enable(&source, "backup.timer");
	enable(&source, "other.timer");
	stamp(&source, "backup.timer", 5);
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_true(source.finished);
	assert_int_equal(source_rows(&source, 0), 3);
	row = source_find(&source, 0, "timer", "backup.timer");
	assert_string_equal(source_text(&source, 0, row, "unit"), "backup.service");
	fired = source_uint(&source, 0, row, "fired");
	assert_in_range(fired, 900 * SECOND, 995 * SECOND);
	row = source_find(&source, 0, "timer", "other.timer");
	assert_string_equal(source_text(&source, 0, row, "unit"), "late.service");
	assert_true(source_uint(&source, 0, row, "fired") == WEIR_ABSENT_U64);
	row = source_find(&source, 0, "timer", "run-r1.timer");
	assert_string_equal(source_text(&source, 0, row, "unit"), "run-r1.service");
	source_close(&source);
}

static void the_first_folder_counts_and_a_masked_timer_is_none(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	source_file(&source, "etc/systemd/system/twice.timer", "[Timer]\nUnit=mine.service\n");
	source_file(&source, "lib/systemd/system/twice.timer", "[Timer]\nUnit=theirs.service\n");
	source_file(&source, "etc/systemd/system/masked.timer", "");
	source_file(&source, "lib/systemd/system/masked.timer", "[Timer]\n");
	enable(&source, "twice.timer");
	enable(&source, "masked.timer");
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), 1);
	assert_string_equal(source_text(&source, 0, 0, "unit"), "mine.service");
	source_close(&source);
}

static void a_stamp_of_before_this_boot_is_no_moment_of_this_clock(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	source.now = 1000 * SECOND;
	source_file(&source, "lib/systemd/system/old.timer", "[Timer]\n");
	source_file(&source, "lib/systemd/system/early.timer", "[Timer]\n");
	enable(&source, "old.timer");
	enable(&source, "early.timer");
	stamp(&source, "old.timer", 2000);
	stamp(&source, "early.timer", -100);
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), 2);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(source_uint(&source, 0, i, "fired") == WEIR_ABSENT_U64);
	source_close(&source);
}

static void a_machine_without_systemd_has_no_timers(void **state)
{
	struct source_host source;

	(void)state;
	source_open(&source, NULL);
	assert_int_equal(source_start(&source), 0);
	assert_int_equal(source_tick(&source, 0), 0);
	assert_int_equal(source_rows(&source, 0), 0);
	source_close(&source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_timer_tells_what_it_starts_and_when_it_did),
		cmocka_unit_test(the_first_folder_counts_and_a_masked_timer_is_none),
		cmocka_unit_test(a_stamp_of_before_this_boot_is_no_moment_of_this_clock),
		cmocka_unit_test(a_machine_without_systemd_has_no_timers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
