/* SPDX-License-Identifier: BSD-2-Clause */
/* Text of a profile, line by line. */
#ifndef FLAME_FILE_TEXT_H
#define FLAME_FILE_TEXT_H

#include "file_reader.h"

enum { FILE_TEXT_AHEAD = 8 };

/* One line, without its end, which nothing closes. */
struct file_line {
	const char *text;
	size_t length;
	uint64_t hash; /* for file_text's `ahead` to set */
};

struct file_text {
	uint64_t line;   /* number of the line at hand, from 1 on */
	size_t step;     /* bytes to read at a time; 0: FILE_STEP */
	bool too_long;   /* it is left out to its end */
	bool paragraphs; /* a step ends with a blank line, if there is one */
	/* NULL, or: sees some lines before each of them is read. */
	void (*ahead)(struct file *file, struct file_line *lines, uint32_t count);
	/* Reads a line. 0, or a negative errno after having failed. */
	int (*read)(struct file *file, const struct file_line *line);
};

/* Hands on the lines of the next `step` bytes. As a reader's step(). */
int file_text_step(struct file *file, struct file_text *text);

#endif
