/* SPDX-License-Identifier: BSD-2-Clause */
/* A compact table of functions by address: what an ELF file or /proc/kallsyms says. */
#ifndef FLAME_SYMBOLS_H
#define FLAME_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t address;
	uint32_t size;
	uint32_t name; /* offset in names */
};

/* All zero is an empty table. items are sorted by address, one per address. */
struct symbols {
	struct symbol *items;
	char *names;
	uint32_t count;
	uint32_t names_size;
};

/* The innermost function that holds the address, or NULL. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

/* True when `name` reads better than `other` for the same code: fewer underscores in front, shorter. */
int symbols_prefer(const char *name, const char *other);

size_t symbols_bytes(const struct symbols *symbols);
void symbols_clear(struct symbols *symbols);

#endif
