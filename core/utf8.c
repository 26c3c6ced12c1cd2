/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, one character at a time. */
#include "utf8.h"

/* Length of a sequence by its first byte; 0: no character starts with it. */
static size_t sequence_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first < 0xe0)
		return 2;
	if (first >= 0xe0 && first < 0xf0)
		return 3;
	if (first >= 0xf0 && first < 0xf5)
		return 4;
	return 0;
}

size_t utf8_next(const char *bytes, size_t size, uint32_t *code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	static const unsigned char lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	size_t length = size ? sequence_length((unsigned char)bytes[0]) : 0;

	if (length == 0 || length > size)
		return 0;
	*code = (unsigned char)bytes[0] & lead_mask[length];
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)bytes[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | ((unsigned char)bytes[i] & 0x3f);
	}
	if (*code < smallest[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

bool utf8_hidden(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} hidden[] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0x200b, 0x200f }, { 0x2028, 0x202e },
		{ 0x2060, 0x2069 }, { 0xfeff, 0xfeff }, { 0xfffe, 0xffff },
	};

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (code >= hidden[i].first && code <= hidden[i].last)
			return true;
	return false;
}

uint32_t utf8_count(const char *bytes, size_t size)
{
	uint32_t count = 0;
	uint32_t code;

	for (size_t at = 0; at < size; count++) {
		size_t length = utf8_next(bytes + at, size - at, &code);

		at += length ? length : 1;
	}
	return count;
}
