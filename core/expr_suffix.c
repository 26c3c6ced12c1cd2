/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: the units that are written together with a number. */
#include <stdio.h>

#include "diag.h"
#include "expr_impl.h"

/* A literal becomes so many times `factor` of `unit`. */
static const struct {
	const char *suffix;
	const struct weir_unit *unit;
	uint64_t factor;
} suffixes[] = {
	{ "ns", WEIR_NS, 1 },
	{ "us", WEIR_NS, 1000 },
	{ "ms", WEIR_NS, 1000000 },
	{ "s", WEIR_NS, 1000000000 },
	{ "m", WEIR_NS, UINT64_C(60) * 1000000000 },
	{ "h", WEIR_NS, UINT64_C(3600) * 1000000000 },
	{ "d", WEIR_NS, UINT64_C(86400) * 1000000000 },
	{ "B", WEIR_BYTES, 1 },
	{ "KiB", WEIR_BYTES, UINT64_C(1) << 10 },
	{ "MiB", WEIR_BYTES, UINT64_C(1) << 20 },
	{ "GiB", WEIR_BYTES, UINT64_C(1) << 30 },
	{ "TiB", WEIR_BYTES, UINT64_C(1) << 40 },
	{ "kB", WEIR_BYTES, 1000 },
	{ "MB", WEIR_BYTES, 1000000 },
	{ "GB", WEIR_BYTES, 1000000000 },
	{ "TB", WEIR_BYTES, UINT64_C(1000000000000) },
	{ "%", WEIR_PERCENT, 1 },
	{ "Hz", WEIR_HERTZ, 1 },
	{ "kHz", WEIR_HERTZ, 1000 },
	{ "MHz", WEIR_HERTZ, 1000000 },
	{ "GHz", WEIR_HERTZ, 1000000000 },
};

#define SUFFIXES (sizeof(suffixes) / sizeof(suffixes[0]))

/* The unit of a column that is written like that: vendors' units have no suffix of ours. */
static const struct weir_unit *suffix_of_schema(const struct expr_compiler *c, const char *word,
						size_t length)
{
	for (uint32_t i = 0; i < c->schema->fields.count; i++) {
		const struct weir_unit *unit = c->schema->fields.items[i].unit;

		if (unit && unit->symbol && strlen(unit->symbol) == length &&
		    memcmp(unit->symbol, word, length) == 0)
			return unit;
	}
	return NULL;
}

static bool suffix_unknown(struct expr_compiler *c, struct expr_span span)
{
	const char *words[SUFFIXES];
	const char *nearest;
	char word[32];

	for (size_t i = 0; i < SUFFIXES; i++)
		words[i] = suffixes[i].suffix;
	snprintf(word, sizeof(word), "%.*s", (int)(span.end - span.start), c->text + span.start);
	nearest = diag_nearest(word, words, SUFFIXES);
	if (nearest)
		expr_fail(c, span, "unknown unit \"%s\"; did you mean \"%s\"?", word, nearest);
	else
		expr_fail(c, span, "unknown unit \"%s\"", word);
	return false;
}

bool expr_suffix(struct expr_compiler *c, struct expr_span span, const struct weir_unit **unit,
		 uint64_t *factor)
{
	const char *word = c->text + span.start;
	const size_t length = span.end - span.start;

	for (size_t i = 0; i < SUFFIXES; i++) {
		if (strlen(suffixes[i].suffix) != length ||
		    memcmp(suffixes[i].suffix, word, length) != 0)
			continue;
		*unit = suffixes[i].unit;
		*factor = suffixes[i].factor;
		return true;
	}
	*unit = suffix_of_schema(c, word, length);
	return *unit || suffix_unknown(c, span);
}
