/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows diagnostics: file:line:col, the message, the line itself, a caret. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "diag_list.h"
#include "utf8.h"

enum {
	WINDOW = 120,      /* characters shown of a line that is longer */
	WINDOW_BEFORE = 50 /* of them before the caret */
};

/* One character as it is shown. */
struct glyph {
	char text[16];
	size_t bytes;   /* that it takes in the source */
	uint32_t width; /* columns when shown */
};

static struct glyph next_glyph(const char *bytes, size_t size, uint32_t shown)
{
	struct glyph glyph = { .bytes = 1, .width = 1 };
	uint32_t code;
	size_t length = weir_utf8_next(bytes, size, &code);

	if (length && !utf8_hidden(code)) {
		memcpy(glyph.text, bytes, length);
		glyph.bytes = length;
		return glyph;
	}
	if (length && code == '\t') {
		glyph.width = 8 - shown % 8;
		memset(glyph.text, ' ', glyph.width);
		return glyph;
	}
	if (length > 1)
		snprintf(glyph.text, sizeof(glyph.text), "\\u%04x", code);
	else
		snprintf(glyph.text, sizeof(glyph.text), "\\x%02x", (unsigned char)bytes[0]);
	glyph.bytes = length ? length : 1;
	glyph.width = (uint32_t)strlen(glyph.text);
	return glyph;
}

static void print_escaped(FILE *out, const char *text)
{
	size_t size = strlen(text);

	for (size_t at = 0; at < size;) {
		struct glyph glyph = next_glyph(text + at, size - at, 7);

		fputs(glyph.text, out);
		at += glyph.bytes;
	}
}

/* The bytes of the place's line, without its end. */
static const char *find_line(const struct place *place, size_t *size)
{
	const char *line = place->text->bytes;
	const char *end = line + place->text->size;
	const char *line_end;

	for (uint32_t i = 1; i < place->line; i++) {
		const char *next = memchr(line, '\n', (size_t)(end - line));

		if (!next)
			break;
		line = next + 1;
	}
	line_end = memchr(line, '\n', (size_t)(end - line));
	if (!line_end)
		line_end = end;
	if (line_end > line && line_end[-1] == '\r')
		line_end--;
	*size = (size_t)(line_end - line);
	return line;
}

static void print_caret(FILE *out, uint32_t lead, uint32_t marked)
{
	fprintf(out, "      | %*s^", (int)lead, "");
	for (uint32_t i = 1; i < marked; i++)
		fputc('~', out);
	fputc('\n', out);
}

static void print_source(FILE *out, const struct place *place)
{
	size_t size;
	const char *line = find_line(place, &size);
	bool cut = weir_utf8_count(line, size) > WINDOW;
	uint32_t first = cut && place->column > WINDOW_BEFORE ? place->column - WINDOW_BEFORE : 1;
	uint32_t shown = first > 1 ? 3 : 0;
	uint32_t lead = shown;
	uint32_t marked = 0;
	uint32_t column = 1;
	size_t at = 0;

	fprintf(out, "%5u | %s", place->line, first > 1 ? "..." : "");
	for (; at < size && column < first + WINDOW; column++) {
		struct glyph glyph = next_glyph(line + at, size - at, shown);

		at += glyph.bytes;
		if (column < first)
			continue;
		fputs(glyph.text, out);
		shown += glyph.width;
		if (column < place->column)
			lead = shown;
		else if (column - place->column < place->length)
			marked += glyph.width;
	}
	fputs(at < size ? "...\n" : "\n", out);
	print_caret(out, lead, marked);
}

static void print_item(FILE *out, const struct diag_item *item)
{
	const struct place *place = &item->place;

	if (place->text) {
		print_escaped(out, place->text->name);
		fprintf(out, ":%u:%u: ", place->line, place->column);
	}
	fputs("error: ", out);
	print_escaped(out, item->message);
	fputc('\n', out);
	if (place->text)
		print_source(out, place);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare_items(const void *a_, const void *b_)
{
	const struct diag_item *a = *(const struct diag_item *const *)a_;
	const struct diag_item *b = *(const struct diag_item *const *)b_;
	int order = compare(a->rank, b->rank);

	if (!order)
		order = compare(a->place.line, b->place.line);
	if (!order)
		order = compare(a->place.column, b->place.column);
	return order ? order : compare(a->order, b->order);
}

static bool same(const struct diag_item *a, const struct diag_item *b)
{
	return a->rank == b->rank && a->place.line == b->place.line &&
	       a->place.column == b->place.column && strcmp(a->message, b->message) == 0;
}

void diag_print(const struct diag *diag, FILE *out)
{
	const struct diag_item *sorted[DIAG_KEPT_MAX];

	for (uint32_t i = 0; i < diag->kept; i++)
		sorted[i] = &diag->items[i];
	qsort(sorted, diag->kept, sizeof(struct diag_item *), compare_items);
	for (uint32_t i = 0; i < diag->kept; i++)
		if (i == 0 || !same(sorted[i - 1], sorted[i]))
			print_item(out, sorted[i]);
	if (diag->count > diag->kept)
		fprintf(out, "error: %u more errors\n", diag->count - diag->kept);
}
