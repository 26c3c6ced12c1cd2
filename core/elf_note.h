/* SPDX-License-Identifier: BSD-2-Clause */
/* The weir note of an ELF file, read without running or mapping anything of it. */
#ifndef CORE_ELF_NOTE_H
#define CORE_ELF_NOTE_H

#include <weir/abi.h>

/*
 * Reads the note of an open regular file. 0, or a negative errno with the reason in `why`: not
 * ELF, another machine, no note, damaged. The note's magic and its closed name are checked, its
 * content is not.
 */
int elf_note_read(int fd, struct weir_note *note, char *why, size_t why_size);

#endif
