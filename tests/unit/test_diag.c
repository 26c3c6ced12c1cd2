/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagnostics: their exact form, whatever the line holds, and guesses at what was meant. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diag.h"
#include "utf8.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct diag_text *add(struct diag *diag, const char *name, const char *bytes)
{
	return diag_add_text(diag, name, strdup(bytes), strlen(bytes));
}

/* Not inlined: gcc 12 takes the stream's buffer for a dangling one. */
static __attribute__((noinline)) char *printed(const struct diag *diag)
{
	char *out = NULL;
	size_t size;
	FILE *file = open_memstream(&out, &size);

	diag_print(diag, file);
	fclose(file);
	return out;
}

static void an_error_shows_place_line_and_caret(void **state)
{
	static const struct {
		const char *yaml;
		uint32_t line, column, length;
		const char *expected;
	} rows[] = {
		{ "a: 1\n    intervall: 1s\n", 2, 5, 9,
		  "x.yaml:2:5: error: oops\n"
		  "    2 |     intervall: 1s\n"
		  "      |     ^~~~~~~~~\n" },
		{ "a:\tb\n", 1, 4, 1,
		  "x.yaml:1:4: error: oops\n"
		  "    1 | a:      b\n"
		  "      |         ^\n" },
		{ "é漢: b\r\n", 1, 5, 1,
		  "x.yaml:1:5: error: oops\n"
		  "    1 | é漢: b\n"
		  "      |     ^\n" },
		{ "a\x1b[0m b", 1, 7, 1,
		  "x.yaml:1:7: error: oops\n"
		  "    1 | a\\x1b[0m b\n"
		  "      |          ^\n" },
		{ "a\xff b", 1, 2, 1,
		  "x.yaml:1:2: error: oops\n"
		  "    1 | a\\xff b\n"
		  "      |  ^~~~\n" },
		{ "a \u202e b", 1, 5, 1,
		  "x.yaml:1:5: error: oops\n"
		  "    1 | a \\u202e b\n"
		  "      |          ^\n" },
		{ "a: b", 1, 5, 1,
		  "x.yaml:1:5: error: oops\n"
		  "    1 | a: b\n"
		  "      |     ^\n" },
		{ "a: b\n", 9, 1, 1,
		  "x.yaml:9:1: error: oops\n"
		  "    9 | \n"
		  "      | ^\n" },
		{ "abc", 1, 2, UINT32_MAX,
		  "x.yaml:1:2: error: oops\n"
		  "    1 | abc\n"
		  "      |  ^~\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct diag *diag = diag_new();
		struct place place = { add(diag, "x.yaml", rows[i].yaml), rows[i].line,
				       rows[i].column, rows[i].length };
		char *out;

		assert_int_equal(diag_error(diag, &place, "oops"), -EINVAL);
		out = printed(diag);
		assert_string_equal(out, rows[i].expected);
		free(out);
		diag_free(diag);
	}
}

static void a_long_line_is_cut_around_the_caret(void **state)
{
	struct diag *diag = diag_new();
	static char line[1001];
	struct place place = { NULL, 1, 500, 3 };
	char *out, *shown, *caret;

	(void)state;
	memset(line, 'a', 1000);
	memcpy(line + 499, "XYZ", 3);
	line[1000] = '\0';
	place.text = add(diag, "x", line);
	diag_error(diag, &place, "oops");
	out = printed(diag);
	shown = strchr(out, '\n') + 1;
	caret = strchr(shown, '\n') + 1;
	assert_true(strlen(shown) < 300);
	assert_memory_equal(shown, "    1 | ...a", 12);
	assert_int_equal(strstr(shown, "XYZ") - shown, strchr(caret, '^') - caret);
	assert_non_null(strstr(caret, "^~~\n"));
	assert_memory_equal(caret - 4, "...\n", 4);
	free(out);
	diag_free(diag);
}

static void errors_come_in_the_order_of_their_places_each_once(void **state)
{
	struct diag *diag = diag_new();
	const struct diag_text *first = add(diag, "first", "1\n2\n");
	const struct diag_text *second = add(diag, "second", "1\n");
	struct place places[] = { { second, 1, 1, 1 }, { first, 2, 1, 1 }, { first, 1, 1, 1 } };
	char *out;

	(void)state;
	diag_error(diag, &places[0], "third");
	diag_error(diag, &places[1], "second");
	diag_error(diag, &places[2], "first");
	diag_error(diag, &places[1], "second");
	diag_error(diag, NULL, "no \033 place");
	assert_int_equal(diag_count(diag), 5);
	out = printed(diag);
	assert_string_equal(out, "error: no \\x1b place\n"
				 "first:1:1: error: first\n    1 | 1\n      | ^\n"
				 "first:2:1: error: second\n    2 | 2\n      | ^\n"
				 "second:1:1: error: third\n    1 | 1\n      | ^\n");
	free(out);
	diag_free(diag);
}

static void what_is_not_kept_is_counted(void **state)
{
	struct diag *diag = diag_new();
	char *out;

	(void)state;
	for (int i = 0; i < 250; i++)
		diag_error(diag, NULL, "error %d", i);
	assert_int_equal(diag_count(diag), 250);
	out = printed(diag);
	assert_non_null(strstr(out, "error: error 99\nerror: 150 more errors\n"));
	free(out);
	diag_free(diag);
}

static void the_nearest_word_differs_in_at_most_a_third(void **state)
{
	static const char *const words[] = { "interval", "disk", "by", "plugin", "op" };
	static const struct {
		const char *word, *nearest;
	} rows[] = {
		{ "intervall", "interval" },
		{ "intrval", "interval" },
		{ "dsik", "disk" },
		{ "dis", "disk" },
		{ "dik", "disk" },
		{ "plguin", "plugin" },
		{ "plugins", "plugin" },
		{ "bx", NULL },
		{ "xyz", NULL },
		{ "", NULL },
		{ "internal", "interval" },
		{ "inventory", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *nearest = diag_nearest(rows[i].word, words, COUNT(words));

		if (rows[i].nearest)
			assert_string_equal(nearest, rows[i].nearest);
		else
			assert_null(nearest);
	}
	assert_null(diag_nearest("word", NULL, 0));
}

static void a_word_of_any_length_can_be_compared(void **state)
{
	char longest[64], longer[300];
	const char *words[] = { longest, longer };

	(void)state;
	memset(longest, 'a', 63);
	longest[63] = '\0';
	memset(longer, 'a', 299);
	longer[299] = '\0';
	assert_ptr_equal(diag_nearest(longest, words, 2), longest);
	assert_null(diag_nearest(longer, words, 2));
}

static void utf8_is_decoded_strictly(void **state)
{
	static const struct {
		const char *bytes;
		size_t length;
		uint32_t code;
	} rows[] = {
		{ "a", 1, 'a' },
		{ "\xc3\xa9", 2, 0xe9 },
		{ "\xe6\xbc\xa2", 3, 0x6f22 },
		{ "\xf0\x9f\x98\x80", 4, 0x1f600 },
		{ "\xc0\x80", 0, 0 },
		{ "\xe0\x80\x80", 0, 0 },
		{ "\xed\xa0\x80", 0, 0 },
		{ "\xf4\x90\x80\x80", 0, 0 },
		{ "\xc3", 0, 0 },
		{ "\x80", 0, 0 },
		{ "\xff", 0, 0 },
		{ "", 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t code = 0;

		assert_int_equal(weir_utf8_next(rows[i].bytes, strlen(rows[i].bytes), &code),
				 rows[i].length);
		if (rows[i].length)
			assert_int_equal(code, rows[i].code);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_shows_place_line_and_caret),
		cmocka_unit_test(a_long_line_is_cut_around_the_caret),
		cmocka_unit_test(errors_come_in_the_order_of_their_places_each_once),
		cmocka_unit_test(what_is_not_kept_is_counted),
		cmocka_unit_test(the_nearest_word_differs_in_at_most_a_third),
		cmocka_unit_test(a_word_of_any_length_can_be_compared),
		cmocka_unit_test(utf8_is_decoded_strictly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
