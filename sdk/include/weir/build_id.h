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

#endif
