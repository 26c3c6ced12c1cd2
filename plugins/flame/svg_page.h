/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing XML: text of any bytes becomes valid, numbers become readable. */
#ifndef FLAME_SVG_PAGE_H
#define FLAME_SVG_PAGE_H

#include "writing.h"

/*
 * Text between tags or in an attribute, escaped. What is no UTF-8, and what XML forbids, becomes
 * U+FFFD. At most `limit` characters; a longer text ends with "..". 0: no text at all.
 */
void svg_text(struct writing *page, const char *text, size_t length, uint32_t limit);

/* "12.3 s", "1,218 samples", "4.50 MiB": a number in its unit, which may be NULL. */
void svg_amount(struct writing *page, uint64_t value, const struct weir_unit *unit);

/* "45.63 %"; "0.00 %" of nothing. */
void svg_percent(struct writing *page, uint64_t part, uint64_t whole);

/* "+3.20 %": what came to `part` of the whole since it was `before`. */
void svg_change(struct writing *page, uint64_t before, uint64_t part, uint64_t whole);

#endif
