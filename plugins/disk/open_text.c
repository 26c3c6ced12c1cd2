/* SPDX-License-Identifier: BSD-2-Clause */
/* What was opened, and how, as text: see open_text.h. */
#include "open_text.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>

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

/* A text of a fixed size; what does not fit is left out. */
struct text {
	char *bytes;
	size_t length;
	size_t size; /* more than 0 */
};

static void text_add(struct text *text, const char *bytes, size_t length)
{
	size_t room = text->size - 1 - text->length;

	if (length > room)
		length = room;
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

static void text_add_word(struct text *text, const char *word)
{
	text_add(text, word, strlen(word));
}

static void add_flags(struct text *text, const struct open_flag *table, uint32_t bits)
{
	char rest[16];

	for (; table->bits; table++) {
		if ((bits & table->bits) != table->bits)
			continue;
		bits &= ~table->bits;
		text_add_word(text, "|");
		text_add_word(text, table->name);
	}
	if (!bits)
		return;
	snprintf(rest, sizeof(rest), "|0x%x", bits);
	text_add_word(text, rest);
}

size_t open_flags_write(char *text, size_t size, uint32_t flags, uint32_t resolve)
{
	static const char *const access[O_ACCMODE + 1] = { "O_RDONLY", "O_WRONLY", "O_RDWR",
							   "O_ACCMODE" };
	struct text to = { text, 0, size };

	text[0] = '\0';
	text_add_word(&to, access[flags & O_ACCMODE]);
	add_flags(&to, open_flags, flags & ~(uint32_t)O_ACCMODE);
	add_flags(&to, resolve_flags, resolve);
	return to.length;
}

const char *open_name(const struct open_event *event, size_t *length)
{
	*length = event->name_length ? event->name_length - 1u : 0;
	return event->name_length ? (const char *)(event + 1) + event->path_length : "";
}

/* The names come from the last one to the first. */
static void add_names(struct text *text, const char *names, size_t length)
{
	while (length) {
		size_t end = length - 1, start = end;

		while (start && names[start - 1])
			start--;
		text_add_word(text, "/");
		text_add(text, names + start, end - start);
		length = start;
	}
}

static void add_walked(struct text *text, const struct open_event *event)
{
	if (event->marks & OPEN_OUTSIDE)
		text_add_word(text, "(unreachable)");
	if (event->marks & OPEN_CUT)
		text_add_word(text, "(cut)");
	if (!event->path_length)
		text_add_word(text, "/");
	add_names(text, (const char *)(event + 1), event->path_length);
	if (event->marks & OPEN_DELETED)
		text_add_word(text, " (deleted)");
}

static void add_name(struct text *text, const struct open_event *event)
{
	size_t length;
	const char *name = open_name(event, &length);

	text_add(text, name, length);
	if (event->name_length == OPEN_NAME_MAX && event->result == -ENAMETOOLONG)
		text_add_word(text, " (cut)");
}

size_t open_path_write(char *text, const struct open_event *event)
{
	struct text to = { text, 0, OPEN_TEXT_MAX };
	/* A pipe, or memory: reached through a link of /proc, which its name tells. */
	int nowhere = event->marks & OPEN_NOWHERE && !event->path_length;

	text[0] = '\0';
	if (event->marks & OPEN_NAMELESS && event->result < 0)
		return 0;
	if (event->marks & OPEN_WALKED && !nowhere)
		add_walked(&to, event);
	if (event->marks & OPEN_BASE && to.length && text[to.length - 1] != '/')
		text_add_word(&to, "/");
	if (event->marks & OPEN_BASE || !to.length)
		add_name(&to, event);
	return to.length;
}
