/* SPDX-License-Identifier: BSD-2-Clause */
/* Options: text to value, range, lists, defaults, and the words of each error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "option.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct conf {
	uint64_t interval;
	uint64_t size;
	uint64_t big;
	int64_t offset;
	double load;
	double share;
	const char *name;
	struct weir_texts files;
	uint32_t pid;
	int32_t nice;
	uint32_t order;
	uint32_t by;
	bool all;
};

static const struct weir_option options[] = {
	WEIR_OPT_DURATION(struct conf, interval, "10s", 1000000, WEIR_HOUR, "how often"),
	WEIR_OPT_SIZE(struct conf, size, "4KiB", 512, 1 << 30, "of a buffer"),
	WEIR_OPT_UINT(struct conf, big, "0", 0, 0, "anything"),
	WEIR_OPT_INT(struct conf, offset, "0", 0, 0, "anything"),
	WEIR_OPT_DOUBLE(struct conf, load, "0.5", -1, 2, "load"),
	WEIR_OPT_RATIO(struct conf, share, "1%", "share"),
	WEIR_OPT_TEXT(struct conf, name, "", "a name"),
	WEIR_OPT_TEXTS(struct conf, files, "a,b", "files"),
	WEIR_OPT_UINT(struct conf, pid, "0", 0, 4194304, "a process"),
	WEIR_OPT_INT(struct conf, nice, "0", -20, 19, "priority"),
	WEIR_OPT_CHOICE(struct conf, order, "time", "time count share", "what to sort by"),
	WEIR_OPT_CHOICES(struct conf, by, "disk", "disk op error", "keys"),
	WEIR_OPT_BOOL(struct conf, all, "false", "everything"),
};

static const struct weir_component component = {
	.size = sizeof(struct weir_component),
	.name = "disk.latency",
	.options_size = sizeof(struct conf),
	.options = WEIR_TABLE(options),
};

static void durations_and_sizes_are_exact(void **state)
{
	static const struct {
		int (*parse)(const char *text, uint64_t *value);
		const char *text;
		int err;
		uint64_t value;
	} rows[] = {
		{ option_duration, "250ms", 0, 250000000 },
		{ option_duration, "1.5s", 0, 1500000000 },
		{ option_duration, "0.1us", 0, 100 },
		{ option_duration, "0.000000001s", 0, 1 },
		{ option_duration, "1.10h", 0, UINT64_C(3960000000000) },
		{ option_duration, "0.000000001d", 0, 86400 },
		{ option_duration, "213503d", 0, UINT64_C(18446659200000000000) },
		{ option_duration, "0", 0, 0 },
		{ option_duration, "0s", 0, 0 },
		{ option_duration, "18446744073709551615ns", 0, UINT64_MAX },
		{ option_duration, "18446744073709551616ns", -ERANGE, 0 },
		{ option_duration, "18446744073709551615.5us", -ERANGE, 0 },
		{ option_duration, "99999999999999999s", -ERANGE, 0 },
		{ option_duration, "213504d", -ERANGE, 0 },
		{ option_duration, "0.5ns", -EINVAL, 0 },
		{ option_duration, "0.0000000001s", -EINVAL, 0 },
		{ option_duration, "250", -EINVAL, 0 },
		{ option_duration, "1e3s", -EINVAL, 0 },
		{ option_duration, "-1s", -EINVAL, 0 },
		{ option_duration, "+1s", -EINVAL, 0 },
		{ option_duration, " 1s", -EINVAL, 0 },
		{ option_duration, "1 s", -EINVAL, 0 },
		{ option_duration, "1.s", -EINVAL, 0 },
		{ option_duration, ".5s", -EINVAL, 0 },
		{ option_duration, "1s30", -EINVAL, 0 },
		{ option_duration, "", -EINVAL, 0 },
		{ option_duration, "s", -EINVAL, 0 },
		{ option_duration, "1S", -EINVAL, 0 },
		{ option_size, "64MiB", 0, 64 << 20 },
		{ option_size, "4096B", 0, 4096 },
		{ option_size, "1.5KiB", 0, 1536 },
		{ option_size, "0.0625KiB", 0, 64 },
		{ option_size, "2GB", 0, 2000000000 },
		{ option_size, "1kB", 0, 1000 },
		{ option_size, "3TiB", 0, UINT64_C(3298534883328) },
		{ option_size, "0", 0, 0 },
		{ option_size, "16777215TiB", 0, UINT64_C(18446742974197923840) },
		{ option_size, "16777216TiB", -ERANGE, 0 },
		{ option_size, "4096", -EINVAL, 0 },
		{ option_size, "0.1B", -EINVAL, 0 },
		{ option_size, "1Kib", -EINVAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t value = 1;
		int err = rows[i].parse(rows[i].text, &value);

		if (err != rows[i].err || (!err && value != rows[i].value))
			fail_msg("%s: %d, %llu", rows[i].text, err, (unsigned long long)value);
	}
}

static const struct {
	const char *name, *value;
	int err;
	const char *why; /* NULL: taken */
} values[] = {
	{ "interval", "250ms", 0, NULL },
	{ "interval", "250", -EINVAL, "\"250\" is not a duration such as 250ms or 10s" },
	{ "interval", "999us", -ERANGE, "\"999us\" is out of range: must be 1ms to 1h" },
	{ "interval", "2h", -ERANGE, "\"2h\" is out of range: must be 1ms to 1h" },
	{ "interval", "99999999999999999s", -ERANGE, "must be 1ms to 1h" },
	{ "size", "1B", -ERANGE, "\"1B\" is out of range: must be 512B to 1GiB" },
	{ "size", "4096", -EINVAL, "\"4096\" is not a size such as 4096B or 64MiB" },
	{ "pid", "42", 0, NULL },
	{ "pid", "42x", -EINVAL, "\"42x\" is not a whole number" },
	{ "pid", "-1", -EINVAL, "\"-1\" is not a whole number" },
	{ "pid", "1e3", -EINVAL, "\"1e3\" is not a whole number" },
	{ "pid", "0x10", -EINVAL, "\"0x10\" is not a whole number" },
	{ "pid", "", -EINVAL, "\"\" is not a whole number" },
	{ "pid", "4194305", -ERANGE, "must be 0 to 4194304" },
	{ "big", "18446744073709551615", 0, NULL },
	{ "big", "18446744073709551616", -ERANGE, "is too large or too small" },
	{ "offset", "-9223372036854775808", 0, NULL },
	{ "offset", "-9223372036854775809", -ERANGE, "is too large or too small" },
	{ "offset", "9223372036854775808", -ERANGE, "is too large or too small" },
	{ "offset", "--1", -EINVAL, "is not a whole number" },
	{ "nice", "-20", 0, NULL },
	{ "nice", "-21", -ERANGE, "must be -20 to 19" },
	{ "load", "-0.25", 0, NULL },
	{ "load", "1e0", 0, NULL },
	{ "load", "2.5", -ERANGE, "must be -1 to 2" },
	{ "load", "1e999", -ERANGE, "must be -1 to 2" },
	{ "load", "inf", -EINVAL, "\"inf\" is not a number" },
	{ "load", "nan", -EINVAL, "\"nan\" is not a number" },
	{ "load", "0x1p1", -EINVAL, "\"0x1p1\" is not a number" },
	{ "load", " 1", -EINVAL, "\" 1\" is not a number" },
	{ "share", "1%", 0, NULL },
	{ "share", "0.01", 0, NULL },
	{ "share", "-1%", -ERANGE, "is too large or too small" },
	{ "share", "%", -EINVAL, "\"%\" is not a ratio such as 1% or 0.01" },
	{ "order", "count", 0, NULL },
	{ "order", "cuont", -EINVAL,
	  "\"cuont\" is not time, count or share; did you mean \"count\"?" },
	{ "by", "disk,op", 0, NULL },
	{ "by", "disk,ops", -EINVAL, "\"ops\" is not disk, op or error; did you mean \"op\"?" },
	{ "by", "disk,", -EINVAL, "\"\" is not disk, op or error" },
	{ "all", "yes", 0, NULL },
	{ "all", "1", -EINVAL, "\"1\" is not true or false" },
	{ "files", "a", -ENOTSUP, "option \"files\" is a list" },
	{ "depth", "1", -ENOENT, "disk.latency has no option \"depth\"" },
};

