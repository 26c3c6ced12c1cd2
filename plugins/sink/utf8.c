/* SPDX-License-Identifier: BSD-2-Clause */
/* Widths: see utf8.h. */
#include "utf8.h"

#include <weir/utf8.h>

struct utf8_range {
	uint32_t first;
	uint32_t last;
};

/* Marks that sit on the character before them, and characters without width. */
static const struct utf8_range utf8_marks[] = {
	{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd },   { 0x0610, 0x061a },
	{ 0x064b, 0x065f }, { 0x0e31, 0x0e31 }, { 0x0e34, 0x0e3a },   { 0x0e47, 0x0e4e },
	{ 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff }, { 0x200b, 0x200f },   { 0x20d0, 0x20ff },
	{ 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xe0100, 0xe01ef },
};

/* East Asian scripts and emoji. */
static const struct utf8_range utf8_wide[] = {
	{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },   { 0xac00, 0xd7a3 },
	{ 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },   { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },
	{ 0x1f300, 0x1f64f }, { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x1fa70, 0x1faff },
	{ 0x20000, 0x3fffd },
};

static bool utf8_among(uint32_t code, const struct utf8_range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return true;
	return false;
}

#define UTF8_AMONG(code_, ranges_)                                                                 \
	utf8_among(code_, ranges_, sizeof(ranges_) / sizeof((ranges_)[0]))

uint32_t utf8_width(uint32_t code)
{
	if (code < 0x300)
		return 1;
	if (UTF8_AMONG(code, utf8_marks))
		return 0;
	return UTF8_AMONG(code, utf8_wide) ? 2 : 1;
}

/* The first character's bytes, at least 1, and its width. */
static size_t utf8_step(const char *text, size_t length, uint32_t *width)
{
	uint32_t code = 0;
	size_t bytes = weir_utf8_next(text, length, &code);

	*width = bytes ? utf8_width(code) : 1;
	return bytes ? bytes : 1;
}

uint32_t utf8_text_width(const char *text, size_t length)
{
	uint32_t total = 0;
	uint32_t width;

	for (size_t at = 0; at < length; total += width)
		at += utf8_step(text + at, length - at, &width);
	return total;
}

size_t utf8_fitting(const char *text, size_t length, uint32_t width)
{
	uint32_t total = 0;
	size_t at = 0;

	while (at < length) {
		uint32_t here;
		size_t bytes = utf8_step(text + at, length - at, &here);

		if (total + here > width)
			break;
		total += here;
		at += bytes;
	}
	return at;
}
