/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Separate debug files: what was stripped off a file lies in another one, found by build-id or by the
 * name in .gnu_debuglink. Believed when its build-id is the same, or where the stripped file has
 * none, when its CRC is the one that the link tells.
 */
#ifndef FLAME_OBJECT_DEBUG_H
#define FLAME_OBJECT_DEBUG_H

#include <weir/plugin.h>

#include "elf_file.h"

/* Where a file is: below `root` first, then as a process sees it. */
struct object_place {
	int root;
	uint32_t pid; /* 0: none lives */
	const char *path;
	const struct weir_service
		*store; /* "debug_file"; NULL, or without vtable: nobody is asked */
};

/*
 * create() to start(): asks for the service that fetches debug files, where DEBUGINFOD_URLS is set. Who
 * cannot have it does without, which is said.
 */
void object_debug_store(struct weir_ctx *ctx, struct weir_service *store);

/* Whether a file has what is looked for: a copy without it is passed over. */
typedef bool object_debug_has_fn(const struct elf *elf);

/*
 * The debug file that belongs to `elf`, which lies at that place. Its fd, which is the caller's, with
 * `found` opened; or a negative errno.
 */
int object_debug_open(const struct object_place *place, const struct elf *elf,
		      object_debug_has_fn *has, struct elf *found);

/* The same by build-id alone, in the store or at `place->path`. */
int object_debug_open_id(const struct object_place *place, const uint8_t *id, uint32_t id_size,
			 object_debug_has_fn *has, struct elf *found);

/* Reads the names of the debug file. 0, or a negative errno. */
int object_debug_symbols(const struct object_place *place, const struct elf *elf,
			 struct symbols *symbols);

#endif