static void a_value_is_taken_or_refused_with_a_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(values); i++) {
		struct conf conf = { 0 };
		char error[512] = "";
		int err = option_set(&component, &conf, values[i].name, values[i].value, error,
				     sizeof(error));

		if (err != values[i].err || (values[i].why && !strstr(error, values[i].why)))
			fail_msg("%s %s: %d %s", values[i].name, values[i].value, err, error);
	}
}

/* Fills from YAML; what diag_print says is *printed. */
static int fill(const char *yaml, struct conf *conf, struct option_memory **memory, char **printed)
{
	static const struct place node_place = { NULL, 1, 1, 1 };
	struct diag *diag = diag_new();
	struct tree *tree = NULL;
	size_t size;
	FILE *file = open_memstream(printed, &size);
	int err;

	memset(conf, 0, sizeof(*conf));
	if (yaml)
		assert_int_equal(
			config_parse(diag_add_text(diag, "x.yaml", strdup(yaml), strlen(yaml)),
				     diag, &tree),
			0);
	err = option_fill(&component, tree, diag, &node_place, conf, memory);
	diag_print(diag, file);
	fclose(file);
	tree_free(tree);
	diag_free(diag);
	return err;
}

static void defaults_fill_what_is_not_written(void **state)
{
	struct option_memory *memory;
	struct conf conf;
	char *printed;

	(void)state;
	assert_int_equal(fill(NULL, &conf, &memory, &printed), 0);
	assert_string_equal(printed, "");
	assert_int_equal(conf.interval, 10 * WEIR_SECOND);
	assert_int_equal(conf.size, 4096);
	assert_true(conf.share == 0.01);
	assert_string_equal(conf.name, "");
	assert_int_equal(conf.files.count, 2);
	assert_string_equal(conf.files.items[1], "b");
	assert_int_equal(conf.by, 1);
	option_release(memory);
	free(printed);
}

