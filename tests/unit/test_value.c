/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sinks json and table make of single values: numbers, units, texts, moments. */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../plugins/sink/json_value.h"
#include "../../plugins/sink/number.h"
#include "../../plugins/sink/table.h"
#include <weir/utf8.h>

#include "../../plugins/sink/utf8.h"

/* Last: its macro fail() hides a member of struct weir_host. */
#include <cmocka.h>

WEIR_DEFINE_UNIT(unit_slots, "slots", "{slot}", "slots", 1, 1);
WEIR_DEFINE_UNIT(unit_rate, "data rate", "By/s", "B/s", 1, 1);

static void assert_line(struct line *line, const char *want)
{
	assert_false(line->failed);
	if (line->length != strlen(want) || memcmp(line->bytes, want, line->length) != 0)
		fail_msg("\"%.*s\" is not \"%s\"", (int)line->length,
			 line->length ? line->bytes : "", want);
	line_clear(line);
}

static void quantities_have_three_digits_and_a_unit_that_suits(void **state)
{
	static const struct {
		const struct weir_unit *unit;
		double value;
		const char *text;
	} rows[] = {
		{ WEIR_NS, 0, "0 ns" },
		{ WEIR_NS, 999, "999 ns" },
		{ WEIR_NS, 1000, "1 us" },
		{ WEIR_NS, 1234, "1.23 us" },
		{ WEIR_NS, 12345, "12.3 us" },
		{ WEIR_NS, 38200000, "38.2 ms" },
		{ WEIR_NS, 999400000, "999 ms" },
		{ WEIR_NS, 999600000, "1.00 s" },
		{ WEIR_NS, -1500000, "-1.50 ms" },
		{ WEIR_NS, 10e9, "10 s" },
		{ WEIR_NS, 119e9, "119 s" },
		{ WEIR_NS, 150e9, "2.50 min" },
		{ WEIR_NS, 9000e9, "2.50 h" },
		{ WEIR_NS, 10 * 86400e9, "10 d" },
		{ WEIR_NS, 0.5, "0.500 ns" },
		{ WEIR_US, 38200, "38.2 ms" },
		{ WEIR_SECONDS, 0.25, "250 ms" },
		{ WEIR_BYTES, 512, "512 B" },
		{ WEIR_BYTES, 1023, "1,023 B" },
		{ WEIR_BYTES, 1024, "1 KiB" },
		{ WEIR_BYTES, 1572864, "1.50 MiB" },
		{ WEIR_KIB, 1536, "1.50 MiB" },
		{ &unit_rate, 1536, "1.50 KiB/s" },
		{ WEIR_HERTZ, 3.2e9, "3.20 GHz" },
		{ WEIR_RATIO, 0.123, "12.3 %" },
		{ WEIR_RATIO, 1, "100.0 %" },
		{ WEIR_RATIO, 0, "0.0 %" },
		{ WEIR_PERCENT, 12.34, "12.3 %" },
		{ WEIR_PERCENT, 0.042, "0.042 %" },
		{ WEIR_COUNT, 1234567, "1,234,567" },
		{ WEIR_COUNT, 1234.6, "1,235" },
		{ WEIR_COUNT, 99.96, "100" },
		{ WEIR_COUNT, 9.996, "10.0" },
		{ WEIR_NONE, 0.52, "0.520" },
		{ WEIR_NONE, 0.00123, "0.00123" },
		{ &unit_slots, 400, "400 slots" },
		{ WEIR_NONE, __builtin_nan(""), "-" },
		{ WEIR_NONE, -__builtin_inf(), "-inf" },
	};
	struct line line = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct weir_field field = { .name = "value", .unit = rows[i].unit };

		table_quantity(&line, &field, rows[i].value, false);
		assert_line(&line, rows[i].text);
	}
	line_free(&line);
}

static void a_unit_that_the_column_is_named_after_is_not_repeated(void **state)
{
	struct weir_field field = { .name = "samples", .unit = WEIR_SAMPLES };
	struct line line = { 0 };

	(void)state;
	table_quantity(&line, &field, 12, false);
	assert_line(&line, "12");
	field.name = "count";
	table_quantity(&line, &field, 12, false);
	assert_line(&line, "12 samples");
	table_quantity(&line, &field, 1234.5, true);
	assert_line(&line, "1234.5");
	line_free(&line);
}

