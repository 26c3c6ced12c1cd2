/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A line in the making, so that only whole lines reach a writer. Grows as needed; that it could
 * not is remembered until line_clear(), so that only the end of a line need ask.
 */
#ifndef SINK_LINE_H
#define SINK_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/abi.h>

/* All zero: empty. */
struct line {
	char *bytes; /* not closed by NUL */
	size_t length;
	size_t capacity;
	bool failed; /* no memory: something is missing */
};

void line_add(struct line *line, const void *bytes, size_t count);
void line_text(struct line *line, const char *text);
void line_fill(struct line *line, char fill, size_t count);
void WEIR_PRINTF(2, 3) line_printf(struct line *line, const char *format, ...);

void line_clear(struct line *line); /* keeps its memory */
void line_free(struct line *line);

#endif
