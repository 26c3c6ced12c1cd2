/* SPDX-License-Identifier: BSD-2-Clause */
/* Colours of frames; see svg_colour.h. */
#include "svg_colour.h"
#include "profile.h"

/* From a colour on, by as much as `spread` more: each part for itself, or all by the same share. */
struct svg_range {
	uint8_t from[3];
	uint8_t spread[3];
	bool together;
};

static const struct svg_range svg_ranges[] = {
	[SVG_HOT] = { { 205, 0, 0 }, { 50, 230, 55 }, false },
	[SVG_MEM] = { { 0, 190, 0 }, { 0, 50, 210 }, false },
	[SVG_IO] = { { 80, 80, 190 }, { 60, 60, 55 }, true },
	[SVG_RED] = { { 200, 50, 50 }, { 55, 80, 80 }, true },
	[SVG_GREEN] = { { 50, 200, 50 }, { 60, 55, 60 }, true },
	[SVG_BLUE] = { { 80, 80, 205 }, { 60, 60, 50 }, true },
	[SVG_YELLOW] = { { 175, 175, 50 }, { 55, 55, 20 }, true },
	[SVG_PURPLE] = { { 190, 80, 190 }, { 65, 60, 65 }, true },
	[SVG_AQUA] = { { 50, 165, 165 }, { 60, 55, 55 }, true },
	[SVG_ORANGE] = { { 190, 90, 0 }, { 65, 65, 0 }, true },
	[SVG_WAKEUP] = { { 50, 165, 165 }, { 60, 55, 55 }, true },
	[SVG_CHAIN] = { { 80, 80, 205 }, { 60, 60, 50 }, true },
};

/* The first whose flags a frame has. */
static const struct svg_kind {
	uint32_t flags;
	struct svg_range range;
} svg_kinds[] = {
	{ PROFILE_ROOT, { { 200, 200, 200 }, { 25, 25, 25 }, false } },      /* grey: commands */
	{ WEIR_FRAME_KERNEL, { { 225, 120, 0 }, { 30, 50, 40 }, false } },   /* orange */
	{ WEIR_FRAME_INLINED, { { 50, 165, 165 }, { 60, 55, 55 }, false } }, /* aqua */
	{ WEIR_FRAME_JIT, { { 50, 200, 50 }, { 60, 55, 60 }, false } },      /* green */
	{ WEIR_FRAME_SCRIPT, { { 175, 175, 50 }, { 55, 55, 20 }, false } },  /* yellow */
};
static const struct svg_range svg_user = { { 200, 50, 50 }, { 55, 80, 80 }, false }; /* red */
static const struct svg_range svg_no_name = { { 170, 160, 150 }, { 20, 20, 20 }, false };

