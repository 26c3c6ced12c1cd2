/* SPDX-License-Identifier: BSD-2-Clause */
/* The transform metrics: values and what they say, as rows. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include <weir/quantity.h>

#include "metrics.h"

struct metrics_value_row {
	struct weir_text place;
	struct weir_text metric;
	struct weir_text value;
	struct weir_text means;
	struct weir_text note;
	struct weir_text unit;
	double amount;
};

static const struct weir_field metrics_value_fields[] = {
	WEIR_FIELD_WITH(struct metrics_value_row, place, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"CPU, core or socket; none: all of them"),
	WEIR_FIELD(struct metrics_value_row, metric, WEIR_NONE, WEIR_KEY, "what was computed"),
	WEIR_FIELD_WITH(struct metrics_value_row, value, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"in the metric's unit, for people"),
	WEIR_FIELD(struct metrics_value_row, means, WEIR_NONE, WEIR_GAUGE, "what the number means"),
	WEIR_FIELD_WITH(struct metrics_value_row, note, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"why it is not there"),
	WEIR_FIELD_WITH(struct metrics_value_row, amount, WEIR_NONE, WEIR_GAUGE,
			WEIR_OPTIONAL | WEIR_QUIET, "the number, in `unit`"),
	WEIR_FIELD_WITH(struct metrics_value_row, unit, WEIR_NONE, WEIR_KEY,
			WEIR_OPTIONAL | WEIR_QUIET, "the metric's unit"),
};
const struct weir_schema metrics_value_schema = { sizeof(struct weir_schema),
						  WEIR_ROW_SIZE(struct metrics_value_row),
						  "metrics", WEIR_TABLE(metrics_value_fields) };

struct metrics_reading_row {
	struct weir_text place;
	struct weir_text reading;
	struct weir_text says;
	struct weir_text advice;
	struct weir_text next;
};

static const struct weir_field metrics_reading_fields[] = {
	WEIR_FIELD_WITH(struct metrics_reading_row, place, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"CPU, core or socket; none: all of them"),
	WEIR_FIELD(struct metrics_reading_row, reading, WEIR_NONE, WEIR_KEY, "what it is called"),
	WEIR_FIELD(struct metrics_reading_row, says, WEIR_NONE, WEIR_GAUGE, "with the evidence"),
	WEIR_FIELD_WITH(struct metrics_reading_row, advice, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"what to do about it"),
	WEIR_FIELD_WITH(struct metrics_reading_row, next, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"what to run next"),
};
const struct weir_schema metrics_reading_schema = { sizeof(struct weir_schema),
						    WEIR_ROW_SIZE(struct metrics_reading_row),
						    "readings",
						    WEIR_TABLE(metrics_reading_fields) };

static int metrics_text(struct weir_ctx *ctx, struct weir_batch *batch, const char *text,
			struct weir_text *out)
{
	return weir_add_text(ctx, batch, text ? text : "", text ? strlen(text) : 0, out);
}

/* In the metric's own unit; NaN: absent. */
static double metrics_shown(const struct metrics_set *set, uint32_t i)
{
	const struct weir_unit *unit = set->fields[i].unit;
	double base = set->values[i];

	if (unit && unit->size)
		base = base * (double)unit->numerator / (double)unit->denominator;
	return base / set->words[i].unit->size;
}

static void metrics_word_text(const struct metrics_set *set, uint32_t i, char *out, size_t size)
{
	const struct metrics_unit *unit = set->words[i].unit;

	if (isnan(set->values[i]))
		snprintf(out, size, "-");
	else if (unit)
		snprintf(out, size, "%.*f%s%s", unit->digits, metrics_shown(set, i),
			 unit->name[0] && unit->name[0] != '/' ? " " : "", unit->name);
	else
		weir_quantity(set->values[i], set->fields[i].unit, out, size);
}

