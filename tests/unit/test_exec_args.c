/* SPDX-License-Identifier: BSD-2-Clause */
/* Arguments as one line of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exec_args.h"

#define BYTES(text_) (text_), sizeof(text_) - 1

static const struct args_case {
	const char *bytes;
	size_t length;
	uint64_t bytes_all;
	uint32_t count;
	uint64_t unreadable;
	const char *text;
	uint32_t left;
} cases[] = {
	{ BYTES(""), 0, 0, 0, "", 0 },
	{ BYTES("ls\0-l\0a=b,c:/d.e@f%+_\0"), 22, 3, 0, "ls -l a=b,c:/d.e@f%+_", 0 },
	{ BYTES("a b\0"), 4, 1, 0, "'a b'", 0 },
	{ BYTES("\0\0"), 2, 2, 0, "'' ''", 0 },
	{ BYTES("$HOME\0*\0~\0#\0\"\0"), 14, 5, 0, "'$HOME' '*' '~' '#' '\"'", 0 },
	{ BYTES("a\\b\0"), 4, 1, 0, "'a\\b'", 0 },
	{ BYTES("it's\0"), 5, 1, 0, "$'it\\'s'", 0 },
	{ BYTES("x\ny\t\\\0"), 6, 1, 0, "$'x\\ny\\t\\\\'", 0 },
	{ BYTES("\001\033\177\0"), 4, 1, 0, "$'\\x01\\x1b\\x7f'", 0 },
	{ BYTES("\xc3\xa4\0"), 3, 1, 0, "\xc3\xa4", 0 },
	{ BYTES("\xe2\x80\xae\0"), 4, 1, 0, "$'\\xe2\\x80\\xae'", 0 },
	{ BYTES("\xff\xc3\0"), 3, 1, 0, "$'\\xff\\xc3'", 0 },
	{ BYTES("(cut)\0"), 6, 1, 0, "'(cut)'", 0 },
	{ BYTES("a\0bc"), 10, 4, 0, "a bc (cut) (+2 arguments) (+6 bytes)", 3 },
	{ BYTES("a\0"), 4, 2, 0, "a (+1 argument) (+2 bytes)", 1 },
	{ BYTES("a\0\0b\0"), 0, 3, 2, "a (unreadable) b", 0 },
	{ BYTES(""), 100, 3, 1, "(+3 arguments) (+100 bytes)", 3 },
};

static void check(const struct args_case *expected, enum exec_quote quote, const char *as)
{
	const struct exec_args args = { expected->bytes, expected->length, expected->bytes_all,
					expected->count, expected->unreadable };
	struct exec_text text = { 0 };
	uint32_t left = exec_args_write(&text, &args, quote);

	assert_false(text.failed);
	assert_int_equal(text.length, strlen(as));
	if (text.length)
		assert_memory_equal(text.bytes, as, text.length);
	assert_int_equal(left, expected->left);
	free(text.bytes);
}

static void each_argument_is_quoted_as_it_needs(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], EXEC_QUOTE_NEEDED, cases[i].text);
}

static void all_are_quoted_when_asked_for(void **state)
{
	(void)state;
	check(&cases[1], EXEC_QUOTE_ALWAYS, "'ls' '-l' 'a=b,c:/d.e@f%+_'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_argument_is_quoted_as_it_needs),
		cmocka_unit_test(all_are_quoted_when_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
