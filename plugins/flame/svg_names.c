/* SPDX-License-Identifier: BSD-2-Clause */
/* A file of colours; see svg_names.h. */
#include <stdlib.h>

#include <weir/file.h>

#include "svg_names.h"

/* "rgb(R,G,B)", whole. */
static bool svg_read_colour(const char *text, const char *end, struct svg_colour *colour)
{
	uint8_t *parts[] = { &colour->red, &colour->green, &colour->blue };
	uint32_t i;

	if (end - text < 4 || memcmp(text, "rgb(", 4) != 0)
		return false;
	text += 4;
	for (i = 0; i < 3; i++) {
		char *after;
		unsigned long part = strtoul(text, &after, 10);

		if (after == text || part > 255 || *after != (i < 2 ? ',' : ')'))
			return false;
		*parts[i] = (uint8_t)part;
		text = after + 1;
	}
	return text == end;
}

/* Where the last "->" of a line begins; NULL: there is none. */
static const char *svg_last_arrow(const char *line, const char *end)
{
	const char *at;

	for (at = end - 2; at >= line; at--)
		if (at[0] == '-' && at[1] == '>')
			return at;
	return NULL;
}

static bool svg_read_named(const char *line, const char *end, struct svg_named *named)
{
	const char *arrow = svg_last_arrow(line, end);

	if (!arrow || arrow == line || !svg_read_colour(arrow + 2, end, &named->colour))
		return false;
	named->name = line;
	named->length = (size_t)(arrow - line);
	return true;
}

static int svg_compare_names(const char *a, size_t a_length, const char *b, size_t b_length)
{
	int order = memcmp(a, b, a_length < b_length ? a_length : b_length);

	return order ? order : (a_length > b_length) - (a_length < b_length);
}

static int svg_compare_named(const void *left, const void *right)
{
	const struct svg_named *a = left, *b = right;

	return svg_compare_names(a->name, a->length, b->name, b->length);
}

/* Empty lines and comments are none. Returns how many could not be read. */
static uint32_t svg_read_lines(struct svg_names *names)
{
	char *line = names->text, *end;
	uint32_t bad = 0;

	for (; line && *line; line = *end ? end + 1 : end) {
		const char *last = end = line + strcspn(line, "\n");

		if (last > line && last[-1] == '\r')
			last--;
		if (last == line || *line == '#')
			continue;
		if (svg_read_named(line, last, &names->items[names->count]))
			names->count++;
		else
			bad++;
	}
	return bad;
}

int svg_names_read(struct weir_ctx *ctx, struct svg_names *names, const char *path)
{
	struct weir_buffer buffer = { 0 };
	uint32_t bad;
	size_t lines = 1, i;
	int err = weir_read_at(AT_FDCWD, path, &buffer);

	names->text = buffer.bytes;
	if (err)
		return weir_fail(ctx, err, "read colours from %s", path);
	for (i = 0; i < buffer.size; i++)
		lines += buffer.bytes[i] == '\n';
	names->items = calloc(lines, sizeof(*names->items));
	if (!names->items)
		return weir_fail(ctx, -ENOMEM, "%zu colours", lines);
	bad = svg_read_lines(names);
	if (bad)
		weir_log(ctx, WEIR_LOG_WARNING, "%s: %u lines are not NAME->rgb(R,G,B)", path, bad);
	if (names->count)
		qsort(names->items, names->count, sizeof(*names->items), svg_compare_named);
	return 0;
}

void svg_names_clear(struct svg_names *names)
{
	free(names->text);
	free(names->items);
	memset(names, 0, sizeof(*names));
}

const struct svg_colour *svg_names_find(const struct svg_names *names, const char *name,
					size_t length)
{
	struct svg_named key = { .name = name, .length = length };
	struct svg_named *found = names->count ? bsearch(&key, names->items, names->count,
							 sizeof(key), svg_compare_named)
					       : NULL;

	return found ? &found->colour : NULL;
}
