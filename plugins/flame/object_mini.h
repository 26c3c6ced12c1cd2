/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The small table of names that distributions leave in stripped files: a section .gnu_debugdata, which is
 * an ELF file in an xz stream ("MiniDebugInfo" in gdb's manual).
 */
#ifndef FLAME_OBJECT_MINI_H
#define FLAME_OBJECT_MINI_H

#include "elf_file.h"

/*
 * Reads it, and what the file itself still has, into one table. 0; -ENOENT: there is none;
 * -EOPNOTSUPP: there is, but weir was built without liblzma; -EBADMSG or -ENOMEM.
 */
int object_mini_symbols(const struct elf *elf, struct symbols *symbols);

#endif
