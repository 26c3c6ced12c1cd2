/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of ELF symbol tables, before their aliases are sorted out. */
#ifndef FLAME_ELF_DRAFT_H
#define FLAME_ELF_DRAFT_H

#include <stdint.h>

struct elf_draft {
	uint64_t address;
	uint64_t size;
	uint32_t name;   /* in the strings of its table */
	uint32_t length; /* of it, without a version: "memcpy@@GLIBC_2.14" */
	uint16_t section;
	uint8_t table;
	uint8_t local; /* sorts behind the names that others see */
};

/*
 * Sorts by address; of one address, global names come first, then the longest code; of what is equal
 * in that, the order stays. *drafts is another block then. 0 or -ENOMEM.
 */
int elf_draft_sort(struct elf_draft **drafts, uint32_t count);

#endif
