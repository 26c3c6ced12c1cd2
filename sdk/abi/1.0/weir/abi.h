/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The border between weir and its plugins: version, growth rules, and the note by
 * which a plugin file is judged before any of its code runs.
 *
 * Growth rules. They hold for everything that crosses the border; docs/abi.md tells why.
 *  - A struct begins with `size`, set by whoever fills it (macros do it). Members are appended, never
 *    moved, removed or given another meaning.
 *  - The reader takes min(size, its own sizeof) and has zero for the rest, so zero means "not there"
 *    for each appended member. Who has a pointer to the other side's struct asks WEIR_HAS() first.
 *  - Who fills a struct of the caller's writes min(size, its own sizeof) bytes: weir_give().
 *  - Tables carry the size of their items (WEIR_TABLE_OF), so items grow by the same rule. Items
 *    of the other side's tables are found by that size: weir_field_at().
 *  - Structs that have neither (struct weir_text and its kind, weir_service, weir_value,
 *    weir_tree_look, weir_note) never change.
 *  - Members called reserved, and flags that these headers do not know, are 0 when written and not
 *    looked at when read.
 *  - Enums grow at their end. A plugin is shown no value that is newer than the headers it was built
 *    with: the host puts an older one in its place, or refuses to bind, with a reason.
 *
 * A host accepts plugins of its own major version that need no newer minor version than its own:
 * WEIR_ABI_NEEDS.
 */
#ifndef WEIR_ABI_H
#define WEIR_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WEIR_ABI_MAJOR 1
#define WEIR_ABI_MINOR 0

/*
 * The oldest minor version of a host that a plugin works with. Who asks WEIR_HAS() before each use of
 * what is newer may define a smaller one before the first header of weir.
 */
#ifndef WEIR_ABI_NEEDS
#define WEIR_ABI_NEEDS WEIR_ABI_MINOR
#endif

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

/* The same for the items of a table. */
#define WEIR_TABLE_HAS(table_, member_)                                                            \
	((table_).item_size >=                                                                     \
	 (size_t)((const char *)(&(table_).items->member_ + 1) - (const char *)(table_).items))

/*
 * Fills a struct of the caller's, which starts with its size, from one of `known` bytes that these
 * headers know. The size stays the caller's; what of it these do not know is left alone.
 */
static inline void weir_give(void *to, const void *from, size_t known)
{
	uint32_t size;

	memcpy(&size, to, sizeof(size));
	memcpy(to, from, size < known ? size : known);
	memcpy(to, &size, sizeof(size));
}

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
	uint32_t kind;        /* enum weir_kind */
	uint32_t needs_minor; /* WEIR_ABI_NEEDS */
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
