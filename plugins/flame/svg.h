/* SPDX-License-Identifier: BSD-2-Clause */
/* What sink flame.svg is made of: options and state, shared by its files. */
#ifndef FLAME_SVG_H
#define FLAME_SVG_H

#include "moments.h"
#include "svg_colour.h"
#include "svg_layout.h"
#include "svg_page.h"
#include "value_type.h"

enum { SVG_WEIGHT = 0, SVG_SAMPLES = 1 };

enum {
	SVG_MARGIN = 10,      /* pixels left and right of the frames */
	SVG_EMPTY_LINES = 10, /* letters' heights of a graph of nothing */
};

struct svg_conf {
	const char *path;
	const char *title;
	const char *subtitle;
	const char *notes;
	const char *font;
	const char *min_width;
	const char *palette_file;
	double factor;
	uint64_t total;
	uint32_t width;
	uint32_t height;
	uint32_t font_size;
	uint32_t palette;
	uint32_t value;
	bool inverted;
	bool reverse;
	bool chart;
	bool negate;
};

struct svg_state {
	struct profile profile;
	struct value_type type; /* of weights */
	struct moments moments; /* of a flame chart */
	struct svg_layout layout;
	struct svg_colours colours;
	struct writing page;
	double min_width;     /* in pixels, or below 0: a share, negative */
	uint64_t total;       /* the width of all, in the value's unit */
	uint64_t base;        /* what a share of 100 % is: `total` without what has vanished */
	uint64_t base_before; /* the same of the profile to compare with */
	uint32_t shift;       /* of values, so that a browser can compute with them */
	uint32_t font_size;   /* pixels; less than asked for where frames are low */
	uint32_t top;         /* pixels above the frames */
	uint32_t bottom;
	bool differs; /* there is a profile to compare with */
};

/* Writes the file: the graph, or that there is nothing to be seen. The page keeps the first error. */
void svg_draw(struct weir_ctx *ctx);
void svg_draw_nothing(struct weir_ctx *ctx);

#endif