static void doubles_read_back_as_themselves_in_the_shortest_way(void **state)
{
	static const struct {
		double value;
		const char *text;
	} rows[] = {
		{ 0, "0" },
		{ 0.1, "0.1" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ 0.1 + 0.2, "0.30000000000000004" },
		{ 3, "3" },
		{ -2.5, "-2.5" },
		{ 1e300, "1e+300" },
		{ 5e-324, "4.94065645841247e-324" },
	};
	char text[NUMBER_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		number_shortest(text, rows[i].value);
		assert_string_equal(text, rows[i].text);
	}
}

static void numbers_have_a_point_in_every_locale(void **state)
{
	static const char *const locales[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "ps_AF.UTF-8" };
	char text[NUMBER_MAX];
	bool any = false;

	(void)state;
	for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
		if (!setlocale(LC_ALL, locales[i]))
			continue;
		any = true;
		number_shortest(text, 0.25);
		assert_string_equal(text, "0.25");
		number_fixed(text, 1234.5, 2);
		assert_string_equal(text, "1234.50");
	}
	setlocale(LC_ALL, "C");
	if (!any) {
		print_message("no locale with another point is installed\n");
		skip();
	}
}

static void utf8_is_read_strictly(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		size_t taken;
		uint32_t code;
	} rows[] = {
		{ "a", 1, 1, 'a' },
		{ "\0", 1, 1, 0 },
		{ "\xc3\xa9", 2, 2, 0xe9 },
		{ "\xe6\xb0\xb4", 3, 3, 0x6c34 },
		{ "\xf0\x9f\x98\x80", 4, 4, 0x1f600 },
		{ "\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff },
		{ "\xc3", 1, 0, 0 },             /* ends too early */
		{ "\xc3z", 2, 0, 0 },            /* no continuation */
		{ "\x80", 1, 0, 0 },             /* continuation alone */
		{ "\xc0\xaf", 2, 0, 0 },         /* overlong */
		{ "\xe0\x80\xaf", 3, 0, 0 },     /* overlong */
		{ "\xed\xa0\x80", 3, 0, 0 },     /* surrogate */
		{ "\xf4\x90\x80\x80", 4, 0, 0 }, /* beyond Unicode */
		{ "\xff", 1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t code = 0;

		assert_int_equal(weir_utf8_next(rows[i].bytes, rows[i].length, &code),
				 rows[i].taken);
		if (rows[i].taken)
			assert_int_equal(code, rows[i].code);
	}
}

static void widths_count_places_not_bytes(void **state)
{
	(void)state;
	assert_int_equal(utf8_text_width("abc", 3), 3);
	assert_int_equal(utf8_text_width("\xe6\xb0\xb4", 3), 2); /* wide */
	assert_int_equal(utf8_text_width("e\xcc\x81", 3), 1);    /* e and a mark on it */
	assert_int_equal(utf8_text_width("\xff\xfe", 2), 2);     /* not UTF-8 */
	assert_int_equal(utf8_fitting("\xe6\xb0\xb4\xe6\xb0\xb4", 6, 3),
			 3); /* no half of a wide one */
	assert_int_equal(utf8_fitting("abc", 3, 3), 3);
	assert_int_equal(utf8_fitting("abc", 3, 0), 0);
}

static void a_terminal_is_not_steered_by_names(void **state)
{
	static const struct {
		const char *text;
		const char *shown;
	} rows[] = {
		{ "plain \xc3\xa9", "plain \xc3\xa9" },
		{ "\033[2J", "\\x1b[2J" },
		{ "a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f" },
		{ "\xc2\x9b", "\\xc2\\x9b" },          /* CSI in one character */
		{ "\xe2\x80\xae", "\\xe2\\x80\\xae" }, /* right to left from here */
		{ "\xff", "\\xff" },
	};
	struct line line = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		table_escape(&line, rows[i].text, strlen(rows[i].text));
		assert_line(&line, rows[i].shown);
	}
	line_free(&line);
}

static void json_texts_are_escaped(void **state)
{
	static const struct {
		const char *text;
		const char *json;
	} rows[] = {
		{ "plain \xc3\xa9", "\"plain \xc3\xa9\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\n\t\r\x01", "\"\\n\\t\\u000d\\u0001\"" },
		{ "x\xff\xc3", "\"x\\ufffd\\ufffd\"" },
		{ "\xc2\x9b", "\"\\u009b\"" },
		{ "", "\"\"" },
	};
	struct line line = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		json_text(&line, rows[i].text, strlen(rows[i].text));
		assert_line(&line, rows[i].json);
	}
	line_free(&line);
}

