/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as an ELF file, and as one with a packed table of names: no crash, and what comes out is a
 * sorted table with closed names.
 */
#include <string.h>

#include "object_mini.h"

typedef int read_fn(const struct elf *elf, struct symbols *symbols);

static void read_symbols(read_fn *read, const struct elf *elf)
{
	struct symbols symbols = { 0 };

	if (read(elf, &symbols) == 0) {
		for (uint32_t i = 0; i < symbols.count; i++)
			if ((i && symbols.items[i].address <= symbols.items[i - 1].address) ||
			    symbols.items[i].name >= symbols.names_size)
				__builtin_trap();
		if (symbols.names[symbols.names_size - 1] != '\0')
			__builtin_trap();
	}
	symbols_clear(&symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_source source = { -1, data, size };
	struct elf elf;

	if (!data || elf_open(&elf, &source))
		return 0;
	read_symbols(elf_symbols, &elf);
	read_symbols(object_mini_symbols, &elf);
	elf_clear(&elf);
	return 0;
}
