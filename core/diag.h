/* SPDX-License-Identifier: BSD-2-Clause */
/* Diagnostics about what the user wrote: file:line:col, the line, a caret, a suggestion; all at once. */
#ifndef CORE_DIAG_H
#define CORE_DIAG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <weir/abi.h>

/* A text that places refer to: a YAML file, or the command line written as one line. */
struct diag_text {
	char *name;  /* as shown: "./x.yaml", "command line" */
	char *bytes; /* closed by NUL */
	size_t size;
	struct diag_text *next;
};

/* A stretch of such a text. Lines and columns count from 1; columns count bytes' characters (UTF-8). */
struct place {
	const struct diag_text *text; /* NULL: no place is known */
	uint32_t line;
	uint32_t column;
	uint32_t length; /* for the caret's tail; at least 1 */
};

struct diag;

/* A hostile file has an error in each of its bytes: more than these are counted, not shown. */
enum { DIAG_KEPT_MAX = 100 };

/* NULL: no memory. diag_free accepts NULL. Not thread-safe. */
struct diag *diag_new(void);
void diag_free(struct diag *diag);

/* Takes over a malloc'd text; it lives as long as the diag. NULL: no memory. */
const struct diag_text *diag_add_text(struct diag *diag, const char *name, char *bytes,
				      size_t size);

/*
 * Adds an error. `place` may be NULL. A message may carry a suggestion ("did you mean ...?"),
 * which the caller writes into the message. Returns -EINVAL, for the caller's return.
 */
int WEIR_PRINTF(3, 4)
	diag_error(struct diag *diag, const struct place *place, const char *format, ...);
int WEIR_PRINTF(3, 0)
	diag_verror(struct diag *diag, const struct place *place, const char *format, va_list args);

uint32_t diag_count(const struct diag *diag);

/* Prints all errors in the order of their places, each once, with line and caret. */
void diag_print(const struct diag *diag, FILE *out);

/*
 * The word of a list that `word` was probably meant to be, or NULL: at most a third of its
 * letters differ (insert, delete, replace, swap).
 */
const char *diag_nearest(const char *word, const char *const *words, size_t count);

#endif
