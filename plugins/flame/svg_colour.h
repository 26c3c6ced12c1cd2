/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Colours of frames: a stable hash of the name within the range of a palette; what a file says of a
 * name; or, between two profiles, what became of the frame.
 */
#ifndef FLAME_SVG_COLOUR_H
#define FLAME_SVG_COLOUR_H

#include "calltree.h"
#include "svg_names.h"

#define SVG_PALETTES                                                                               \
	"hot kind mem io red green blue yellow purple aqua orange java js wakeup chain diff"
enum svg_palette {
	SVG_HOT,
	SVG_KIND,
	SVG_MEM,
	SVG_IO,
	SVG_RED,
	SVG_GREEN,
	SVG_BLUE,
	SVG_YELLOW,
	SVG_PURPLE,
	SVG_AQUA,
	SVG_ORANGE,
	SVG_JAVA,
	SVG_JS,
	SVG_WAKEUP,
	SVG_CHAIN,
	SVG_DIFF,
};

struct svg_colours {
	uint32_t palette; /* enum svg_palette */
	bool negate;
	uint64_t largest; /* change of a frame */
	struct svg_names names;
};

/* Reads the file that names colours; "": there is none. 0, or a negative errno after having failed. */
int svg_colours_read(struct weir_ctx *ctx, struct svg_colours *colours, const char *path);
void svg_colours_clear(struct svg_colours *colours);

/* Of a summed tree: how much frames have changed. */
void svg_colours_compare(struct svg_colours *colours, const struct calltree *tree);

/* The colour of a node of that name, whose tag are its flags (PROFILE_KINDS, PROFILE_ROOT). */
struct svg_colour svg_colour(const struct svg_colours *colours, const char *name, size_t length,
			     const struct calltree *tree, uint32_t node);

/* What is behind the frames, from above to below. */
struct svg_ground {
	const char *above;
	const char *below;
};
const struct svg_ground *svg_ground(const struct svg_colours *colours);

#endif
