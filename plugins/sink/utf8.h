/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, read byte by byte: texts come from strangers, and plugins run in no locale. */
#ifndef SINK_UTF8_H
#define SINK_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The character at the start of a text that is not empty: returns its bytes, or 0 when they are
 * not UTF-8 (also overlong forms, surrogates, beyond U+10FFFF).
 */
size_t utf8_decode(const char *text, size_t length, uint32_t *code);

/* How many places of a terminal a character takes: 0, 1 or 2. */
uint32_t utf8_width(uint32_t code);

/* A character that would steer the terminal or reorder its line instead of being shown. */
bool utf8_steers(uint32_t code);

/* The same of a text, whose bytes that are not UTF-8 count 1 each. */
uint32_t utf8_text_width(const char *text, size_t length);

/* How many bytes of a text fit into that many places. */
size_t utf8_fitting(const char *text, size_t length, uint32_t width);

#endif
