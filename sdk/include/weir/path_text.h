/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The path of an event (bpf/path.h), as text: as the task sees it, from its root on. What is not
 * plain is told in round brackets: (cut)/end/of/path, (unreachable)/outside/its/root,
 * /name/removed (deleted).
 */
#ifndef WEIR_PATH_TEXT_H
#define WEIR_PATH_TEXT_H

#include <errno.h>
#include <stdint.h>

#include "bpf/path_event.h"
#include "fixed_text.h"

/* Room for any path, its NUL included. */
#define WEIR_PATH_TEXT_MAX (WEIR_PATH_MAX + WEIR_PATH_NAME_MAX + 64)

/*
 * The path at the end of an event of `size` bytes, behind its first `before` bytes; NULL: the
 * event ends in the middle of it.
 */
static inline const struct weir_path_head *weir_path_of(const void *event, size_t size,
							size_t before)
{
	const struct weir_path_head *head =
		(const struct weir_path_head *)(const void *)((const char *)event + before);

	if (size < before + sizeof(*head) ||
	    size != before + sizeof(*head) + head->path_length + head->name_length)
		return NULL;
	return head;
}

/* The name that was asked for, or "". */
static inline const char *weir_path_name(const struct weir_path_head *head, size_t *length)
{
	*length = head->name_length ? head->name_length - 1u : 0;
	return head->name_length ? (const char *)(head + 1) + head->path_length : "";
}

/* The names come from the last one to the first. */
static inline void weir_path_add_names(struct weir_fixed_text *text, const char *names,
				       size_t length)
{
	while (length) {
		size_t end = length - 1, start = end;

		while (start && names[start - 1])
			start--;
		weir_fixed_text_add_word(text, "/");
		weir_fixed_text_add(text, names + start, end - start);
		length = start;
	}
}

static inline void weir_path_add_walked(struct weir_fixed_text *text,
					const struct weir_path_head *head)
{
	if (head->marks & WEIR_PATH_OUTSIDE)
		weir_fixed_text_add_word(text, "(unreachable)");
	if (head->marks & WEIR_PATH_CUT)
		weir_fixed_text_add_word(text, "(cut)");
	if (!head->path_length)
		weir_fixed_text_add_word(text, "/");
	weir_path_add_names(text, (const char *)(head + 1), head->path_length);
	if (head->marks & WEIR_PATH_DELETED)
		weir_fixed_text_add_word(text, " (deleted)");
}

static inline void weir_path_add_asked(struct weir_fixed_text *text,
				       const struct weir_path_head *head, int64_t result)
{
	size_t length;
	const char *name = weir_path_name(head, &length);

	weir_fixed_text_add(text, name, length);
	if (head->name_length == WEIR_PATH_NAME_MAX && result == -ENAMETOOLONG)
		weir_fixed_text_add_word(text, " (cut)");
}

/*
 * Writes the path, behind which its names lie; "": not known. `result`: of the call that was told
 * it. Returns its length, and never writes more than WEIR_PATH_TEXT_MAX bytes.
 */
static inline size_t weir_path_write(char *text, const struct weir_path_head *head, int64_t result)
{
	struct weir_fixed_text to = { text, 0, WEIR_PATH_TEXT_MAX };
	/* A pipe, or memory: reached through a link of /proc, which its name tells. */
	int nowhere = head->marks & WEIR_PATH_NOWHERE && !head->path_length;

	text[0] = '\0';
	if (head->marks & WEIR_PATH_NAMELESS && result < 0)
		return 0;
	if (head->marks & WEIR_PATH_WALKED && !nowhere)
		weir_path_add_walked(&to, head);
	if (head->marks & WEIR_PATH_BASE && to.length && text[to.length - 1] != '/')
		weir_fixed_text_add_word(&to, "/");
	if (head->marks & WEIR_PATH_BASE || !to.length)
		weir_path_add_asked(&to, head, result);
	return to.length;
}

#endif
