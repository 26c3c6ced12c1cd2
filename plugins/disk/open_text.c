/* SPDX-License-Identifier: BSD-2-Clause */
/* How a file was opened, as text: see open_text.h. */
#include "open_text.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>

#include <weir/fixed_text.h>

/* The C library has 0 for it where files are large anyway; programs without it pass it on. */
#if defined(__aarch64__)
#define KERNEL_O_LARGEFILE 0400000
#else
#define KERNEL_O_LARGEFILE 0100000
#endif

struct open_flag {
	uint32_t bits;
	const char *name;
};

/* Those that hold another one come before it. */
static const struct open_flag open_flags[] = {
	{ O_CREAT, "O_CREAT" },
	{ O_EXCL, "O_EXCL" },
	{ O_NOCTTY, "O_NOCTTY" },
	{ O_TRUNC, "O_TRUNC" },
	{ O_APPEND, "O_APPEND" },
	{ O_NONBLOCK, "O_NONBLOCK" },
	{ O_SYNC, "O_SYNC" },
	{ O_DSYNC, "O_DSYNC" },
	{ O_ASYNC, "O_ASYNC" },
	{ O_DIRECT, "O_DIRECT" },
	{ KERNEL_O_LARGEFILE, "O_LARGEFILE" },
	{ O_TMPFILE, "O_TMPFILE" },
	{ O_DIRECTORY, "O_DIRECTORY" },
	{ O_NOFOLLOW, "O_NOFOLLOW" },
	{ O_NOATIME, "O_NOATIME" },
	{ O_CLOEXEC, "O_CLOEXEC" },
	{ O_PATH, "O_PATH" },
	{ 0, NULL },
};

static const struct open_flag resolve_flags[] = {
	{ RESOLVE_NO_XDEV, "RESOLVE_NO_XDEV" },
	{ RESOLVE_NO_MAGICLINKS, "RESOLVE_NO_MAGICLINKS" },
	{ RESOLVE_NO_SYMLINKS, "RESOLVE_NO_SYMLINKS" },
	{ RESOLVE_BENEATH, "RESOLVE_BENEATH" },
	{ RESOLVE_IN_ROOT, "RESOLVE_IN_ROOT" },
	{ 0x20, "RESOLVE_CACHED" }, /* Linux 5.12 */
	{ 0, NULL },
};

static void add_flags(struct weir_fixed_text *text, const struct open_flag *table, uint32_t bits)
{
	char rest[16];

	for (; table->bits; table++) {
		if ((bits & table->bits) != table->bits)
			continue;
		bits &= ~table->bits;
		weir_fixed_text_add_word(text, "|");
		weir_fixed_text_add_word(text, table->name);
	}
	if (!bits)
		return;
	snprintf(rest, sizeof(rest), "|0x%x", bits);
	weir_fixed_text_add_word(text, rest);
}

size_t open_flags_write(char *text, size_t size, uint32_t flags, uint32_t resolve)
{
	static const char *const access[O_ACCMODE + 1] = { "O_RDONLY", "O_WRONLY", "O_RDWR",
							   "O_ACCMODE" };
	struct weir_fixed_text to = { text, 0, size };

	text[0] = '\0';
	weir_fixed_text_add_word(&to, access[flags & O_ACCMODE]);
	add_flags(&to, open_flags, flags & ~(uint32_t)O_ACCMODE);
	add_flags(&to, resolve_flags, resolve);
	return to.length;
}
