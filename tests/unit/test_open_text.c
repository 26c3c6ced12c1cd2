/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths and flags of calls that open files, as text. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "open_text.h"

#define BYTES(text_) (text_), sizeof(text_) - 1

static const struct path_case {
	const char *path; /* names from the last to the first */
	size_t path_length;
	const char *name;
	int result;
	unsigned int marks;
	const char *text;
} cases[] = {
	{ BYTES("null\0dev\0"), "/dev/null", 3, OPEN_WALKED, "/dev/null" },
	{ BYTES(""), "/", 3, OPEN_WALKED, "/" },
	{ BYTES("c\0b\0a\0"), "../c", 0, OPEN_WALKED, "/a/b/c" },
	{ BYTES("a\0"), "a", 3, OPEN_WALKED | OPEN_DELETED, "/a (deleted)" },
	{ BYTES("a\0tmp\0"), "a", 3, OPEN_WALKED | OPEN_OUTSIDE, "(unreachable)/tmp/a" },
	{ BYTES("b\0a\0"), "b", 3, OPEN_WALKED | OPEN_CUT, "(cut)/a/b" },
	{ BYTES("b\0a\0"), "../x", -ENOENT, OPEN_WALKED | OPEN_BASE, "/a/b/../x" },
	{ BYTES(""), "x", -ENOENT, OPEN_WALKED | OPEN_BASE, "/x" },
	{ BYTES("a\0"), "", -ENOENT, OPEN_WALKED | OPEN_BASE, "/a/" },
	{ BYTES(""), "/x", -ENOENT, 0, "/x" },
	{ BYTES(""), "x", -EBADF, 0, "x" },
	{ BYTES(""), "/proc/self/fd/4", 3, OPEN_WALKED | OPEN_NOWHERE, "/proc/self/fd/4" },
	{ BYTES(""), NULL, -EFAULT, OPEN_NAMELESS, "" },
	{ BYTES(""), NULL, -ESTALE, 0, "" },
	{ BYTES("a\0"), NULL, 3, OPEN_WALKED | OPEN_NAMELESS, "/a" },
};

static void *event_of(const struct path_case *from)
{
	size_t length = from->name ? strlen(from->name) + 1 : 0;
	struct open_event *event = calloc(1, sizeof(*event) + from->path_length + length);

	assert_non_null(event);
	event->result = from->result;
	event->marks = (unsigned char)from->marks;
	event->path_length = (unsigned short)from->path_length;
	event->name_length = (unsigned short)length;
	memcpy(event + 1, from->path, from->path_length);
	if (length)
		memcpy((char *)(event + 1) + from->path_length, from->name, length);
	return event;
}

static void a_path_is_told_from_the_root_on(void **state)
{
	char text[OPEN_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct open_event *event = event_of(&cases[i]);

		assert_int_equal(open_path_write(text, event), strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
		free(event);
	}
}

static void the_longest_path_fits(void **state)
{
	struct {
		struct open_event event;
		char bytes[OPEN_PATH_MAX + OPEN_NAME_MAX];
	} longest = { .event = { .result = -ENAMETOOLONG,
				 .marks = 0xff & ~OPEN_NAMELESS,
				 .path_length = OPEN_PATH_MAX,
				 .name_length = OPEN_NAME_MAX } };
	static const char end[] = "n (cut)";
	char text[OPEN_TEXT_MAX];
	size_t length;

	(void)state;
	/* Names of one character. */
	memset(longest.bytes, 'n', sizeof(longest.bytes));
	for (size_t i = 1; i < OPEN_PATH_MAX; i += 2)
		longest.bytes[i] = '\0';
	longest.bytes[sizeof(longest.bytes) - 1] = '\0';
	length = open_path_write(text, &longest.event);
	assert_true(length < OPEN_TEXT_MAX);
	assert_int_equal(length, strlen(text));
	assert_string_equal(text + length - strlen(end), end);
}

static void flags_have_their_names(void **state)
{
	static const struct {
		uint32_t flags, resolve;
		const char *text;
	} flags[] = {
		{ O_RDONLY, 0, "O_RDONLY" },
		{ O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0, "O_RDWR|O_CREAT|O_EXCL|O_CLOEXEC" },
		{ O_WRONLY | O_SYNC, 0, "O_WRONLY|O_SYNC" },
		{ O_WRONLY | O_DSYNC, 0, "O_WRONLY|O_DSYNC" },
		{ O_RDWR | O_TMPFILE, 0, "O_RDWR|O_TMPFILE" },
		{ O_RDONLY | O_DIRECTORY, 0, "O_RDONLY|O_DIRECTORY" },
		{ 3, 0, "O_ACCMODE" },
		{ 0x80000000, 0, "O_RDONLY|0x80000000" },
		{ O_PATH, RESOLVE_BENEATH | RESOLVE_NO_XDEV,
		  "O_RDONLY|O_PATH|RESOLVE_NO_XDEV|RESOLVE_BENEATH" },
	};
	char text[OPEN_TEXT_MAX];
	size_t length;

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		open_flags_write(text, sizeof(text), flags[i].flags, flags[i].resolve);
		assert_string_equal(text, flags[i].text);
	}
	assert_int_equal(open_flags_write(text, 6, O_RDWR | O_CREAT, 0), 5);
	length = open_flags_write(text, sizeof(text), UINT32_MAX, UINT32_MAX);
	assert_int_equal(length, strlen(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_told_from_the_root_on),
		cmocka_unit_test(the_longest_path_fits),
		cmocka_unit_test(flags_have_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
