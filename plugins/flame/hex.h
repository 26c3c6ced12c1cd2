/* SPDX-License-Identifier: BSD-2-Clause */
/* Hexadecimal digits of profiles and maps, in letters of either size. */
#ifndef FLAME_HEX_H
#define FLAME_HEX_H

/* The value of a digit, or -1: it is none. */
static inline int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
