/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service "dwarf/1": which functions were inlined at an address of a program or library, and
 * which source lines that is, as its debug information (DWARF) tells; of the file itself, or of the
 * separate debug file that belongs to it.
 *
 * Every call is for the loop thread, and reads files the first time. A module belongs to its opener
 * until close(); texts that find() shows live as long as their module.
 */
#ifndef WEIR_SERVICE_DWARF_H
#define WEIR_SERVICE_DWARF_H

#include "../component.h"

#define WEIR_DWARF_SERVICE "dwarf"
#define WEIR_DWARF_VERSION 1

/* A file that is known to be the right one. */
struct weir_dwarf_file {
	uint32_t size;
	int fd;           /* stays the caller's, who may close it after open() */
	const char *path; /* as its process saw it: where its debug file is looked for */
	uint32_t pid; /* a living process that has it mapped: its root is looked at, too; 0: none */
	uint32_t reserved;
};

enum weir_dwarf_frame_flag {
	WEIR_DWARF_INLINED = 1u << 0, /* inlined into the frame that is shown next */
};

struct weir_dwarf_frame {
	uint32_t size;
	uint32_t flags;      /* enum weir_dwarf_frame_flag */
	const char *name;    /* as the source has it; NULL: not known */
	const char *linkage; /* as symbol tables have it; NULL: none */
	const char *source;  /* path of the source file; NULL: not known */
	uint32_t line;       /* within that function; 0: not known */
	uint32_t reserved;
};

/* One frame, which lives until it returns. Something other than 0 ends the look-up. */
typedef int weir_dwarf_fn(const struct weir_dwarf_frame *frame, void *with);

struct weir_dwarf_v1 {
	uint32_t size;
	uint32_t reserved;
	/*
	 * Opens a file. 0; -ENOENT: neither it nor a debug file has debug information; -EBADMSG: what
	 * there is is broken, -EFBIG: too large (both after having said so); -ENOMEM.
	 */
	int (*open)(struct weir_ctx *self, const struct weir_dwarf_file *file, uint64_t *module);
	/*
	 * Shows the frames at an address, in the numbers that the file's own symbols have, innermost
	 * first: functions that were inlined, then the one that they are in. What `see` returned, 0,
	 * or -ENOENT: nothing is known of that address. Of a return address ask for the byte before.
	 */
	int (*find)(struct weir_ctx *self, uint64_t module, uint64_t address, weir_dwarf_fn *see,
		    void *with);
	/* 0 is allowed. */
	void (*close)(struct weir_ctx *self, uint64_t module);
};

#endif
