/* SPDX-License-Identifier: BSD-2-Clause */
/* A compact table of functions by address; see symbols.h. */
#include <stdlib.h>
#include <string.h>

#include "symbols.h"

/* How many functions that begin inside a larger one are stepped over on the way back to it. */
enum { SYMBOLS_NESTED = 32 };

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
	uint32_t low = 0, high = symbols->count, steps;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (symbols->items[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	for (steps = 0; low > 0 && steps < SYMBOLS_NESTED; steps++) {
		const struct symbol *symbol = &symbols->items[--low];

		if (address - symbol->address < symbol->size)
			return symbol;
	}
	return NULL;
}

static size_t symbols_underscores(const char *name)
{
	size_t count = 0;

	while (name[count] == '_')
		count++;
	return count;
}

int symbols_prefer(const char *name, const char *other)
{
	size_t underscores = symbols_underscores(name);
	size_t other_underscores = symbols_underscores(other);
	size_t length, other_length;

	if (underscores != other_underscores)
		return underscores < other_underscores;
	length = strlen(name);
	other_length = strlen(other);
	if (length != other_length)
		return length < other_length;
	return strcmp(name, other) < 0;
}

size_t symbols_bytes(const struct symbols *symbols)
{
	return symbols->count * sizeof(*symbols->items) + symbols->names_size;
}

void symbols_clear(struct symbols *symbols)
{
	free(symbols->items);
	free(symbols->names);
	memset(symbols, 0, sizeof(*symbols));
}
