/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The files of mapped code and their tables of call frames, and what these say of the addresses that
 * have been asked about: the same ones come again and again. Memory is bounded: what has grown too
 * large is begun anew.
 */
#ifndef FLAME_UNWIND_MODULE_H
#define FLAME_UNWIND_MODULE_H

#include <weir/plugin.h>
#include <weir/service/unwind.h>

#include "intmap.h"
#include "unwind_cfi.h"

enum unwind_state {
	UNWIND_UNREAD,
	UNWIND_READ,
	UNWIND_UNREACHABLE, /* another process may live where it can be reached */
	UNWIND_NO_FILE,     /* code that was made at run time */
};

struct unwind_module {
	enum unwind_state state;
	uint32_t tried_pid;
	uint32_t tries;
	struct elf_segment *segments;
	uint32_t segment_count;
	struct unwind_cfi exceptions; /* .eh_frame */
	struct unwind_cfi debug;      /* .debug_frame, of the file or of its debug file */
	bool file_offsets;            /* of its mapping count: not of the vDSO */
	bool keeps;                   /* most functions keep frame pointers */
};

/* All zero is empty. */
struct unwind_modules {
	struct unwind_module **items;
	uint32_t count;
	uint32_t capacity;
	struct intmap ids;       /* mapping id to place + 1 */
	size_t bytes;            /* of their tables */
	struct intmap answers;   /* (address in the file, module) to place in rows + 1 */
	struct unwind_row *rows; /* each once */
	uint32_t row_count;
	uint32_t row_capacity;
	struct intmap row_hashes; /* to place in rows + 1 */
};

/* The place of the mapping's file, with its tables read. -ENOMEM. */
int unwind_modules_get(struct unwind_modules *modules, int root, const struct weir_mapping *mapping,
		       uint32_t *place);
/* Before a walk: begins anew what has grown too large. */
void unwind_modules_bound(struct unwind_modules *modules);
void unwind_modules_clear(struct unwind_modules *modules);

/*
 * The row of an address that lies `offset` bytes behind the start of the file, or of the image. 0,
 * *row lives until the next call; *cfi is where its expressions are. -ENOENT: no table knows; -ENOMEM.
 */
int unwind_modules_row(struct unwind_modules *modules, uint32_t place, uint64_t offset,
		       const struct unwind_row **row, const struct unwind_cfi **cfi);

#endif
