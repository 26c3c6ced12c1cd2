/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files that are mapped into processes, and the names of their functions. A file is opened
 * once per mapping id, through the process that maps it where that still lives (so a container's
 * file is the container's), and believed only when it is the one that was mapped.
 */
#ifndef FLAME_OBJECT_H
#define FLAME_OBJECT_H

#include <weir/plugin.h>
#include <weir/service/dwarf.h>
#include <weir/service/process.h>

#include "elf_file.h"
#include "intmap.h"

enum object_state {
	OBJECT_UNTRIED = 0,
	OBJECT_NAMED,       /* symbols are there */
	OBJECT_NAMELESS,    /* the right file, but it has none */
	OBJECT_CHANGED,     /* what lies at its path now is another file */
	OBJECT_UNREACHABLE, /* nothing could be opened */
	OBJECT_NO_FILE,     /* "//anon", "[heap]": never had one */
	OBJECT_UNPROVEN,    /* nothing is known by which the right file could be told */
};

struct object {
	uint64_t id; /* struct weir_mapping.id */
	char *path;  /* as its process saw it, without " (deleted)" */
	enum object_state state;
	uint32_t tried_pid; /* the last one through which it was looked for */
	uint32_t tries;
	uint32_t segment_count;
	struct elf_segment *segments;
	struct symbols symbols;
	uint32_t build_id_size; /* 0: not known */
	uint8_t build_id[WEIR_BUILD_ID_MAX];
	bool stripped;     /* what names it has are those that others may call */
	uint64_t nameless; /* frames that were seen and for which it had none */
	uint64_t module;   /* of the service dwarf; 0: none */
	uint64_t lineless; /* frames of which the debug information knows nothing */
};

/* All zero is an empty cache. */
struct objects {
	struct object **items;
	uint32_t count;
	uint32_t capacity;
	struct intmap ids; /* mapping id to place in items + 1 */
	size_t bytes;      /* of all symbols */
	uint64_t frames;   /* of user code, seen in any of them */
	uint64_t looked;   /* that were looked for in any of them */
	struct weir_service
		dwarf; /* for the owner to set; vtable NULL: no inlined frames, no lines */
	struct weir_service store; /* likewise: debug files that are not here */
};

/* The object of a mapping, with its names read. NULL: no memory. Lives until objects_clear(). */
struct object *objects_get(struct objects *objects, int root, const struct weir_mapping *mapping);
void objects_clear(struct objects *objects); /* the service stays */

/* Tells which files gave no names, or not enough: the share of frames, why, and what would help. */
void objects_report(struct weir_ctx *ctx, struct objects *objects);

/*
 * Whether what it holds was made at run time: it has no file, or one that is no program's, or one of
 * those that perf inject writes for each piece of such code.
 */
bool object_is_made(const struct object *object);

/* Where the file's symbols have an offset of it. False: it is not loaded. */
bool object_address(const struct object *object, uint64_t offset, uint64_t *address);

/* The function at an offset of the file, or NULL; *address is where the file's symbols have it. */
const struct symbol *object_find(const struct object *object, uint64_t offset, uint64_t *address);

#endif
