/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing XML; see svg_page.h. */
#include <inttypes.h>
#include <stdio.h>

#include <weir/utf8.h>

#include "svg_page.h"

#define SVG_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool svg_is_allowed(uint32_t point)
{
	if (point < 0x20 || (point >= 0x7f && point < 0xa0))
		return false;
	return (point & 0xfffe) != 0xfffe;
}

/* Bytes of the character at `text` that may stand in XML; 0: none, one byte is to be replaced. */
static uint32_t svg_character(const char *text, size_t left)
{
	uint32_t point = 0;
	size_t count = weir_utf8_next(text, left, &point);

	return count && svg_is_allowed(point) ? (uint32_t)count : 0;
}

static void svg_escaped(struct writing *page, const char *character, uint32_t count)
{
	static const struct {
		char plain;
		const char *escaped;
	} escapes[] = {
		{ '&', "&amp;" },  { '<', "&lt;" },   { '>', "&gt;" },
		{ '"', "&quot;" }, { '\'', "&#39;" },
	};
	uint32_t i;

	for (i = 0; count == 1 && i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		if (escapes[i].plain == character[0]) {
			writing_put(page, escapes[i].escaped);
			return;
		}
	}
	writing_bytes(page, character, count);
}

/* Where the character after `at` begins. */
static size_t svg_next(const char *text, size_t length, size_t at)
{
	uint32_t count = svg_character(text + at, length - at);

	return at + (count ? count : 1);
}

/* How many bytes the first `limit` characters take; all when there are no more. */
static size_t svg_cut(const char *text, size_t length, uint32_t limit)
{
	size_t at = 0, cut = 0;
	uint32_t count = 0;

	while (at < length && count <= limit) {
		if (count + 2 == limit)
			cut = at;
		at = svg_next(text, length, at);
		count++;
	}
	return count > limit ? cut : length;
}

void svg_text(struct writing *page, const char *text, size_t length, uint32_t limit)
{
	size_t end, at, next;

	if (limit < 3)
		return;
	end = svg_cut(text, length, limit);
	for (at = 0; at < end; at = next) {
		uint32_t count = svg_character(text + at, length - at);

		next = svg_next(text, length, at);
		if (count)
			svg_escaped(page, text + at, count);
		else
			writing_put(page, SVG_REPLACEMENT);
	}
	if (end < length)
		writing_put(page, "..");
}

/* "1,234,567" */
static void svg_integer(struct writing *page, uint64_t value)
{
	char digits[32];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, value), i;

	for (i = 0; i < length; i++)
		writing_print(page, "%s%c", i && (length - i) % 3 == 0 ? "," : "", digits[i]);
}

/* Three significant digits. */
static void svg_number(struct writing *page, double value)
{
	if (value >= 1000 || value == 0)
		svg_integer(page, (uint64_t)(value + 0.5));
	else
		writing_print(page, "%.*f", value >= 100 ? 0 : value >= 10 ? 1 : 2, value);
}

struct svg_scale {
	double size; /* in base units */
	const char *symbol;
};

static void svg_scaled(struct writing *page, double value, const struct svg_scale *scales,
		       uint32_t count)
{
	uint32_t i = 0;

	while (i + 1 < count && value < scales[i].size)
		i++;
	svg_number(page, value / scales[i].size);
	writing_print(page, " %s", scales[i].symbol);
}

void svg_amount(struct writing *page, uint64_t value, const struct weir_unit *unit)
{
	static const struct svg_scale times[] = {
		{ 1, "s" }, { 1e-3, "ms" }, { 1e-6, "\xc2\xb5s" }, { 1e-9, "ns" }
	};
	static const struct svg_scale sizes[] = {
		{ 1099511627776.0, "TiB" },
		{ 1073741824.0, "GiB" },
		{ 1048576.0, "MiB" },
		{ 1024.0, "KiB" },
		{ 1, "B" },
	};
	double base = (double)value;

	if (unit && unit->denominator)
		base = base * (double)unit->numerator / (double)unit->denominator;
	if (unit && strcmp(unit->dimension, "time") == 0) {
		svg_scaled(page, base, times, sizeof(times) / sizeof(times[0]));
	} else if (unit && strcmp(unit->dimension, "data") == 0) {
		svg_scaled(page, base, sizes, sizeof(sizes) / sizeof(sizes[0]));
	} else {
		svg_integer(page, value);
		if (unit && unit->symbol[0]) {
			size_t length = strlen(unit->symbol);

			/* "1 sample" */
			if (value == 1 && length > 3 && unit->symbol[length - 1] == 's')
				length--;
			writing_put(page, " ");
			svg_text(page, unit->symbol, length, UINT32_MAX);
		}
	}
}

void svg_percent(struct writing *page, uint64_t part, uint64_t whole)
{
	unsigned __int128 scaled = (unsigned __int128)part * 10000;
	uint64_t hundredths = whole ? (uint64_t)((scaled + whole / 2) / whole) : 0;

	writing_print(page, "%" PRIu64 ".%02" PRIu64 " %%", hundredths / 100, hundredths % 100);
}

void svg_change(struct writing *page, uint64_t before, uint64_t part, uint64_t whole)
{
	writing_put(page, part > before ? "+" : part < before ? "-" : "");
	svg_percent(page, part > before ? part - before : before - part, whole);
}
