/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as an ELF file: no crash, and what comes out is a sorted table with closed names. */
#include <string.h>

#include "elf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_source source = { -1, data, size };
	struct symbols symbols;
	struct elf elf;
	uint32_t i;

	if (!data || elf_open(&elf, &source))
		return 0;
	if (elf_symbols(&elf, &symbols) == 0) {
		for (i = 0; i < symbols.count; i++)
			if ((i && symbols.items[i].address <= symbols.items[i - 1].address) ||
			    symbols.items[i].name >= symbols.names_size)
				__builtin_trap();
		if (symbols.names[symbols.names_size - 1] != '\0')
			__builtin_trap();
	}
	symbols_clear(&symbols);
	elf_clear(&elf);
	return 0;
}
