/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Build-ids: the linker's mark of a file, by which a binary, or the running kernel, is known
 * again. They lie in ELF notes, in files of either class and in /sys/kernel/notes.
 */
#ifndef WEIR_BUILD_ID_H
#define WEIR_BUILD_ID_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define WEIR_BUILD_ID_MAX 20 /* bytes; longer ones are not known to the kernel either */

/*
 * Looks for the build-id in a run of notes of this machine's byte order. How many of the
 * WEIR_BUILD_ID_MAX bytes at `id` it takes; 0: there is none.
 */
static inline uint32_t weir_notes_build_id(const void *notes, size_t bytes, uint8_t *id)
{
	const uint8_t *at = (const uint8_t *)notes;
	Elf64_Nhdr note; /* the same in both classes */

	while (bytes >= sizeof(note)) {
		uint64_t name_bytes, whole;

		memcpy(&note, at, sizeof(note));
		name_bytes = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
		whole = sizeof(note) + name_bytes + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
		if (whole > bytes)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(at + sizeof(note), "GNU", 4) == 0 && note.n_descsz > 0 &&
		    note.n_descsz <= WEIR_BUILD_ID_MAX) {
			memcpy(id, at + sizeof(note) + name_bytes, note.n_descsz);
			return note.n_descsz;
		}
		at += whole;
		bytes -= (size_t)whole;
	}
	return 0;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WEIR_BUILD_ID_ORDER ELFDATA2LSB
#else
#define WEIR_BUILD_ID_ORDER ELFDATA2MSB
#endif

/* Where a program header says that notes are. 0: it is of something else. */
static inline int weir_build_id_notes(const uint8_t *header, int wide, uint64_t *offset,
				      uint64_t *bytes)
{
	Elf64_Phdr large;
	Elf32_Phdr small;

	if (wide) {
		memcpy(&large, header, sizeof(large));
		*offset = large.p_offset;
		*bytes = large.p_filesz;
		return large.p_type == PT_NOTE;
	}
	memcpy(&small, header, sizeof(small));
	*offset = small.p_offset;
	*bytes = small.p_filesz;
	return small.p_type == PT_NOTE;
}

/* The program headers that lie in a file's first bytes. 0: it is no ELF file of this machine's kind. */
static inline int weir_build_id_headers(const uint8_t *head, size_t there, size_t *at, size_t *step,
					size_t *count)
{
	Elf64_Ehdr large;
	Elf32_Ehdr small;

	if (there < sizeof(large) || memcmp(head, ELFMAG, SELFMAG) != 0 ||
	    head[EI_DATA] != WEIR_BUILD_ID_ORDER)
		return 0;
	memcpy(&large, head, sizeof(large));
	memcpy(&small, head, sizeof(small));
	if (head[EI_CLASS] == ELFCLASS64) {
		*at = (size_t)large.e_phoff;
		*step = sizeof(Elf64_Phdr);
		*count = large.e_phnum;
		return 1;
	}
	*at = small.e_phoff;
	*step = sizeof(Elf32_Phdr);
	*count = small.e_phnum;
	return 1;
}

/*
 * The build-id of an ELF file, as linkers lay it out: headers and notes near the file's begin, so
 * that one read mostly does. How many bytes at `id` it takes; 0: none was found.
 */
static inline uint32_t weir_file_build_id(int fd, uint8_t *id)
{
	uint8_t head[4096], far[1024];
	ssize_t got = pread(fd, head, sizeof(head), 0);
	size_t there = got > 0 ? (size_t)got : 0, at, step, count;
	uint32_t found = 0;

	if (!weir_build_id_headers(head, there, &at, &step, &count))
		return 0;
	for (; !found && count && at <= there && step <= there - at; count--, at += step) {
		const uint8_t *notes = far;
		uint64_t offset, bytes;

		if (!weir_build_id_notes(head + at, step == sizeof(Elf64_Phdr), &offset, &bytes) ||
		    bytes > sizeof(far))
			continue;
		if (offset < there && bytes <= there - offset)
			notes = head + offset;
		else
			got = pread(fd, far, (size_t)bytes, (off_t)offset);
		if (notes != far || got == (ssize_t)bytes)
			found = weir_notes_build_id(notes, (size_t)bytes, id);
	}
	return found;
}

#endif