static void written_values_of_all_types_arrive(void **state)
{
	struct option_memory *memory;
	struct conf conf;
	char *printed;

	(void)state;
	assert_int_equal(fill("interval: 1.5s\nsize: 64MiB\nbig: 7\noffset: -7\nload: 1.5\n"
			      "share: 25%\nname: vda\nfiles: [x, 'y z', '']\npid: 42\nnice: -5\n"
			      "order: share\nby: [op, error]\nall: on\n",
			      &conf, &memory, &printed),
			 0);
	assert_int_equal(conf.interval, 1500000000);
	assert_int_equal(conf.size, 64 << 20);
	assert_int_equal(conf.big, 7);
	assert_int_equal(conf.offset, -7);
	assert_true(conf.load == 1.5);
	assert_true(conf.share == 0.25);
	assert_string_equal(conf.name, "vda");
	assert_int_equal(conf.files.count, 3);
	assert_string_equal(conf.files.items[1], "y z");
	assert_string_equal(conf.files.items[2], "");
	assert_int_equal(conf.pid, 42);
	assert_int_equal(conf.nice, -5);
	assert_int_equal(conf.order, 2);
	assert_int_equal(conf.by, 6);
	assert_true(conf.all);
	option_release(memory);
	free(printed);
}

static void lists_may_be_empty_or_one_text(void **state)
{
	struct option_memory *memory;
	struct conf conf;
	char *printed;

	(void)state;
	assert_int_equal(fill("files: []\nby: []\n", &conf, &memory, &printed), 0);
	assert_int_equal(conf.files.count, 0);
	assert_int_equal(conf.by, 0);
	option_release(memory);
	free(printed);
	assert_int_equal(fill("files: a,,b\nby: op,disk\n", &conf, &memory, &printed), 0);
	assert_int_equal(conf.files.count, 3);
	assert_string_equal(conf.files.items[1], "");
	assert_int_equal(conf.by, 3);
	option_release(memory);
	free(printed);
	assert_int_equal(fill("files: ''\n", &conf, &memory, &printed), 0);
	assert_int_equal(conf.files.count, 0);
	option_release(memory);
	free(printed);
}

static void all_errors_are_reported_where_they_stand(void **state)
{
	struct option_memory *memory;
	struct conf conf;
	char *printed;

	(void)state;
	assert_int_equal(fill("intervall: 1s\nby: [disk, opp]\npid: [1]\nname: {a: b}\nnice:\n",
			      &conf, &memory, &printed),
			 -EINVAL);
	assert_string_equal(
		printed,
		"x.yaml:1:1: error: disk.latency has no option \"intervall\"; did you mean "
		"\"interval\"?\n"
		"    1 | intervall: 1s\n"
		"      | ^~~~~~~~~\n"
		"x.yaml:2:12: error: disk.latency: option \"by\": \"opp\" is not disk, op or "
		"error; "
		"did you mean \"op\"?\n"
		"    2 | by: [disk, opp]\n"
		"      |            ^~~\n"
		"x.yaml:3:6: error: disk.latency: option \"pid\" takes one value, not a list\n"
		"    3 | pid: [1]\n"
		"      |      ^\n"
		"x.yaml:4:7: error: disk.latency: option \"name\" has a map where a value is "
		"expected\n"
		"    4 | name: {a: b}\n"
		"      |       ^\n"
		"x.yaml:5:6: error: disk.latency: option \"nice\" has nothing where a value is "
		"expected\n"
		"    5 | nice:\n"
		"      |      ^\n");
	option_release(memory);
	free(printed);
}

