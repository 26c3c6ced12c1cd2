/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Text in memory of a fixed size, put together piece by piece: what does not fit is left out, and
 * it is always closed by NUL.
 */
#ifndef WEIR_FIXED_TEXT_H
#define WEIR_FIXED_TEXT_H

#include <stddef.h>
#include <string.h>

/* Starts with a length of 0 and the caller's bytes, of which the first is NUL. */
struct weir_fixed_text {
	char *bytes;
	size_t length;
	size_t size; /* more than 0 */
};

static inline void weir_fixed_text_add(struct weir_fixed_text *text, const char *bytes,
				       size_t length)
{
	size_t room = text->size - 1 - text->length;

	if (length > room)
		length = room;
	memcpy(text->bytes + text->length, bytes, length);
	text->length += length;
	text->bytes[text->length] = '\0';
}

static inline void weir_fixed_text_add_word(struct weir_fixed_text *text, const char *word)
{
	weir_fixed_text_add(text, word, strlen(word));
}

#endif
