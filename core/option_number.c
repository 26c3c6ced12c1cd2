/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers and quantities from text, without a rounding error where they are integers. */
#include "option_number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"

static const char digits[] = "0123456789";

/* Adds decimal digits to *value. */
static int add_digits(const char *text, size_t count, uint64_t *value)
{
	for (size_t i = 0; i < count; i++)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(text[i] - '0'), value))
			return -ERANGE;
	return 0;
}

int number_uint(const char *text, uint64_t *value)
{
	size_t count = strspn(text, digits);

	*value = 0;
	if (count == 0 || text[count] != '\0')
		return -EINVAL;
	return add_digits(text, count, value);
}

int number_int(const char *text, int64_t *value)
{
	uint64_t magnitude;
	int negative = text[0] == '-';
	int err = number_uint(text + negative, &magnitude);

	*value = 0;
	if (err)
		return err;
	if (magnitude > (uint64_t)INT64_MAX + (uint64_t)negative)
		return -ERANGE;
	*value = (int64_t)(negative ? 0 - magnitude : magnitude);
	return 0;
}

int number_double(const char *text, double *value)
{
	char *end;

	*value = 0;
	/* strtod() also takes blanks, "0x1p3", "inf" and "nan". */
	if (text[0] == '\0' || text[strspn(text, "0123456789+-.eE")] != '\0')
		return -EINVAL;
	*value = strtod(text, &end);
	if (end == text || *end != '\0')
		return -EINVAL;
	return isfinite(*value) ? 0 : -ERANGE;
}

int number_ratio(const char *text, double *value)
{
	char number[64];
	size_t size = strlen(text);
	int percent = size > 0 && text[size - 1] == '%';
	int err;

	*value = 0;
	if (size >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, size + 1);
	if (percent)
		number[size - 1] = '\0';
	err = number_double(number, value);
	if (err)
		return err;
	if (percent)
		*value /= 100;
	return *value < 0 ? -ERANGE : 0;
}

const struct number_scale number_durations[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000000 },
	{ "s", 1000000000 },
	{ "m", UINT64_C(60) * 1000000000 },
	{ "h", UINT64_C(3600) * 1000000000 },
	{ "d", UINT64_C(86400) * 1000000000 },
	{ NULL },
};

const struct number_scale number_sizes[] = {
	{ "B", 1 },
	{ "kB", 1000 },
	{ "KiB", 1 << 10 },
	{ "MB", 1000000 },
	{ "MiB", 1 << 20 },
	{ "GB", 1000000000 },
	{ "GiB", 1 << 30 },
	{ "TB", UINT64_C(1000000000000) },
	{ "TiB", UINT64_C(1) << 40 },
	{ NULL },
};

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* *value = 0.DIGITS * units, which must be a whole number. */
static int fraction(const char *text, size_t count, uint64_t units, uint64_t *value)
{
	uint64_t numerator = 0;
	uint64_t denominator = 1;
	uint64_t common;

	*value = 0;
	while (count && text[count - 1] == '0')
		count--;
	if (count > 18)
		return -EINVAL;
	if (add_digits(text, count, &numerator) < 0)
		return -EINVAL;
	for (size_t i = 0; i < count; i++)
		denominator *= 10;
	common = common_divisor(units, denominator);
	if (numerator % (denominator / common))
		return -EINVAL;
	*value = numerator / (denominator / common) * (units / common);
	return 0;
}

/* "12", "12.5": whole part and fraction of a text; returns what follows, NULL if it is no number. */
static const char *split(const char *text, size_t *whole, const char **part, size_t *part_count)
{
	*whole = strspn(text, digits);
	*part = text + *whole;
	*part_count = 0;
	if (*whole == 0)
		return NULL;
	if (**part != '.')
		return *part;
	(*part)++;
	*part_count = strspn(*part, digits);
	return *part_count ? *part + *part_count : NULL;
}

static int quantity(const char *text, const struct number_scale *scale, uint64_t *value)
{
	const char *part;
	size_t whole, part_count;
	const char *unit = split(text, &whole, &part, &part_count);
	uint64_t rest;

	*value = 0;
	if (!unit)
		return -EINVAL;
	if (strcmp(text, "0") == 0)
		return 0;
	while (scale->name && strcmp(scale->name, unit) != 0)
		scale++;
	if (!scale->name || fraction(part, part_count, scale->units, &rest) < 0)
		return -EINVAL;
	if (add_digits(text, whole, value) < 0 ||
	    __builtin_mul_overflow(*value, scale->units, value) ||
	    __builtin_add_overflow(*value, rest, value))
		return -ERANGE;
	return 0;
}

int option_duration(const char *text, uint64_t *ns)
{
	return quantity(text, number_durations, ns);
}

int option_size(const char *text, uint64_t *bytes)
{
	return quantity(text, number_sizes, bytes);
}

/* The largest unit that divides the value: 60000000000 is "1m", 1000000 is "1ms". */
static void quantity_text(uint64_t value, const struct number_scale *scale, char *out, size_t size)
{
	const struct number_scale *best = scale;

	for (; scale->name; scale++)
		if (value % scale->units == 0)
			best = scale;
	if (value == 0)
		snprintf(out, size, "0");
	else
		snprintf(out, size, "%llu%s", (unsigned long long)(value / best->units),
			 best->name);
}

void number_duration_text(uint64_t ns, char *out, size_t size)
{
	quantity_text(ns, number_durations, out, size);
}

void number_size_text(uint64_t bytes, char *out, size_t size)
{
	quantity_text(bytes, number_sizes, out, size);
}
