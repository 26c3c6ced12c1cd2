/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files as far as names of functions need them. Files are read by pread() into bounded memory,
 * never mapped: one that shrinks while it is read is an error, not a SIGBUS. Whatever is wrong in a
 * file means fewer names.
 */
#ifndef FLAME_ELF_FILE_H
#define FLAME_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weir/build_id.h>

#include "symbols.h"

/* Where the bytes come from: a file, or an image in memory (then fd is -1). */
struct elf_source {
	int fd;
	const uint8_t *image;
	uint64_t size;
};

/* A part of the file that is loaded. */
struct elf_segment {
	uint64_t offset;
	uint64_t bytes; /* in the file */
	uint64_t address;
};

struct elf_section {
	uint64_t address;
	uint64_t bytes;
	uint64_t offset;
	uint32_t type;
	uint32_t link;
	uint32_t name; /* in the section that holds their names */
	bool code;
};

struct elf {
	struct elf_source source; /* the caller's */
	bool wide;                /* 64 bits */
	uint16_t machine;
	uint32_t segment_count;
	uint32_t section_count;
	uint32_t names; /* the section that holds the sections' names; 0: none */
	struct elf_segment *segments;
	struct elf_section *sections;
	uint32_t build_id_size; /* 0: none */
	uint8_t build_id[WEIR_BUILD_ID_MAX];
};

/* Reads the headers. 0, -EBADMSG (not an ELF file of this machine's byte order), or -ENOMEM. */
int elf_open(struct elf *elf, const struct elf_source *source);
void elf_clear(struct elf *elf); /* all zero and half-open are allowed */

/* Reads `bytes` bytes at an offset. 0, or -EBADMSG where the source does not have them. */
int elf_read(const struct elf *elf, uint64_t offset, void *out, size_t bytes);

/* The address at which the file has an offset: what its symbols count in. False: not loaded. */
bool elf_address(const struct elf *elf, uint64_t offset, uint64_t *address);

/* The first section of that type (SHT_SYMTAB ...), or of that name. NULL: there is none. */
const struct elf_section *elf_section_of_type(const struct elf *elf, uint32_t type);
const struct elf_section *elf_section_named(const struct elf *elf, const char *name);

/* Reads .symtab and .dynsym into one table. 0, -ENOENT (no symbols), -EBADMSG or -ENOMEM. */
int elf_symbols(const struct elf *elf, struct symbols *symbols);
/* The same, of which .symtab lies in another file with the same addresses. */
int elf_symbols_with(const struct elf *elf, const struct elf *more, struct symbols *symbols);

#endif
