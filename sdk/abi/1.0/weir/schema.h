/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schemas: what a row is. A schema is a table of fields over a C struct, so that a batch of
 * rows is an array of that struct and nothing is encoded on its way through the graph.
 */
#ifndef WEIR_SCHEMA_H
#define WEIR_SCHEMA_H

#include "abi.h"
#include "record.h"
#include "unit.h"

#ifndef __cplusplus
#include <stdbool.h>
#endif

/*
 * What a member is. Integers, floats and fixed texts are told apart by type and size; the rest
 * are structs of record.h that point into the batch's arena or name table.
 */
enum weir_type {
	WEIR_TYPE_NONE = 0,
	WEIR_TYPE_UINT = 1,   /* unsigned integer of 1, 2, 4 or 8 bytes */
	WEIR_TYPE_INT = 2,    /* signed integer of 1, 2, 4 or 8 bytes */
	WEIR_TYPE_DOUBLE = 3, /* IEEE double */
	WEIR_TYPE_BOOL = 4,   /* one byte, 0 or 1 */
	WEIR_TYPE_CHARS = 5,  /* char[size], ends at the first NUL or at size */
	WEIR_TYPE_TIME = 6,   /* uint64_t: CLOCK_MONOTONIC ns; unit is always WEIR_NS */
	WEIR_TYPE_DURATION =
		7,            /* uint64_t in the field's unit of time; what may be negative: INT */
	WEIR_TYPE_TEXT = 8,   /* struct weir_text: bytes in the arena */
	WEIR_TYPE_NAME = 9,   /* struct weir_name: one id of the name table */
	WEIR_TYPE_NAMES = 10, /* struct weir_names_ref: ids in the arena */
	WEIR_TYPE_HISTOGRAM = 11, /* struct weir_histogram_ref: one histogram in the arena */
	WEIR_TYPE_STACK = 12,     /* struct weir_stack_ref: frames in the arena, leaf first */
	WEIR_TYPE_ROWS = 13,      /* struct weir_rows_ref: rows of a sub-schema in the arena */
};

/* What a member is for. */
enum weir_role {
	WEIR_ROLE_NONE = 0,
	WEIR_KEY = 1,     /* says what the row is about: pid, disk, stack */
	WEIR_GAUGE = 2,   /* a level at the end of the batch's window */
	WEIR_COUNTER = 3, /* counts up for ever; may start again from 0 */
	WEIR_DELTA = 4,   /* happened within the batch's window */
	WEIR_EVENT = 5,   /* belongs to one event at one time */
};

enum weir_field_flag {
	/*
	 * The value may be absent, which is not zero: the largest value of an unsigned member,
	 * the smallest of a signed one, NaN of a double (WEIR_ABSENT_ in record.h), an empty text.
	 * Sinks show "-" or null and say nothing of it to metrics.
	 */
	WEIR_OPTIONAL = 1u << 0,
	/* Not shown by `table` unless asked for. */
	WEIR_QUIET = 1u << 1,
	/* An integer best read in hexadecimal: an address, a mask. */
	WEIR_HEX = 1u << 2,
	/* The row's depth in a tree of rows, which `table` shows by indenting the next text column. */
	WEIR_DEPTH = 1u << 3,
	/*
	 * A text or list of names that people read as it is. The first of a schema is its row's
	 * line, without the other columns; further ones, and nested tables, are lines below it that
	 * begin with their head, or name.
	 */
	WEIR_SENTENCE = 1u << 4,
	/*
	 * A nested table whose first column, a text, names each row, no two alike. Where the format
	 * has maps it is one, from that name to the rest of the row: to the value itself where only
	 * one more column is left. Elsewhere it is a table like others.
	 */
	WEIR_KEYED = 1u << 5,
};

enum weir_head_flag {
	/* What happened in a window (WEIR_DELTA) is read per second. */
	WEIR_PER_SECOND = 1u << 0,
	/* Nothing behind the point is shown. */
	WEIR_WHOLE = 1u << 1,
};

/*
 * How people know a column of numbers: "rkB/s". `table` puts it above the column, which then has
 * one unit; the rows keep name and unit of the field, and what happened stays a count.
 */
struct weir_head {
	uint32_t size;
	uint32_t flags; /* enum weir_head_flag */
	const char *text;
	/* Of the numbers below it, or, of time per second, a ratio; NULL: it is a label. */
	const struct weir_unit *unit;
};

/* The head as a field's member; C only: in C++, it is an object of its own. */
#define WEIR_HEAD(text_, unit_, flags_)                                                            \
	(&(const struct weir_head){ sizeof(struct weir_head), flags_, text_, unit_ })

struct weir_schema;

