/* SPDX-License-Identifier: BSD-2-Clause */
/* Aligned columns of text, for what commands print. */
#ifndef CORE_LISTING_H
#define CORE_LISTING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Set `columns`, the rest is zero. */
struct listing {
	uint32_t columns;
	uint32_t count; /* of cells */
	char **cells;
	bool failed; /* no memory: rows are missing */
};

/* Adds a row of copies. NULL and "" are shown as "-". */
void listing_add(struct listing *listing, const char *const *cells);
#define LISTING_ADD(listing_, ...) listing_add(listing_, (const char *const[]){ __VA_ARGS__ })

/* Prints each row after `indent`; control characters are escaped. 0 or -ENOMEM. */
int listing_print(const struct listing *listing, FILE *out, const char *indent);
void listing_clear(struct listing *listing);

#endif
