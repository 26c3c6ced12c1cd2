/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of profiles of before profile.proto, and the words and numbers in them. */
#include <string.h>

#include "pprof_legacy.h"

bool legacy_line(struct legacy_text *text, struct legacy_text *line)
{
	const char *end;

	if (text->at == text->end)
		return false;
	end = memchr(text->at, '\n', (size_t)(text->end - text->at));
	line->at = text->at;
	line->end = end ? end : text->end;
	text->at = end ? end + 1 : text->end;
	if (line->end > line->at && line->end[-1] == '\r')
		line->end--;
	return true;
}

void legacy_blanks(struct legacy_text *text)
{
	while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
		text->at++;
}

bool legacy_word(struct legacy_text *text, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(text->end - text->at) < length || memcmp(text->at, word, length) != 0)
		return false;
	text->at += length;
	return true;
}

static uint32_t text_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (uint32_t)(c - 'a') + 10;
	return c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10 : 16;
}

/* One that does not fit is none. */
static bool text_number(struct legacy_text *text, uint32_t base, uint64_t *number)
{
	const char *at = text->at;

	*number = 0;
	for (; at < text->end && text_digit(*at) < base; at++)
		if (__builtin_mul_overflow(*number, base, number) ||
		    __builtin_add_overflow(*number, text_digit(*at), number))
			return false;
	if (at == text->at)
		return false;
	text->at = at;
	return true;
}

bool legacy_number(struct legacy_text *text, uint64_t *number)
{
	return text_number(text, 10, number);
}

bool legacy_hex(struct legacy_text *text, uint64_t *number)
{
	struct legacy_text digits = *text;

	legacy_word(&digits, "0x");
	if (!text_number(&digits, 16, number))
		return false;
	*text = digits;
	return true;
}
