/* SPDX-License-Identifier: BSD-2-Clause */
/* Values as people write them: text to value for each type of option, and limits back to text. */
#ifndef CORE_OPTION_TEXT_H
#define CORE_OPTION_TEXT_H

#include <stdbool.h>

#include <weir/option.h>

union option_value {
	bool b;
	uint64_t u; /* UINT, DURATION, SIZE; position of a CHOICE, mask of CHOICES */
	int64_t i;
	double d; /* DOUBLE, RATIO */
};

/*
 * Reads `text` as the option's type wants it and checks its range. 0, or -EINVAL or -ERANGE with
 * `why` in the form `"abc" is no whole number`. TEXT and TEXTS take everything and leave *value.
 */
int option_parse(const struct weir_option *option, const char *text, union option_value *value,
		 char *why, size_t why_size);

/* Item i of a table, whatever the size of its items. */
struct weir_option option_at(const struct weir_option *items, uint32_t item_size, uint32_t i);

/* "1ms to 1h", "at least 1", or "" where the option has no limits. */
void option_limits(const struct weir_option *option, char *out, size_t size);

#endif
