/* SPDX-License-Identifier: BSD-2-Clause */
/* Aligned columns: each as wide as its widest cell, two blanks apart, the last one ragged. */
#include "listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <weir/utf8.h>

#include "log.h"

static char *escaped_copy(const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *copy = malloc(size);

	if (copy)
		log_escape(text, copy, size);
	return copy;
}

void listing_add(struct listing *listing, const char *const *cells)
{
	char **grown =
		reallocarray(listing->cells, listing->count + listing->columns, sizeof(*grown));

	if (!grown) {
		listing->failed = true;
		return;
	}
	listing->cells = grown;
	for (uint32_t i = 0; i < listing->columns; i++) {
		char *cell = escaped_copy(cells[i] && *cells[i] ? cells[i] : "-");

		listing->failed |= !cell;
		grown[listing->count++] = cell;
	}
}

static uint32_t cell_width(const char *cell)
{
	return cell ? weir_utf8_count(cell, strlen(cell)) : 0;
}

static uint32_t column_width(const struct listing *listing, uint32_t column)
{
	uint32_t width = 0;

	for (uint32_t i = column; i < listing->count; i += listing->columns)
		if (cell_width(listing->cells[i]) > width)
			width = cell_width(listing->cells[i]);
	return width;
}

int listing_print(const struct listing *listing, FILE *out, const char *indent)
{
	uint32_t *widths = calloc(listing->columns, sizeof(*widths));

	if (!widths || listing->failed) {
		free(widths);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < listing->columns; i++)
		widths[i] = column_width(listing, i);
	for (uint32_t i = 0; i < listing->count; i++) {
		uint32_t column = i % listing->columns;
		const char *cell = listing->cells[i];

		fprintf(out, "%s%s", column == 0 ? indent : "", cell);
		if (column + 1 < listing->columns)
			fprintf(out, "%*s", (int)(widths[column] - cell_width(cell)) + 2, "");
		else
			fputc('\n', out);
	}
	free(widths);
	return 0;
}

void listing_clear(struct listing *listing)
{
	for (uint32_t i = 0; i < listing->count; i++)
		free(listing->cells[i]);
	free(listing->cells);
	listing->cells = NULL;
	listing->count = 0;
}