/* FNV-1a, then mixed: neighbouring names get distant colours. */
static uint64_t svg_hash(const char *name, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	for (i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
	return intmap_hash(hash, 0);
}

/* Frames that stand for what could not be found out, or that only part stacks from each other. */
static bool svg_says_nothing(const char *name, size_t length)
{
	static const char *const names[] = { "[truncated]", "[unknown]", "[lost stack]", "-",
					     "--" };
	uint32_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (length == strlen(names[i]) && memcmp(name, names[i], length) == 0)
			return true;
	return false;
}

static bool svg_holds(const char *name, size_t length, const char *part)
{
	return memmem(name, length, part, strlen(part)) != NULL;
}

/* "java/util/HashMap.get", "Lorg/x/Y;": a path of packages that begins as Java's usually do. */
static bool svg_is_java(const char *name, size_t length)
{
	static const char *const packages[] = { "java/", "javax/", "jdk/", "net/",
						"org/",  "com/",   "io/",  "sun/" };
	uint32_t i;

	if (length && name[0] == 'L') {
		name++;
		length--;
	}
	for (i = 0; i < sizeof(packages) / sizeof(packages[0]); i++)
		if (length > strlen(packages[i]) &&
		    memcmp(name, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

static enum svg_palette svg_java(const char *name, size_t length, uint32_t flags)
{
	if (flags & WEIR_FRAME_JIT)
		return SVG_GREEN;
	if (flags & WEIR_FRAME_INLINED)
		return SVG_AQUA;
	if (flags & WEIR_FRAME_KERNEL)
		return SVG_ORANGE;
	if (svg_is_java(name, length) || svg_holds(name, length, ":::"))
		return SVG_GREEN;
	return svg_holds(name, length, "::") ? SVG_YELLOW : SVG_RED;
}

static enum svg_palette svg_js(const char *name, size_t length, uint32_t flags)
{
	bool path = svg_holds(name, length, "/");

	if (flags & WEIR_FRAME_JIT)
		return path ? SVG_GREEN : SVG_AQUA;
	if (flags & WEIR_FRAME_KERNEL)
		return SVG_ORANGE;
	if (svg_holds(name, length, "::"))
		return SVG_YELLOW;
	if (path && svg_holds(name, length, ".js"))
		return SVG_GREEN;
	return svg_holds(name, length, ":") ? SVG_AQUA : SVG_RED;
}

/* "name_[w]": a waker's frame, in folded text. */
static bool svg_is_waker(const char *name, size_t length)
{
	return length > 4 && memcmp(name + length - 4, "_[w]", 4) == 0;
}

static const struct svg_range *svg_kind_range(const char *name, size_t length, uint32_t flags)
{
	uint32_t i;

	for (i = 0; i < sizeof(svg_kinds) / sizeof(svg_kinds[0]); i++)
		if (flags & svg_kinds[i].flags)
			return &svg_kinds[i].range;
	return length && name[0] == '[' ? &svg_no_name : &svg_user;
}

static const struct svg_range *svg_range_of(enum svg_palette palette, const char *name,
					    size_t length, uint32_t flags)
{
	if (svg_says_nothing(name, length))
		return &svg_no_name;
	if (palette == SVG_KIND)
		return svg_kind_range(name, length, flags);
	if (palette == SVG_JAVA)
		palette = svg_java(name, length, flags);
	else if (palette == SVG_JS)
		palette = svg_js(name, length, flags);
	else if (palette == SVG_CHAIN && svg_is_waker(name, length))
		palette = SVG_AQUA;
	return &svg_ranges[palette];
}

/* White where nothing changed, red where there is more, blue where there is less. */
static struct svg_colour svg_changed(const struct svg_colours *colours, const struct calltree *tree,
				     uint32_t node)
{
	uint64_t after = tree->nodes[node].weight;
	uint64_t before = tree->before ? tree->before[node] : 0;
	uint64_t change = after > before ? after - before : before - after;
	double share = colours->largest ? (double)change / (double)colours->largest : 0;
	bool more = (after > before) != colours->negate;
	uint8_t rest = change ? (uint8_t)(235 - 215 * (share < 1 ? share : 1)) : 255;

	return more && change ? (struct svg_colour){ 255, rest, rest }
			      : (struct svg_colour){ rest, rest, 255 };
}

int svg_colours_read(struct weir_ctx *ctx, struct svg_colours *colours, const char *path)
{
	return path[0] ? svg_names_read(ctx, &colours->names, path) : 0;
}

void svg_colours_clear(struct svg_colours *colours)
{
	svg_names_clear(&colours->names);
}

void svg_colours_compare(struct svg_colours *colours, const struct calltree *tree)
{
	uint32_t node;

	for (node = 1; tree->before && node < tree->count; node++) {
		uint64_t after = tree->nodes[node].weight, before = tree->before[node];
		uint64_t change = after > before ? after - before : before - after;

		if (change > colours->largest)
			colours->largest = change;
	}
}

static struct svg_colour svg_hashed(enum svg_palette palette, const char *name, size_t length,
				    uint32_t flags)
{
	const struct svg_range *range = svg_range_of(palette, name, length, flags);
	uint64_t hash = svg_hash(name, length);
	uint8_t part[3];
	uint32_t i;

	for (i = 0; i < 3; i++)
		part[i] = (uint8_t)(range->from[i] +
				    ((hash >> (range->together ? 0 : 16 * i)) & 0xffff) *
					    range->spread[i] / 0xffff);
	return (struct svg_colour){ part[0], part[1], part[2] };
}

struct svg_colour svg_colour(const struct svg_colours *colours, const char *name, size_t length,
			     const struct calltree *tree, uint32_t node)
{
	const struct svg_colour *named = svg_names_find(&colours->names, name, length);
	uint32_t flags = node ? calltree_tag(tree, node) : PROFILE_ROOT;

	if (named)
		return *named;
	if (colours->palette == SVG_DIFF)
		return svg_changed(colours, tree, node);
	return svg_hashed((enum svg_palette)colours->palette, name, length, flags);
}

const struct svg_ground *svg_ground(const struct svg_colours *colours)
{
	static const struct svg_ground yellow = { "#eeeeee", "#eeeeb0" };
	static const struct svg_ground green = { "#eeeeee", "#d6f0d6" };
	static const struct svg_ground blue = { "#eeeeee", "#dcdcf6" };
	static const struct svg_ground grey = { "#f7f7f7", "#e4e4e4" };

	switch (colours->palette) {
	case SVG_HOT:
	case SVG_KIND:
	case SVG_JAVA:
	case SVG_JS:
		return &yellow;
	case SVG_MEM:
		return &green;
	case SVG_IO:
	case SVG_WAKEUP:
	case SVG_CHAIN:
		return &blue;
	default:
		return &grey;
	}
}
