/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers in kernel files, strictly read: what is no number, or too large, is never a zero. */
#ifndef WEIR_NUMBER_H
#define WEIR_NUMBER_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Goes past a decimal number and the blanks before it: returns 1, or 0 when there is none that
 * 64 bits hold.
 */
static inline int weir_take_number(const char **at, uint64_t *number)
{
	const char *digits = *at + strspn(*at, " \t");
	char *end;

	if (*digits < '0' || *digits > '9')
		return 0;
	errno = 0;
	*number = strtoull(digits, &end, 10);
	*at = end;
	return !errno;
}

#endif
