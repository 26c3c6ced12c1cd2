/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours that a file gives to names, a line each: NAME->rgb(R,G,B). Names may hold "->", too. */
#ifndef FLAME_SVG_NAMES_H
#define FLAME_SVG_NAMES_H

#include <weir/plugin.h>

struct svg_colour {
	uint8_t red;
	uint8_t green;
	uint8_t blue;
};

/* All zero: empty. */
struct svg_names {
	char *text; /* of the file; names lie in it */
	struct svg_named {
		const char *name;
		size_t length;
		struct svg_colour colour;
	} * items; /* sorted by name */
	size_t count;
};

/* 0, or a negative errno after having failed. Lines that it cannot read are counted and told. */
int svg_names_read(struct weir_ctx *ctx, struct svg_names *names, const char *path);
void svg_names_clear(struct svg_names *names);

/* NULL: the file does not know that name. */
const struct svg_colour *svg_names_find(const struct svg_names *names, const char *name,
					size_t length);

#endif
