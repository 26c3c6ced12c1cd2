/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: the units that are written together with a number. */
#include <stdio.h>

#include "diag.h"
#include "expr_impl.h"
#include "option_number.h"

static const struct number_scale percents[] = { { "%", 1 }, { NULL, 0 } };
static const struct number_scale frequencies[] = {
	{ "Hz", 1 }, { "kHz", 1000 }, { "MHz", 1000000 }, { "GHz", 1000000000 }, { NULL, 0 },
};

/* A literal becomes so many of `unit`. */
static const struct {
	const struct number_scale *scales;
	const struct weir_unit *unit;
} suffixes[] = {
	{ number_durations, WEIR_NS },
	{ number_sizes, WEIR_BYTES },
	{ percents, WEIR_PERCENT },
	{ frequencies, WEIR_HERTZ },
};

#define SUFFIXES (sizeof(suffixes) / sizeof(suffixes[0]))
#define WORDS    32

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
	const char *words[WORDS];
	const char *nearest;
	size_t count = 0;
	char word[32];

	for (size_t i = 0; i < SUFFIXES; i++)
		for (size_t j = 0; suffixes[i].scales[j].name && count < WORDS; j++)
			words[count++] = suffixes[i].scales[j].name;
	snprintf(word, sizeof(word), "%.*s", (int)(span.end - span.start), c->text + span.start);
	nearest = diag_nearest(word, words, count);
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

	for (size_t i = 0; i < SUFFIXES; i++)
		for (const struct number_scale *scale = suffixes[i].scales; scale->name; scale++) {
			if (strlen(scale->name) != length || memcmp(scale->name, word, length) != 0)
				continue;
			*unit = suffixes[i].unit;
			*factor = scale->units;
			return true;
		}
	*unit = suffix_of_schema(c, word, length);
	return *unit || suffix_unknown(c, span);
}
