/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in sentences, for people: "38.2 ms", "176 MB/s", "45 %". A plugin that uses it links libm. */
#ifndef WEIR_QUANTITY_H
#define WEIR_QUANTITY_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

static inline void weir_quantity_number(double value, const char *unit, char *out, size_t size)
{
	const double size_of = fabs(value);
	const char *blank = unit[0] && unit[0] != '/' ? " " : "";

	if (size_of >= 9.95 || fabs(value - nearbyint(value)) < 0.05)
		snprintf(out, size, "%.0f%s%s", value, blank, unit);
	else
		snprintf(out, size, "%.1f%s%s", value, blank, unit);
}

/* Scales by the largest unit that leaves at least 1. */
static inline void weir_quantity_scaled(double value, const char *const *units, const double *sizes,
					const char *suffix, char *out, size_t size)
{
	char unit[16];
	size_t i = 0;

	while (units[i + 1] && fabs(value) < sizes[i] * 0.9995)
		i++;
	snprintf(unit, sizeof(unit), "%s%s", units[i], suffix);
	weir_quantity_number(value / sizes[i], unit, out, size);
}

/* A value in `unit`, which may be NULL or of size 0: a number. */
static inline void weir_quantity(double value, const struct weir_unit *unit, char *out, size_t size)
{
	static const char *const times[] = { "h", "min", "s", "ms", "us", "ns", NULL };
	static const double time_sizes[] = { 3600, 60, 1, 1e-3, 1e-6, 1e-9 };
	static const char *const data[] = { "TB", "GB", "MB", "kB", "B", NULL };
	static const double data_sizes[] = { 1e12, 1e9, 1e6, 1e3, 1 };
	double base = value;

	if (!unit || !unit->size) {
		weir_quantity_number(value, "", out, size);
		return;
	}
	base = value * (double)unit->numerator / (double)unit->denominator;
	if (strcmp(unit->dimension, "time") == 0)
		weir_quantity_scaled(base, times, time_sizes, "", out, size);
	else if (strcmp(unit->dimension, "data") == 0)
		weir_quantity_scaled(base, data, data_sizes, "", out, size);
	else if (strcmp(unit->dimension, "data rate") == 0)
		weir_quantity_scaled(base, data, data_sizes, "/s", out, size);
	else if (strcmp(unit->dimension, "ratio") == 0)
		weir_quantity_number(base * 100, "%", out, size);
	else
		weir_quantity_number(value, unit->symbol, out, size);
}

#endif
