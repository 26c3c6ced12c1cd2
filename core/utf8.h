/* SPDX-License-Identifier: BSD-2-Clause */
/* UTF-8, one character at a time: for columns in messages, and to judge what strangers wrote. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes (1 to 4) of the character at `bytes`, and its code; 0: not valid UTF-8, or size is 0. */
size_t utf8_next(const char *bytes, size_t size, uint32_t *code);

/* True for characters that steer a terminal or cannot be seen, so that they must be escaped. */
bool utf8_hidden(uint32_t code);

/* Characters of a text; a byte that is not valid UTF-8 counts as one. */
uint32_t utf8_count(const char *bytes, size_t size);

#endif
