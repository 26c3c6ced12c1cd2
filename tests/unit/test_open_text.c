/* SPDX-License-Identifier: BSD-2-Clause */
/* Flags of calls that open files, as text. */
#include <fcntl.h>
#include <linux/openat2.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "open_text.h"

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
	char text[OPEN_FLAGS_MAX];
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
		cmocka_unit_test(flags_have_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
