/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers: decimal text to exact integers and doubles. option.h has those with units. */
#ifndef CORE_OPTION_NUMBER_H
#define CORE_OPTION_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* 0, -EINVAL (not of that form) or -ERANGE. No blanks, no hexadecimal, no infinity. */
int number_uint(const char *text, uint64_t *value);
int number_int(const char *text, int64_t *value);
int number_double(const char *text, double *value);
int number_ratio(const char *text, double *value); /* "0.01" or "1%"; not negative */

/* A unit as it is written behind a number; tables end with the name NULL. */
struct number_scale {
	const char *name;
	uint64_t units;
};
extern const struct number_scale number_durations[]; /* in ns */
extern const struct number_scale number_sizes[];     /* in bytes */

/* "90s" for 90 seconds, "1m" for 60: the largest unit that divides it; "0". */
void number_duration_text(uint64_t ns, char *out, size_t size);
void number_size_text(uint64_t bytes, char *out, size_t size);

#endif
