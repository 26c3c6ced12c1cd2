/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating numbers as text: see number.h. */
#include "number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts a point where the locale has put something else, of one byte or more. */
static void number_point(char *text)
{
	char *from = text + strspn(text, "+-0123456789");
	size_t bytes = strcspn(from, "+-0123456789e");

	if (bytes == 0 || *from == 'e')
		return;
	*from = '.';
	memmove(from + 1, from + bytes, strlen(from + bytes) + 1);
}

void number_fixed(char out[NUMBER_MAX], double value, int decimals)
{
	snprintf(out, NUMBER_MAX, "%.*f", decimals, value);
	number_point(out);
}

void number_shortest(char out[NUMBER_MAX], double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(out, NUMBER_MAX, "%.*g", digits, value);
		if (strtod(out, NULL) == value)
			break;
	}
	number_point(out);
}
