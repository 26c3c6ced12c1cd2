/* SPDX-License-Identifier: BSD-2-Clause */
/* Floating numbers as text, with a point in whatever locale the process runs. */
#ifndef SINK_NUMBER_H
#define SINK_NUMBER_H

#define NUMBER_MAX 352 /* the longest: 1e308 with some decimals, and a NUL */

/* Fixed decimals: "38.20". */
void number_fixed(char out[NUMBER_MAX], double value, int decimals);

/* The shortest text that reads back as the same value. Not for NaN and infinities. */
void number_shortest(char out[NUMBER_MAX], double value);

#endif
