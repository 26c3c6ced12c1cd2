/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of samples: a recorded tree's own, else the machine's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include <weir/sample.h>

#include <cmocka.h>

#define SAMPLE_NOW 5000000000u

static uint64_t fake_now(struct weir_ctx *ctx)
{
	(void)ctx;
	return SAMPLE_NOW;
}

static int fake_fail(struct weir_ctx *ctx, int error, const char *format, va_list args)
{
	(void)ctx;
	(void)format;
	(void)args;
	return error;
}

static const struct weir_host fake_host = { .now = fake_now, .fail = fake_fail };

/* A tree whose proc/uptime holds `text`; NULL: it has none. Returns what weir_sample_time() does. */
static int time_of(const char *text, struct weir_sample_time *time)
{
	struct weir_ctx ctx = { .host = &fake_host };
	char root[] = "/tmp/weir-sample-XXXXXX";
	int err, fd;

	assert_non_null(mkdtemp(root));
	ctx.root = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(ctx.root >= 0);
	assert_int_equal(mkdirat(ctx.root, "proc", 0755), 0);
	if (text) {
		fd = openat(ctx.root, "proc/uptime", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
		close(fd);
	}
	err = weir_sample_time(&ctx, time);
	unlinkat(ctx.root, "proc/uptime", 0);
	unlinkat(ctx.root, "proc", AT_REMOVEDIR);
	close(ctx.root);
	rmdir(root);
	return err;
}

static void a_recorded_tree_has_a_clock_of_its_own(void **state)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} good[] = {
		{ "123.45 99.00\n", 123450000000u },
		{ "0.05 0.00\n", 50000000u },
		{ "7. 0.00\n", 7000000000u },
	};
	static const char *const bad[] = {
		"", "\n", "12\n", "x.00 1\n", "-1.00 1\n", "1.2x 1\n", "99999999999999999999.00 1\n"
	};
	struct weir_sample_time time;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(time_of(good[i].text, &time), 0);
		assert_int_equal(time.clock, good[i].ns);
		assert_int_equal(time.now, SAMPLE_NOW);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(time_of(bad[i], &time), -EBADMSG);
	assert_int_equal(time_of(NULL, &time), -ENOENT);
}

static void the_machine_itself_goes_by_the_monotonic_clock(void **state)
{
	struct weir_ctx ctx = { .host = &fake_host };
	struct weir_sample_time time;

	(void)state;
	ctx.root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(weir_sample_is_live(&ctx));
	assert_int_equal(weir_sample_time(&ctx, &time), 0);
	assert_int_equal(time.clock, SAMPLE_NOW);
	close(ctx.root);
}

static void a_window_is_as_long_as_what_lies_between_its_samples(void **state)
{
	const struct weir_sample_time from = { .clock = 70, .now = 1000 };
	const struct weir_sample_time to = { .clock = 100, .now = 1004 };
	struct weir_batch batch = { 0 };

	(void)state;
	weir_sample_window(&batch, &from, &to);
	assert_int_equal(batch.end, 1004);
	assert_int_equal(batch.start, 974);
	assert_int_equal(weir_sample_elapsed(&to, &from), 0);
}

static void a_counter_that_went_back_is_absent_and_a_gap(void **state)
{
	struct weir_batch batch = { 0 };

	(void)state;
	assert_int_equal(weir_sample_added(&batch, 5, 9), 4);
	assert_int_equal(batch.flags, 0);
	assert_true(weir_sample_added(&batch, 9, 5) == WEIR_ABSENT_U64);
	assert_int_equal(batch.flags, WEIR_BATCH_GAP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_recorded_tree_has_a_clock_of_its_own),
		cmocka_unit_test(the_machine_itself_goes_by_the_monotonic_clock),
		cmocka_unit_test(a_window_is_as_long_as_what_lies_between_its_samples),
		cmocka_unit_test(a_counter_that_went_back_is_absent_and_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
