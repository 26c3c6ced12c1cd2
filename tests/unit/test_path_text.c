/* SPDX-License-Identifier: BSD-2-Clause */
/* The paths of events, as text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <weir/path_text.h>

#define BYTES(text_) (text_), sizeof(text_) - 1

static const struct path_case {
	const char *path; /* names from the last to the first */
	size_t path_length;
	const char *name;
	int result;
	unsigned int marks;
	const char *text;
} cases[] = {
	{ BYTES("null\0dev\0"), "/dev/null", 3, WEIR_PATH_WALKED, "/dev/null" },
	{ BYTES(""), "/", 3, WEIR_PATH_WALKED, "/" },
	{ BYTES("c\0b\0a\0"), "../c", 0, WEIR_PATH_WALKED, "/a/b/c" },
	{ BYTES("a\0"), "a", 3, WEIR_PATH_WALKED | WEIR_PATH_DELETED, "/a (deleted)" },
	{ BYTES("a\0tmp\0"), "a", 3, WEIR_PATH_WALKED | WEIR_PATH_OUTSIDE, "(unreachable)/tmp/a" },
	{ BYTES("b\0a\0"), "b", 3, WEIR_PATH_WALKED | WEIR_PATH_CUT, "(cut)/a/b" },
	{ BYTES("b\0a\0"), "../x", -ENOENT, WEIR_PATH_WALKED | WEIR_PATH_BASE, "/a/b/../x" },
	{ BYTES(""), "x", -ENOENT, WEIR_PATH_WALKED | WEIR_PATH_BASE, "/x" },
	{ BYTES("a\0"), "", -ENOENT, WEIR_PATH_WALKED | WEIR_PATH_BASE, "/a/" },
	{ BYTES(""), "/x", -ENOENT, 0, "/x" },
	{ BYTES(""), "x", -EBADF, 0, "x" },
	{ BYTES(""), "/proc/self/fd/4", 3, WEIR_PATH_WALKED | WEIR_PATH_NOWHERE,
	  "/proc/self/fd/4" },
	{ BYTES(""), NULL, -EFAULT, WEIR_PATH_NAMELESS, "" },
	{ BYTES(""), NULL, -ESTALE, 0, "" },
	{ BYTES("a\0"), NULL, 3, WEIR_PATH_WALKED | WEIR_PATH_NAMELESS, "/a" },
};

static void *head_of(const struct path_case *from)
{
	size_t length = from->name ? strlen(from->name) + 1 : 0;
	struct weir_path_head *head = calloc(1, sizeof(*head) + from->path_length + length);

	assert_non_null(head);
	head->marks = (unsigned char)from->marks;
	head->path_length = (unsigned short)from->path_length;
	head->name_length = (unsigned short)length;
	memcpy(head + 1, from->path, from->path_length);
	if (length)
		memcpy((char *)(head + 1) + from->path_length, from->name, length);
	return head;
}

static void a_path_is_told_from_the_root_on(void **state)
{
	char text[WEIR_PATH_TEXT_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_path_head *head = head_of(&cases[i]);

		assert_int_equal(weir_path_write(text, head, cases[i].result),
				 strlen(cases[i].text));
		assert_string_equal(text, cases[i].text);
		free(head);
	}
}

static void the_longest_path_fits(void **state)
{
	struct {
		struct weir_path_head head;
		char bytes[WEIR_PATH_MAX + WEIR_PATH_NAME_MAX];
	} longest = { .head = { .marks = 0xff & ~WEIR_PATH_NAMELESS,
				.path_length = WEIR_PATH_MAX,
				.name_length = WEIR_PATH_NAME_MAX } };
	static const char end[] = "n (cut)";
	char text[WEIR_PATH_TEXT_MAX];
	size_t length;

	(void)state;
	/* Names of one character. */
	memset(longest.bytes, 'n', sizeof(longest.bytes));
	for (size_t i = 1; i < WEIR_PATH_MAX; i += 2)
		longest.bytes[i] = '\0';
	longest.bytes[sizeof(longest.bytes) - 1] = '\0';
	length = weir_path_write(text, &longest.head, -ENAMETOOLONG);
	assert_true(length < WEIR_PATH_TEXT_MAX);
	assert_int_equal(length, strlen(text));
	assert_string_equal(text + length - strlen(end), end);
}

static void an_event_that_ends_in_a_path_is_refused(void **state)
{
	struct {
		uint64_t before;
		struct weir_path_head head;
		char bytes[8];
	} event = { .head = { .path_length = 5, .name_length = 3 } };

	(void)state;
	assert_ptr_equal(weir_path_of(&event, 24, 8), &event.head);
	assert_null(weir_path_of(&event, 23, 8));
	assert_null(weir_path_of(&event, 15, 8));
	assert_null(weir_path_of(&event, 8, 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_is_told_from_the_root_on),
		cmocka_unit_test(the_longest_path_fits),
		cmocka_unit_test(an_event_that_ends_in_a_path_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
