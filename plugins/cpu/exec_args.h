/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arguments of a program as one text in one line, which a shell (bash, zsh) reads back
 * to the same bytes: what needs it is 'quoted', and $'quoted\n' where it holds control
 * characters, bytes that are not UTF-8, or a quotation mark. What is left out is told behind, in
 * round brackets, which no argument shows unquoted.
 */
#ifndef EXEC_ARGS_H
#define EXEC_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum exec_quote {
	EXEC_QUOTE_NEEDED,
	EXEC_QUOTE_ALWAYS,
};

/* Arguments as the kernel has told of them. */
struct exec_args {
	const char *bytes; /* each argument with its NUL; the last one without: it is cut */
	size_t length;
	uint64_t bytes_all;  /* 0: not known */
	uint32_t count;      /* of all arguments */
	uint64_t unreadable; /* bit i: argument i could not be read */
};

/* A growing text. Starts as zeroed memory; free(bytes) in the end. */
struct exec_text {
	char *bytes;
	size_t length;
	size_t capacity;
	bool failed; /* no memory: something is missing */
};

/* Writes the arguments over what the text held. Returns how many are not shown whole. */
uint32_t exec_args_write(struct exec_text *text, const struct exec_args *args,
			 enum exec_quote quote);

#endif
