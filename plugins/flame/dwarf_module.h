/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The debug information of one file: functions, what was inlined into them, source lines. Files are
 * read, never mapped, so that one that shrinks is no SIGBUS; sizes and steps are bounded by what the
 * file has, so that a hostile one costs no more than an honest one of its size.
 */
#ifndef FLAME_DWARF_MODULE_H
#define FLAME_DWARF_MODULE_H

#include <elfutils/libdw.h>
#include <gelf.h>

#include <weir/service/dwarf.h>

#include "intmap.h"
#include "object_debug.h"

/* A file that libdw reads. */
struct dwarf_part {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
};

/* Code of a unit, or of a function: [start, end) of the file's addresses. */
struct dwarf_range {
	uint64_t start;
	uint64_t end;
	uint64_t most;  /* the largest end of this range and those before it */
	uint32_t place; /* of the unit, or of the function's scope */
	uint32_t reserved;
};

/* Grows; `sorted` by start once all are there. */
struct dwarf_ranges {
	struct dwarf_range *items;
	uint32_t count;
	uint32_t capacity;
};

/* A function, or one that was inlined into its parent. */
struct dwarf_scope {
	Dwarf_Die die;
	uint32_t parent;     /* of an inlined one */
	uint32_t first_span; /* of a function: what was inlined into it is in spans[first, end) */
	uint32_t end_span;
	bool inlined;
};

/* A compilation unit. All but the DIEs is read when an address of it is first asked for. */
struct dwarf_unit {
	Dwarf_Die lines; /* has the line table; of split DWARF: the skeleton */
	Dwarf_Die code;  /* has the functions */
	struct dwarf_scope *scopes;
	uint32_t scope_count;
	uint32_t scope_capacity;
	struct dwarf_ranges functions;
	struct dwarf_ranges spans; /* of inlined functions, outer before inner: not sorted */
	bool read;
};

struct dwarf_module {
	struct dwarf_part main;
	struct dwarf_part alternate; /* what dwz has taken out of several files */
	struct dwarf_unit *units;
	uint32_t unit_count;
	uint32_t unit_capacity;
	struct dwarf_ranges ranges; /* of all units */
	uint64_t steps;             /* that may still be made */
	bool broken;                /* they were used up, or the tree of DIEs is none */
	uint32_t split_left_out;    /* units whose other half lies in no trustworthy place */
	/* Answers: addresses repeat. */
	struct intmap answers; /* address to place in `first` + 1 */
	uint32_t *first;       /* frames of answer i: frames[first[i]] up to first[i + 1] */
	uint32_t answer_count;
	uint32_t answer_capacity;
	struct weir_dwarf_frame *frames;
	uint32_t frame_count;
	uint32_t frame_capacity;
};

/* Opens it, all zero before. As open of struct weir_dwarf_v1, or -ENOLINK; clear it in any case. */
int dwarf_module_open(struct dwarf_module *module, int root, const struct weir_service *store,
		      const struct weir_dwarf_file *file);
void dwarf_module_clear(struct dwarf_module *module);

/* The frames at an address; they live until the next call. -ENOENT: none; -ENOMEM. */
int dwarf_module_find(struct dwarf_module *module, uint64_t address,
		      const struct weir_dwarf_frame **frames, uint32_t *count);

/* dwarf_parts.c: opens the files. 0; -ENOLINK: what dwz took out is not there; or another negative errno. */
int dwarf_parts_open(struct dwarf_module *module, int root, const struct weir_service *store,
		     const struct weir_dwarf_file *file);

/* dwarf_units.c: lists the units and where their code lies; reads a unit's functions. 0 or -ENOMEM. */
int dwarf_units_list(struct dwarf_module *module);
int dwarf_unit_read(struct dwarf_module *module, struct dwarf_unit *unit);
void dwarf_unit_clear(struct dwarf_unit *unit);

/* dwarf_split.c: whether libdw may open what the unit says its other half is in. */
bool dwarf_split_is_trusted(const struct dwarf_module *module, Dwarf_Die *skeleton);

/* dwarf_ranges.c */
int dwarf_ranges_add(struct dwarf_ranges *ranges, uint64_t start, uint64_t end, uint32_t place);
void dwarf_ranges_sort(struct dwarf_ranges *ranges);
/* The next range that holds the address, the one that begins last first; *at: UINT32_MAX to begin. */
const struct dwarf_range *dwarf_ranges_next(const struct dwarf_ranges *ranges, uint64_t address,
					    uint32_t *at);

/* Makes room for one more of `size` bytes in a growing table. NULL: no memory, the old one stays. */
void *dwarf_grow(void *items, uint32_t count, uint32_t *capacity, size_t size);

#endif
