/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * UTF-8, one character at a time and in no locale: texts come from strangers, and whoever shows
 * one must know where its characters end and which of them would do something instead.
 */
#ifndef WEIR_UTF8_H
#define WEIR_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many bytes a character takes that begins with this one; 0: none begins so. */
static inline size_t weir_utf8_length(unsigned char first)
{
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/*
 * The character at the start of `size` bytes: returns its bytes, 1 to 4, and sets *code; 0 when
 * they are none (no UTF-8, overlong, a surrogate, beyond U+10FFFF, cut off), or when size is 0.
 */
static inline size_t weir_utf8_next(const char *text, size_t size, uint32_t *code)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *bytes = (const unsigned char *)text;
	size_t length = size ? weir_utf8_length(bytes[0]) : 0;

	if (length == 0 || length > size)
		return 0;
	*code = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (bytes[i] & 0x3fu);
	}
	if (*code < smallest[length] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return length;
}

/* Characters of a text; a byte that is not UTF-8 counts as one. */
static inline uint32_t weir_utf8_count(const char *text, size_t size)
{
	uint32_t count = 0, code;

	for (size_t at = 0; at < size; count++) {
		size_t length = weir_utf8_next(text + at, size - at, &code);

		at += length ? length : 1;
	}
	return count;
}

/* A character that would steer a terminal, break or reorder its line instead of being shown. */
static inline bool weir_utf8_steers(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} steering[] = {
		{ 0x0000, 0x001f }, { 0x007f, 0x009f }, { 0x061c, 0x061c }, { 0x200e, 0x200f },
		{ 0x2028, 0x202e }, { 0x2066, 0x2069 }, { 0xfeff, 0xfeff },
	};

	for (size_t i = 0; i < sizeof(steering) / sizeof(steering[0]); i++)
		if (code >= steering[i].first && code <= steering[i].last)
			return true;
	return false;
}

#endif
