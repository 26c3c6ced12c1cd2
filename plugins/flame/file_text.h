/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of a profile, line by line. */
#ifndef FLAME_FILE_TEXT_H
#define FLAME_FILE_TEXT_H

#include "file_reader.h"

/* One line, without its end. `length` may be 0; nothing closes it. */
typedef int file_line_fn(struct file *file, const char *line, size_t length);

struct file_text {
	uint64_t line;   /* number of the line at hand, from 1 on */
	bool too_long;   /* it is left out to its end */
	bool paragraphs; /* a step ends with a blank line, if there is one */
};

/* Hands on the lines of the next FILE_STEP bytes. As a reader's step(). */
int file_text_step(struct file *file, struct file_text *text, file_line_fn *line);

#endif
