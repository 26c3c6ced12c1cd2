/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The border between weir and its plugins: version, growth rules, and the note by
 * which a plugin file is judged before any of its code runs.
 *
 * Growth rules. They hold for every struct that crosses the border:
 *  - the first member is `size`, set by whoever fills the struct (macros do it);
 *  - members are appended, never moved, removed or given another meaning;
 *  - the reader copies min(size, its own sizeof) into zeroed memory, so zero must mean
 *    "not there" for each appended member;
 *  - tables carry the size of their items (struct weir_table), so items grow by the same rule;
 *  - small structs that lie in rows and arenas by the thousand (struct weir_text and its kind)
 *    have no size and never change;
 *  - WEIR_HAS() asks whether the other side is new enough for a member.
 *
 * While the major version is 0, a host accepts its own minor version only; from 1.0 on it
 * accepts its own major version and every minor up to its own, and newer minors as far as
 * they use WEIR_HAS().
 */
#ifndef WEIR_ABI_H
#define WEIR_ABI_H

#include <stddef.h>
#include <stdint.h>

#define WEIR_ABI_MAJOR 0
#define WEIR_ABI_MINOR 1

#ifdef __cplusplus
#define WEIR_EXTERN_C extern "C"
#else
#define WEIR_EXTERN_C extern
#endif

#define WEIR_EXPORT                  __attribute__((visibility("default")))
#define WEIR_PRINTF(format_, first_) __attribute__((format(printf, format_, first_)))

/* True when the struct at `pointer_`, which starts with its size, is large enough for `member_`. */
#define WEIR_HAS(pointer_, member_)                                                                \
	((pointer_)->size >=                                                                       \
	 (size_t)((const char *)(&(pointer_)->member_ + 1) - (const char *)(pointer_)))

/* A table that crosses the border: items of item_size bytes each. May be empty (all zero). */
#define WEIR_TABLE_OF(type_)                                                                       \
	struct {                                                                                   \
		const type_ *items;                                                                \
		uint32_t count;                                                                    \
		uint32_t item_size;                                                                \
	}

/* Fills such a table from an array. */
#define WEIR_TABLE(array_)                                                                         \
	{                                                                                          \
		(array_), sizeof(array_) / sizeof((array_)[0]), sizeof((array_)[0])                \
	}

/* What a component is. */
enum weir_kind {
	WEIR_SOURCE = 1,
	WEIR_TRANSFORM = 2,
	WEIR_SINK = 3,
	WEIR_PROVIDER = 4,
};

#define WEIR_NOTE_OWNER "weir"
#define WEIR_NOTE_TYPE  1u
#define WEIR_NOTE_MAGIC 0x52494557u /* "WEIR" as little-endian bytes */
#define WEIR_NAME_MAX   48          /* a component's name, with its closing NUL */

/* The descriptor of the ELF note (owner WEIR_NOTE_OWNER, type WEIR_NOTE_TYPE). Never changes. */
struct weir_note {
	uint32_t magic;
	uint16_t abi_major;
	uint16_t abi_minor;
	uint32_t kind; /* enum weir_kind */
	uint32_t reserved;
	char name[WEIR_NAME_MAX];
};

/* The note as it lies in the file: ELF header words, owner, descriptor. */
struct weir_note_section {
	uint32_t owner_size;
	uint32_t desc_size;
	uint32_t type;
	char owner[8];
	struct weir_note desc;
};

/* The one symbol that a plugin exports: a const struct weir_component. */
#define WEIR_SYMBOL "weir_component"

#endif