/* The word at `at` of those before a metric, if it is absent; else set->count. */
static uint32_t metrics_absent(const struct metrics_set *set, uint32_t metric, const char *at,
			       size_t length)
{
	for (uint32_t i = 0; i < metric; i++)
		if (strlen(set->words[i].name) == length &&
		    strncmp(set->words[i].name, at, length) == 0 && isnan(set->values[i]))
			return i;
	return set->count;
}

static size_t metrics_word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length;
}

/* Which word of a formula is absent, and why. */
static void metrics_why(const struct metrics_set *set, uint32_t metric, char *out, size_t size)
{
	size_t length;

	snprintf(out, size, "cannot be computed: a divisor is 0");
	for (const char *at = set->words[metric].formula; *at; at += length ? length : 1) {
		uint32_t i;

		length = metrics_word_length(at);
		i = metrics_absent(set, metric, at, length);
		if (i == set->count)
			continue;
		snprintf(out, size, "%s is not there%s%s",
			 set->words[i].event ? set->words[i].event : set->words[i].name,
			 set->words[i].event && set->notes[i][0] ? ": " : "",
			 set->words[i].event ? set->notes[i] : "");
		return;
	}
}

int metrics_add_value(const struct metrics_out *out, const struct metrics_set *set, uint32_t i)
{
	struct metrics_value_row *row = weir_add_row(out->ctx, out->values);
	char shown[64], note[METRICS_TEXT] = "";
	bool absent = isnan(set->values[i]);

	if (!row)
		return -ENOMEM;
	metrics_word_text(set, i, shown, sizeof(shown));
	if (absent)
		metrics_why(set, i, note, sizeof(note));
	row->amount = absent ? NAN : metrics_shown(set, i);
	if (metrics_text(out->ctx, out->values, out->place, &row->place) < 0 ||
	    metrics_text(out->ctx, out->values, set->words[i].name, &row->metric) < 0 ||
	    metrics_text(out->ctx, out->values, absent ? "" : shown, &row->value) < 0 ||
	    metrics_text(out->ctx, out->values, set->words[i].means, &row->means) < 0 ||
	    metrics_text(out->ctx, out->values, set->words[i].unit->name, &row->unit) < 0)
		return -ENOMEM;
	return metrics_text(out->ctx, out->values, note, &row->note);
}

static uint32_t metrics_find(const struct metrics_set *set, const char *name, size_t length)
{
	uint32_t i = 0;

	while (i < set->count && (strlen(set->words[i].name) != length ||
				  strncmp(set->words[i].name, name, length) != 0))
		i++;
	return i;
}

/* Puts the values of "${word}" in. */
static void metrics_fill_in(const struct metrics_set *set, const char *say, char *out, size_t size)
{
	size_t used = 0;

	while (*say && used + 1 < size) {
		const char *end = say[0] == '$' && say[1] == '{' ? strchr(say, '}') : NULL;
		uint32_t i = end ? metrics_find(set, say + 2, (size_t)(end - say - 2)) : set->count;

		if (i < set->count) {
			metrics_word_text(set, i, out + used, size - used);
			used += strlen(out + used);
			say = end + 1;
		} else {
			out[used++] = *say++;
		}
	}
	out[used] = '\0';
}

int metrics_add_reading(const struct metrics_out *out, const struct metrics_set *set,
			const struct metrics_rule *rule)
{
	struct metrics_reading_row *row = weir_add_row(out->ctx, out->readings);
	char says[METRICS_TEXT];

	if (!row)
		return -ENOMEM;
	metrics_fill_in(set, rule->say, says, sizeof(says));
	if (metrics_text(out->ctx, out->readings, out->place, &row->place) < 0 ||
	    metrics_text(out->ctx, out->readings, rule->name, &row->reading) < 0 ||
	    metrics_text(out->ctx, out->readings, says, &row->says) < 0 ||
	    metrics_text(out->ctx, out->readings, rule->advice, &row->advice) < 0)
		return -ENOMEM;
	return metrics_text(out->ctx, out->readings, rule->next, &row->next);
}