static void json_times_are_rfc_3339_with_nanoseconds(void **state)
{
	struct line line = { 0 };

	(void)state;
	json_time(&line, 0);
	assert_line(&line, "\"1970-01-01T00:00:00.000000000Z\"");
	json_time(&line, 951782400000000001); /* 29 February 2000 */
	assert_line(&line, "\"2000-02-29T00:00:00.000000001Z\"");
	json_time(&line, 1735689599999999999);
	assert_line(&line, "\"2024-12-31T23:59:59.999999999Z\"");
	line_free(&line);
}

struct value_row {
	uint64_t u64;
	int64_t i64;
	uint64_t duration;
	double real;
	struct weir_histogram_ref histogram;
	struct weir_text text;
	uint32_t u32;
	int32_t i32;
	uint16_t u16;
	int16_t i16;
	uint8_t u8;
	int8_t i8;
	char chars[2];
};

#define OPTIONAL_FIELD(member_)                                                                    \
	WEIR_FIELD_WITH(struct value_row, member_, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL, "")

static const struct weir_field value_fields[] = {
	OPTIONAL_FIELD(u64),
	OPTIONAL_FIELD(i64),
	WEIR_FIELD_DURATION(struct value_row, duration, WEIR_GAUGE, WEIR_OPTIONAL, ""),
	OPTIONAL_FIELD(real),
	OPTIONAL_FIELD(histogram),
	OPTIONAL_FIELD(text),
	OPTIONAL_FIELD(u32),
	OPTIONAL_FIELD(i32),
	OPTIONAL_FIELD(u16),
	OPTIONAL_FIELD(i16),
	OPTIONAL_FIELD(u8),
	OPTIONAL_FIELD(i8),
	OPTIONAL_FIELD(chars),
};

#define VALUE_FIELDS (sizeof(value_fields) / sizeof(value_fields[0]))

static void what_is_absent_is_told_from_zero_in_every_type(void **state)
{
	struct weir_batch batch = { 0 };
	struct value_row row = {
		.u64 = UINT64_MAX,
		.i64 = INT64_MIN,
		.duration = UINT64_MAX,
		.real = __builtin_nan(""),
		.u32 = UINT32_MAX,
		.i32 = INT32_MIN,
		.u16 = UINT16_MAX,
		.i16 = INT16_MIN,
		.u8 = UINT8_MAX,
		.i8 = INT8_MIN,
	};

	(void)state;
	for (size_t i = 0; i < VALUE_FIELDS; i++) {
		struct weir_field field = value_fields[i];

		assert_int_equal(value_read(NULL, &batch, &field, &row).kind, VALUE_ABSENT);
		field.flags = 0;
		if (field.type != WEIR_TYPE_DOUBLE)
			assert_int_not_equal(value_read(NULL, &batch, &field, &row).kind,
					     VALUE_ABSENT);
	}
}

static void zeroes_and_extremes_are_values(void **state)
{
	struct weir_batch batch = { 0 };
	struct value_row row = {
		.u64 = UINT64_MAX - 1, .i64 = INT64_MIN + 1, .u8 = 254, .i8 = -127, .chars = "ab"
	};
	const struct weir_field *field = value_fields;

	(void)state;
	assert_true(value_read(NULL, &batch, &field[0], &row).u == UINT64_MAX - 1);
	assert_true(value_read(NULL, &batch, &field[1], &row).i == INT64_MIN + 1);
	assert_int_equal(value_read(NULL, &batch, &field[2], &row).kind, VALUE_UINT);
	assert_int_equal(value_read(NULL, &batch, &field[6], &row).kind, VALUE_UINT);
	assert_int_equal(value_read(NULL, &batch, &field[10], &row).u, 254);
	assert_int_equal(value_read(NULL, &batch, &field[11], &row).i, -127);
	assert_int_equal(value_read(NULL, &batch, &field[12], &row).count, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantities_have_three_digits_and_a_unit_that_suits),
		cmocka_unit_test(a_unit_that_the_column_is_named_after_is_not_repeated),
		cmocka_unit_test(doubles_read_back_as_themselves_in_the_shortest_way),
		cmocka_unit_test(numbers_have_a_point_in_every_locale),
		cmocka_unit_test(utf8_is_read_strictly),
		cmocka_unit_test(widths_count_places_not_bytes),
		cmocka_unit_test(a_terminal_is_not_steered_by_names),
		cmocka_unit_test(json_texts_are_escaped),
		cmocka_unit_test(json_times_are_rfc_3339_with_nanoseconds),
		cmocka_unit_test(what_is_absent_is_told_from_zero_in_every_type),
		cmocka_unit_test(zeroes_and_extremes_are_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