static void a_required_option_must_be_written(void **state)
{
	static const struct weir_option required[] = {
		WEIR_OPT_TEXT(struct conf, name, NULL, "whose it is"),
	};
	struct weir_component one = component;
	struct diag *diag = diag_new();
	struct option_memory *memory;
	struct conf conf = { 0 };

	(void)state;
	one.options.items = required;
	one.options.count = 1;
	assert_int_equal(option_fill(&one, NULL, diag, NULL, &conf, &memory), -EINVAL);
	assert_int_equal(diag_count(diag), 1);
	option_release(memory);
	diag_free(diag);
}

/* An item as an older header knew it: without limits. */
static void a_table_with_smaller_items_is_read(void **state)
{
	enum { OLD_SIZE = offsetof(struct weir_option, minimum) };
	char old[2 * OLD_SIZE];
	struct weir_component older = component;
	struct option_memory *memory;
	struct diag *diag = diag_new();
	struct conf conf = { 0 };

	(void)state;
	memcpy(old, &options[0], OLD_SIZE);
	memcpy(old + OLD_SIZE, &options[8], OLD_SIZE);
	older.options.items = (const struct weir_option *)(const void *)old;
	older.options.count = 2;
	older.options.item_size = OLD_SIZE;
	assert_int_equal(option_fill(&older, NULL, diag, NULL, &conf, &memory), 0);
	assert_int_equal(conf.interval, 10 * WEIR_SECOND);
	assert_int_equal(conf.size, 0);
	option_release(memory);
	diag_free(diag);
}

static void places_lead_to_the_value_or_its_item(void **state)
{
	static const char yaml[] = "a: 1\nb: [x, y]\n";
	static const struct {
		const char *path;
		uint32_t line, column;
	} rows[] = {
		{ "a", 1, 4 },    { "b", 2, 4 }, { "b[1]", 2, 8 }, { "b[7]", 2, 4 },
		{ "a[0]", 1, 4 }, { "c", 9, 9 }, { "", 9, 9 },
	};
	struct diag *diag = diag_new();
	struct place node_place = { NULL, 9, 9, 1 };
	struct tree *tree;

	(void)state;
	assert_int_equal(
		config_parse(diag_add_text(diag, "x", strdup(yaml), strlen(yaml)), diag, &tree), 0);
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct place place = option_place(tree, rows[i].path, &node_place);

		assert_int_equal(place.line, rows[i].line);
		assert_int_equal(place.column, rows[i].column);
	}
	assert_int_equal(option_place(NULL, "a", &node_place).line, 9);
	tree_free(tree);
	diag_free(diag);
}

static void options_describe_themselves(void **state)
{
	static const char *const expected[] = {
		"duration, 1ms to 1h, default 10s",
		"size, 512B to 1GiB, default 4KiB",
		"int, default 0",
		"int, default 0",
		"number, -1 to 2, default 0.5",
		"ratio, default 1%",
		"string, default \"\"",
		"strings, default a,b",
		"int, 0 to 4194304, default 0",
		"int, -20 to 19, default 0",
		"one of time, count or share, default time",
		"any of disk, op or error, default disk",
		"bool, default false",
	};
	char out[256];

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++) {
		option_describe(&options[i], out, sizeof(out));
		assert_string_equal(out, expected[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations_and_sizes_are_exact),
		cmocka_unit_test(a_value_is_taken_or_refused_with_a_reason),
		cmocka_unit_test(defaults_fill_what_is_not_written),
		cmocka_unit_test(written_values_of_all_types_arrive),
		cmocka_unit_test(lists_may_be_empty_or_one_text),
		cmocka_unit_test(all_errors_are_reported_where_they_stand),
		cmocka_unit_test(a_required_option_must_be_written),
		cmocka_unit_test(a_table_with_smaller_items_is_read),
		cmocka_unit_test(places_lead_to_the_value_or_its_item),
		cmocka_unit_test(options_describe_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
