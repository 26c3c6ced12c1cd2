/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of frames; see svg_colour.h. */
#include "svg_colour.h"
#include "profile.h"

/* From a colour on, by as much as `spread` more, each part for itself. */
struct svg_range {
	uint8_t from[3];
	uint8_t spread[3];
};

static const struct svg_range svg_hot = { { 205, 0, 0 }, { 50, 230, 55 } };

/* The first whose flags a frame has. */
static const struct svg_kind {
	uint32_t flags;
	struct svg_range range;
} svg_kinds[] = {
	{ PROFILE_ROOT, { { 200, 200, 200 }, { 25, 25, 25 } } },      /* grey: commands */
	{ WEIR_FRAME_KERNEL, { { 225, 120, 0 }, { 30, 50, 40 } } },   /* orange */
	{ WEIR_FRAME_INLINED, { { 50, 165, 165 }, { 60, 55, 55 } } }, /* aqua */
	{ WEIR_FRAME_JIT, { { 50, 200, 50 }, { 60, 55, 60 } } },      /* green */
	{ WEIR_FRAME_SCRIPT, { { 175, 175, 50 }, { 55, 55, 20 } } },  /* yellow */
};
static const struct svg_range svg_user = { { 200, 50, 50 }, { 55, 80, 80 } }; /* red */
static const struct svg_range svg_no_name = { { 170, 160, 150 }, { 20, 20, 20 } };

/* FNV-1a, then mixed: neighbouring names get distant colours. */
static uint64_t svg_hash(const char *name, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
	return intmap_hash(hash, 0);
}

/* Frames that stand for what could not be found out. */
static bool svg_says_nothing(const char *name, size_t length)
{
	static const char *const names[] = { "[truncated]", "[unknown]", "[lost stack]" };
	uint32_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (length == strlen(names[i]) && memcmp(name, names[i], length) == 0)
			return true;
	return false;
}

static const struct svg_range *svg_range_of(enum svg_palette palette, const char *name,
					    size_t length, uint32_t flags)
{
	uint32_t i;

	if (palette == SVG_HOT)
		return svg_says_nothing(name, length) ? &svg_no_name : &svg_hot;
	for (i = 0; i < sizeof(svg_kinds) / sizeof(svg_kinds[0]); i++)
		if (flags & svg_kinds[i].flags)
			return &svg_kinds[i].range;
	return length && name[0] == '[' ? &svg_no_name : &svg_user;
}

struct svg_colour svg_colour(enum svg_palette palette, const char *name, size_t length,
			     uint32_t flags)
{
	const struct svg_range *range = svg_range_of(palette, name, length, flags);
	uint64_t hash = svg_hash(name, length);
	uint8_t part[3];
	uint32_t i;

	for (i = 0; i < 3; i++)
		part[i] = (uint8_t)(range->from[i] +
				    ((hash >> (16 * i)) & 0xffff) * range->spread[i] / 0xffff);
	return (struct svg_colour){ part[0], part[1], part[2] };
}
