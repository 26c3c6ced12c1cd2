/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of frames: a stable hash of the name within the range of a palette. */
#ifndef FLAME_SVG_COLOUR_H
#define FLAME_SVG_COLOUR_H

#include <stddef.h>
#include <stdint.h>

enum svg_palette { SVG_HOT = 0, SVG_KIND = 1 };

struct svg_colour {
	uint8_t red;
	uint8_t green;
	uint8_t blue;
};

/* `flags`: PROFILE_KINDS of the frame, PROFILE_ROOT of a command. */
struct svg_colour svg_colour(enum svg_palette palette, const char *name, size_t length,
			     uint32_t flags);

#endif
