/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records: what crosses an edge. A batch is an immutable run of rows (C structs that a schema
 * describes) with one side arena for what is variable in length and one table of names.
 *
 * Everything is native in byte order and alignment, and refers by offset, never by pointer.
 */
#ifndef WEIR_RECORD_H
#define WEIR_RECORD_H

#include <string.h>

#include "abi.h"

/* Offsets are bytes from the arena's start and multiples of 8; all zero means empty. */
struct weir_text {
	uint32_t offset;
	uint32_t length; /* bytes; the arena holds a NUL behind them */
};

/* An id of the batch's name table. 0 is the empty name: not known. */
struct weir_name {
	uint32_t id;
};

struct weir_names_ref {
	uint32_t offset; /* uint32_t ids */
	uint32_t count;
};

struct weir_histogram_ref {
	uint32_t offset; /* one struct weir_histogram */
	uint32_t bytes;  /* of it, counts included */
};

struct weir_stack_ref {
	uint32_t offset; /* frames of the field's item_size bytes, leaf first */
	uint32_t count;
};

struct weir_rows_ref {
	uint32_t offset; /* rows of the sub-schema's row_size bytes */
	uint32_t count;
};

enum weir_frame_flag {
	WEIR_FRAME_KERNEL = 1u << 0,    /* kernel code; otherwise user code */
	WEIR_FRAME_INLINED = 1u << 1,   /* inlined into the frame that follows */
	WEIR_FRAME_JIT = 1u << 2,       /* code made at run time */
	WEIR_FRAME_CALLER = 1u << 3,    /* address is a return address: the call lies before it */
	WEIR_FRAME_TRUNCATED = 1u << 4, /* the walk ended here, though the stack may go on */
	WEIR_FRAME_SCRIPT = 1u << 5,    /* interpreted code */
	WEIR_FRAME_LINE = 1u << 6,      /* people want to see source and line beside the symbol */
	WEIR_FRAME_UNWOUND = 1u << 7,   /* of a copied stack; to whoever names frames, no further */
};

/* One frame. Ids are of the batch's name table, 0 where not known. */
struct weir_frame {
	uint64_t address;       /* in the process, or in the kernel; 0 where frames were merged */
	uint64_t object_offset; /* in the object's file; 0 when object is 0 */
	uint32_t symbol;        /* the function */
	uint32_t symbol_offset; /* from the function's start */
	uint32_t object;        /* path of the binary, "[kernel]", "[vdso]" */
	uint32_t source;        /* path of the source file */
	uint32_t line;          /* 0: not known */
	uint32_t flags;         /* enum weir_frame_flag */
};

/*
 * A histogram: base-2 exponential. With scale 3, bucket i counts values v with
 * 2^((i-1)/8) < v <= 2^(i/8) of the field's unit, i = offset + position in counts[]. Zero is
 * counted in underflow. The bounds are those of OpenTelemetry's exponential histogram
 * (opentelemetry.io, "Metrics Data Model", ExponentialHistogram), whose offset is one less.
 */
struct weir_histogram {
	uint64_t count; /* all values, those outside of counts[] included */
	uint64_t sum;   /* in the field's unit */
	uint64_t min;   /* meaningless while count is 0 */
	uint64_t max;
	uint64_t underflow; /* zero, or below the first bucket its source can count */
	uint64_t overflow;  /* above the last bucket its source can count */
	int32_t scale;
	int32_t offset; /* of counts[0] */
	uint32_t buckets;
	uint32_t reserved;
	uint64_t counts[];
};

enum weir_batch_flag {
	/* Something is missing in the window: a device came or went, a counter went back. */
	WEIR_BATCH_GAP = 1u << 0,
};

struct weir_names; /* a table of names: see the names_ calls of host.h */

/*
 * A batch. Its maker fills one that weir_loan() gave; from weir_commit() on it is constant and
 * shared by all its readers, on any thread. Everything in it lives as long as the batch: a
 * reader has it until its push() returns.
 */
struct weir_batch {
	uint32_t size;
	uint32_t flags; /* enum weir_batch_flag */
	uint32_t row_size;
	uint32_t row_count;
	uint32_t row_capacity;
	uint32_t arena_used;
	uint32_t arena_capacity;
	uint32_t reserved;
	uint8_t *rows;
	uint8_t *arena;
	uint64_t start; /* the window [start, end), CLOCK_MONOTONIC ns */
	uint64_t end;
	struct weir_names *names; /* NULL: no names in this batch */
};

/* Row i of a batch. */
static inline const void *weir_row(const struct weir_batch *batch, uint32_t i)
{
	return batch->rows + (size_t)i * batch->row_size;
}

/* What lies at an offset of the arena. */
static inline const void *weir_arena(const struct weir_batch *batch, uint32_t offset)
{
	return batch->arena + offset;
}

/* A text of a batch, closed by NUL. */
static inline const char *weir_text_of(const struct weir_batch *batch, struct weir_text text)
{
	return text.length ? (const char *)batch->arena + text.offset : "";
}

/* The value that stands for "absent" in an optional unsigned or signed member of `bytes` bytes. */
static inline uint64_t weir_absent_uint(uint32_t bytes)
{
	return UINT64_MAX >> (64 - 8 * bytes);
}

static inline int64_t weir_absent_int(uint32_t bytes)
{
	return INT64_MIN >> (64 - 8 * bytes);
}

#define WEIR_ABSENT_U64 UINT64_MAX
#define WEIR_ABSENT_U32 UINT32_MAX
#define WEIR_ABSENT_I64 INT64_MIN
#define WEIR_ABSENT_I32 INT32_MIN

#endif