/* One column. All pointers live as long as the schema. */
struct weir_field {
	const char *name;             /* [a-z][a-z0-9_]*, unique in its schema */
	const char *doc;              /* one line */
	const struct weir_unit *unit; /* NULL: none */
	uint32_t type;                /* enum weir_type */
	uint32_t role;                /* enum weir_role */
	uint32_t offset;              /* in the row */
	uint32_t bytes;               /* of the member */
	uint32_t flags;               /* enum weir_field_flag */
	uint32_t item_size;           /* bytes of an item in the arena: STACK, NAMES; else 0 */
	const struct weir_schema
		*rows; /* ROWS: the sub-schema, which has no ROWS below the 2nd level */
	const struct weir_head *head; /* NULL: the name, and each number has its unit */
};

/* A row's description. Constant from bind() on, and valid until the node is destroyed. */
struct weir_schema {
	uint32_t size;
	uint32_t row_size; /* bytes of a row; a multiple of 8 */
	const char *name;  /* names the kind of row for people: "disk latency" */
	WEIR_TABLE_OF(struct weir_field) fields;
};

/*
 * Field i, below the count, of a schema that came from elsewhere. Its fields may be longer than those
 * of these headers, where the host is newer, or shorter, so that fields.items[i] would be wrong; what
 * came after 1.0 is there where WEIR_TABLE_HAS(schema->fields, member) says so.
 */
static inline const struct weir_field *weir_field_at(const struct weir_schema *schema, uint32_t i)
{
	const char *items = (const char *)schema->fields.items;

	return (const struct weir_field *)(items + (size_t)i * schema->fields.item_size);
}

/* A copy of such a field, to be changed; what it does not have is zero. */
static inline struct weir_field weir_field_copy(const struct weir_schema *schema,
						const struct weir_field *field)
{
	const uint32_t bytes = schema->fields.item_size;
	struct weir_field copy;

	memset(&copy, 0, sizeof(copy));
	memcpy(&copy, field, bytes < sizeof(copy) ? bytes : sizeof(copy));
	return copy;
}

/* The field of that name, or NULL. */
static inline const struct weir_field *weir_find(const struct weir_schema *schema, const char *name)
{
	for (uint32_t i = 0; i < schema->fields.count; i++)
		if (strcmp(weir_field_at(schema, i)->name, name) == 0)
			return weir_field_at(schema, i);
	return NULL;
}

/* Defines a schema `name_` over `struct row_` from an array of fields. */
#define WEIR_SCHEMA(name_, title_, row_, fields_)                                                  \
	static const struct weir_schema name_ = { sizeof(struct weir_schema), WEIR_ROW_SIZE(row_), \
						  title_, WEIR_TABLE(fields_) }

#ifdef __cplusplus

#include <type_traits>

namespace weir
{
template <class T> struct member_type {
	static const uint32_t value =
		std::is_same<T, bool>::value ? WEIR_TYPE_BOOL
		: std::is_integral<T>::value
			? (std::is_signed<T>::value ? WEIR_TYPE_INT : WEIR_TYPE_UINT)
		: std::is_same<T, double>::value             ? WEIR_TYPE_DOUBLE
		: std::is_array<T>::value                    ? WEIR_TYPE_CHARS
		: std::is_same<T, struct weir_text>::value   ? WEIR_TYPE_TEXT
		: std::is_same<T, struct weir_name>::value   ? WEIR_TYPE_NAME
		: std::is_same<T, weir_names_ref>::value     ? WEIR_TYPE_NAMES
		: std::is_same<T, weir_histogram_ref>::value ? WEIR_TYPE_HISTOGRAM
		: std::is_same<T, weir_stack_ref>::value     ? WEIR_TYPE_STACK
		: std::is_same<T, weir_rows_ref>::value      ? WEIR_TYPE_ROWS
							     : WEIR_TYPE_NONE;
	static_assert(value != WEIR_TYPE_NONE, "a member of this type cannot be a field");
};
} // namespace weir

#define WEIR_MEMBER_TYPE(type_, member_) (weir::member_type<decltype(((type_ *)0)->member_)>::value)

namespace weir
{
template <uint32_t size> struct row_size {
	static_assert(size % 8 == 0, "a row's size is a multiple of 8: pad it");
	static const uint32_t value = size;
};
template <class T> struct moment {
	static_assert(sizeof(T) == 8 && member_type<T>::value == WEIR_TYPE_UINT,
		      "a time or duration is a uint64_t");
	static const uint32_t extra = 0;
};
} // namespace weir

#define WEIR_ROW_SIZE(row_) (weir::row_size<sizeof(row_)>::value)

#else

