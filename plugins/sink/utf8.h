/* SPDX-License-Identifier: BSD-2-Clause */
/* How wide texts are on a terminal. */
#ifndef SINK_UTF8_H
#define SINK_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* How many places of a terminal a character takes: 0, 1 or 2. */
uint32_t utf8_width(uint32_t code);

/* The same of a text, whose bytes that are not UTF-8 count 1 each. */
uint32_t utf8_text_width(const char *text, size_t length);

/* How many bytes of a text fit into that many places. */
size_t utf8_fitting(const char *text, size_t length, uint32_t width);

#endif
