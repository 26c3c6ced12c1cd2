/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Separate debug files: a stripped file's full table of names lies in another one, found by build-id
 * or by the name in .gnu_debuglink. Believed when its build-id is the same, or where the stripped
 * file has none, when its CRC is the one that the link tells.
 */
#ifndef FLAME_OBJECT_DEBUG_H
#define FLAME_OBJECT_DEBUG_H

#include <weir/service/process.h>

#include "elf_file.h"

/*
 * Reads the names of the debug file that belongs to `elf`, which was mapped from `path`: first from
 * below `root`, then as the process sees it. 0, -ENOENT (there is none), or another negative errno.
 */
int object_debug_symbols(int root, const char *path, const struct weir_mapping *mapping,
			 const struct elf *elf, struct symbols *symbols);

#endif
