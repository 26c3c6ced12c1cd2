/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers for people: three digits that matter, and a unit that suits them. */
#include "table.h"

#include <stdio.h>

#include "number.h"

struct quantity_step {
	double from; /* of values that would round to a thousand (or 1024) of the step before */
	double size;
	const char *symbol;
};

/* In ns. */
static const struct quantity_step quantity_time[] = {
	{ 0, 1, "ns" },
	{ 999.5, 1e3, "us" },
	{ 999.5e3, 1e6, "ms" },
	{ 999.5e6, 1e9, "s" },
	{ 120e9, 60e9, "min" },
	{ 7200e9, 3600e9, "h" },
	{ 172800e9, 86400e9, "d" },
};

#define QUANTITY_KIB 1024.0
#define QUANTITY_MIB (1024.0 * QUANTITY_KIB)
#define QUANTITY_GIB (1024.0 * QUANTITY_MIB)
#define QUANTITY_TIB (1024.0 * QUANTITY_GIB)
#define QUANTITY_PIB (1024.0 * QUANTITY_TIB)

static const struct quantity_step quantity_data[] = {
	{ 0, 1, "B" },
	{ 1023.5, QUANTITY_KIB, "KiB" },
	{ 1023.5 * QUANTITY_KIB, QUANTITY_MIB, "MiB" },
	{ 1023.5 * QUANTITY_MIB, QUANTITY_GIB, "GiB" },
	{ 1023.5 * QUANTITY_GIB, QUANTITY_TIB, "TiB" },
	{ 1023.5 * QUANTITY_TIB, QUANTITY_PIB, "PiB" },
};

static const struct quantity_step quantity_frequency[] = {
	{ 0, 1, "Hz" },
	{ 999.5, 1e3, "kHz" },
	{ 999.5e3, 1e6, "MHz" },
	{ 999.5e6, 1e9, "GHz" },
};

struct quantity_family {
	const char *dimension;
	const char *ucum; /* what codes of rates begin with: "By" of By/s */
	double base;      /* of the smallest step in one base unit */
	const struct quantity_step *steps;
	size_t count;
};

#define QUANTITY_STEPS(steps_) steps_, sizeof(steps_) / sizeof((steps_)[0])

static const struct quantity_family quantity_families[] = {
	{ "time", NULL, 1e9, QUANTITY_STEPS(quantity_time) },
	{ "data", "By/", 1, QUANTITY_STEPS(quantity_data) },
	{ "frequency", NULL, 1, QUANTITY_STEPS(quantity_frequency) },
};

static const struct quantity_family *quantity_find(const struct weir_unit *unit)
{
	for (size_t i = 0; i < sizeof(quantity_families) / sizeof(quantity_families[0]); i++) {
		const struct quantity_family *family = &quantity_families[i];

		if (strcmp(unit->dimension, family->dimension) == 0)
			return family;
		if (family->ucum && strncmp(unit->ucum, family->ucum, strlen(family->ucum)) == 0)
			return family;
	}
	return NULL;
}

/* From the unit to one of which `base` make a base unit. Exact where that is a whole number. */
static double quantity_factor(const struct weir_unit *unit, double base)
{
	return (double)unit->numerator * base / (double)unit->denominator;
}

/* The digits with a comma between thousands. */
static void quantity_group(struct line *out, const char *digits)
{
	size_t sign = *digits == '-';
	size_t whole = strspn(digits + sign, "0123456789");

	line_add(out, digits, sign);
	for (size_t i = 0; i < whole; i++) {
		if (i > 0 && (whole - i) % 3 == 0)
			line_add(out, ",", 1);
		line_add(out, digits + sign + i, 1);
	}
	line_text(out, digits + sign + whole);
}

void table_whole(struct line *out, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	quantity_group(out, digits);
}

/* How many decimals leave `digits` digits that matter; what is whole has none. */
static int quantity_decimals(double value, int digits)
{
	double magnitude = value < 0 ? -value : value;
	int decimals = digits - 1;

	if (magnitude < 9e15 && magnitude == (double)(uint64_t)magnitude)
		return 0;
	for (; magnitude >= 9.995 && decimals > 0; decimals--)
		magnitude /= 10;
	for (; magnitude < 0.9995 && decimals < 15; decimals++)
		magnitude *= 10;
	return decimals;
}

static void quantity_digits(struct line *out, double value, int decimals)
{
	char digits[NUMBER_MAX];

	number_fixed(digits, value, decimals);
	quantity_group(out, digits);
}

/* One decimal, so that a column of them is aligned, unless that would make something of it 0. */
static void quantity_percent(struct line *out, double percent)
{
	double magnitude = percent < 0 ? -percent : percent;
	bool small = magnitude > 0 && magnitude < 0.0995;

	quantity_digits(out, percent, small ? quantity_decimals(percent, 2) : 1);
	line_text(out, " %");
}

static void quantity_scaled(struct line *out, const struct quantity_family *family, double value,
			    const struct weir_unit *unit)
{
	double magnitude = value < 0 ? -value : value;
	const char *per = strchr(unit->symbol, '/');
	size_t i = family->count - 1;

	while (i > 0 && magnitude < family->steps[i].from)
		i--;
	value /= family->steps[i].size;
	quantity_digits(out, value, quantity_decimals(value, 3));
	line_printf(out, " %s%s", family->steps[i].symbol, per ? per : "");
}

/* A number whose unit has no scale that people know. */
static void quantity_plain(struct line *out, const struct weir_field *field, double value)
{
	const char *symbol = field->unit ? field->unit->symbol : "";

	quantity_digits(out, value, quantity_decimals(value, 3));
	if (*symbol && strcmp(symbol, field->name) != 0)
		line_printf(out, " %s", symbol);
}

void table_quantity(struct line *out, const struct weir_field *field, double value, bool raw)
{
	const struct weir_unit *unit = field->unit;
	const struct quantity_family *family = unit ? quantity_find(unit) : NULL;
	char digits[NUMBER_MAX];

	if (value - value != 0) { /* NaN or infinite */
		line_text(out, value > 0 ? "inf" : value < 0 ? "-inf" : "-");
		return;
	}
	if (raw) {
		number_shortest(digits, value);
		line_text(out, digits);
		return;
	}
	if (unit && strcmp(unit->dimension, "ratio") == 0)
		quantity_percent(out, value * quantity_factor(unit, 100));
	else if (family)
		quantity_scaled(out, family, value * quantity_factor(unit, family->base), unit);
	else
		quantity_plain(out, field, value);
}

void table_below_head(struct line *out, const struct weir_field *field, double value,
		      double seconds)
{
	const struct weir_unit *from = field->unit, *to = field->head->unit;
	double factor = (double)from->numerator * (double)to->denominator /
			((double)from->denominator * (double)to->numerator);
	char digits[NUMBER_MAX];
	int decimals;

	value *= factor;
	if (field->head->flags & WEIR_PER_SECOND)
		value /= seconds;
	if (value - value != 0) {
		line_text(out, "-");
		return;
	}
	decimals = quantity_decimals(value, 3);
	if (field->head->flags & WEIR_WHOLE)
		decimals = 0;
	number_fixed(digits, value, decimals > 2 ? 2 : decimals);
	line_text(out, digits);
}

void table_estimate(struct line *out, const struct weir_field *field, double value, bool raw)
{
	if (raw && value >= 0 && value < 1e15)
		value = (double)(uint64_t)(value * 10 + 0.5) / 10;
	table_quantity(out, field, value, raw);
}