/* The enum weir_type of a member; the build fails where a member cannot be a field. */
#define WEIR_MEMBER_TYPE(type_, member_)                                                           \
	_Generic(((type_ *)0)->member_, _Bool                                                      \
		 : WEIR_TYPE_BOOL, unsigned char                                                   \
		 : WEIR_TYPE_UINT, unsigned short                                                  \
		 : WEIR_TYPE_UINT, unsigned int                                                    \
		 : WEIR_TYPE_UINT, unsigned long                                                   \
		 : WEIR_TYPE_UINT, unsigned long long                                              \
		 : WEIR_TYPE_UINT, signed char                                                     \
		 : WEIR_TYPE_INT, short                                                            \
		 : WEIR_TYPE_INT, int                                                              \
		 : WEIR_TYPE_INT, long                                                             \
		 : WEIR_TYPE_INT, long long                                                        \
		 : WEIR_TYPE_INT, double                                                           \
		 : WEIR_TYPE_DOUBLE, char *                                                        \
		 : WEIR_TYPE_CHARS, struct weir_text                                               \
		 : WEIR_TYPE_TEXT, struct weir_name                                                \
		 : WEIR_TYPE_NAME, struct weir_names_ref                                           \
		 : WEIR_TYPE_NAMES, struct weir_histogram_ref                                      \
		 : WEIR_TYPE_HISTOGRAM, struct weir_stack_ref                                      \
		 : WEIR_TYPE_STACK, struct weir_rows_ref                                           \
		 : WEIR_TYPE_ROWS)

#define WEIR_IS_U64(type_, member_)                                                                \
	(sizeof(((type_ *)0)->member_) == 8 && WEIR_MEMBER_TYPE(type_, member_) == WEIR_TYPE_UINT)

/* sizeof(row_), but the build fails if rows of it would not stay aligned. */
#define WEIR_ROW_SIZE(row_)                                                                        \
	(sizeof(row_) + 0 * sizeof(struct {                                                        \
				_Static_assert(sizeof(row_) % 8 == 0,                              \
					       "a row's size is a multiple of 8: pad it");         \
				char unused;                                                       \
			}))

#endif

#define WEIR_MEMBER_SIZE(type_, member_) ((uint32_t)sizeof(((type_ *)0)->member_))

/* A field whose type is that of the struct's member. */
#define WEIR_FIELD_HEAD(type_, member_, unit_, role_, flags_, head_, doc_)                         \
	{                                                                                          \
#member_, doc_, unit_, WEIR_MEMBER_TYPE(type_, member_), role_,                    \
			(uint32_t)offsetof(type_, member_), WEIR_MEMBER_SIZE(type_, member_),      \
			flags_,                                                                    \
			WEIR_MEMBER_TYPE(type_, member_) == WEIR_TYPE_STACK                        \
			? (uint32_t)sizeof(struct weir_frame) : WEIR_MEMBER_TYPE(                  \
				  type_, member_) == WEIR_TYPE_NAMES                               \
			? 4u : 0u,                                                                 \
			NULL, head_                                                                \
	}
#define WEIR_FIELD_WITH(type_, member_, unit_, role_, flags_, doc_)                                \
	WEIR_FIELD_HEAD(type_, member_, unit_, role_, flags_, NULL, doc_)
#define WEIR_FIELD(type_, member_, unit_, role_, doc_)                                             \
	WEIR_FIELD_WITH(type_, member_, unit_, role_, 0, doc_)

/* A field that the caller names a type for: the build fails unless the member is a uint64_t. */
#ifdef __cplusplus
#define WEIR_U64_OFFSET(type_, member_)                                                            \
	((uint32_t)offsetof(type_, member_) + weir::moment<decltype(((type_ *)0)->member_)>::extra)
#else
#define WEIR_U64_OFFSET(type_, member_)                                                            \
	((uint32_t)(offsetof(type_, member_) +                                                     \
		    0 * sizeof(struct {                                                            \
			    _Static_assert(WEIR_IS_U64(type_, member_),                            \
					   #member_ ": a time or duration is a uint64_t");         \
			    char unused;                                                           \
		    })))
#endif

/* A moment: CLOCK_MONOTONIC nanoseconds. */
#define WEIR_FIELD_TIME(type_, member_, role_, doc_)                                               \
	{                                                                                          \
#member_, doc_, WEIR_NS, WEIR_TYPE_TIME, role_, WEIR_U64_OFFSET(type_, member_),   \
			8, 0, 0, NULL, NULL                                                        \
	}

/* A length of time in nanoseconds. */
#define WEIR_FIELD_DURATION_HEAD(type_, member_, role_, flags_, head_, doc_)                       \
	{                                                                                          \
#member_, doc_, WEIR_NS, WEIR_TYPE_DURATION, role_,                                \
			WEIR_U64_OFFSET(type_, member_), 8, flags_, 0, NULL, head_                 \
	}
#define WEIR_FIELD_DURATION(type_, member_, role_, flags_, doc_)                                   \
	WEIR_FIELD_DURATION_HEAD(type_, member_, role_, flags_, NULL, doc_)

/* A nested table with a schema of its own. */
#define WEIR_FIELD_ROWS_WITH(type_, member_, schema_, flags_, doc_)                                \
	{                                                                                          \
#member_, doc_, WEIR_NONE, WEIR_MEMBER_TYPE(type_, member_), WEIR_ROLE_NONE,       \
			(uint32_t)offsetof(type_, member_), WEIR_MEMBER_SIZE(type_, member_),      \
			flags_, 0, schema_, NULL                                                   \
	}
#define WEIR_FIELD_ROWS(type_, member_, schema_, doc_)                                             \
	WEIR_FIELD_ROWS_WITH(type_, member_, schema_, 0, doc_)

#endif
