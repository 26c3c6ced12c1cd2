/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of a pprof profile that samples refer to by number: strings, mappings, functions,
 * locations. Equal parts have one number; numbers begin with 1.
 */
#ifndef FLAME_PPROF_PARTS_H
#define FLAME_PPROF_PARTS_H

#include "profile.h"
#include "wire.h"

/* A set of parts: each is a few bytes, kept as a name. */
struct pprof_set {
	struct weir_names *names;
	uint32_t last; /* the largest number */
};

struct pprof_parts {
	struct pprof_set strings;
	struct pprof_set mappings;  /* struct pprof_mapping */
	struct pprof_set functions; /* struct pprof_function */
	struct pprof_set locations; /* struct pprof_location and its lines */
	struct wire scratch;        /* a location in the making */
	uint32_t main;              /* mapping of what is no library; 0: none was seen */
};

struct pprof_function {
	uint32_t name; /* strings */
	uint32_t file;
};

struct pprof_line {
	uint32_t function;
	uint32_t line;
};

struct pprof_location {
	uint64_t address; /* where no name is known */
	uint32_t mapping;
	uint32_t count; /* of lines, which follow */
};

int pprof_parts_init(struct weir_ctx *ctx, struct pprof_parts *parts);
void pprof_parts_clear(struct weir_ctx *ctx, struct pprof_parts *parts);

/* All return a number, 0: no memory, or an empty text. */
uint32_t pprof_string(struct weir_ctx *ctx, struct pprof_parts *parts, const char *text,
		      size_t length);

/* Frames of a stack, from one on to the outermost. */
struct pprof_run {
	const struct weir_frame *frames;
	uint32_t count;
};

/*
 * The location of run->frames[0] and those that it is inlined into, which are left out of the run
 * then. Ids are of the batch, whose labels the profile makes. 0: no memory.
 */
uint32_t pprof_location(struct weir_ctx *ctx, struct pprof_parts *parts, struct profile *profile,
			const struct weir_batch *batch, struct pprof_run *run);

/* The location of a text that stands in the place of a function. */
uint32_t pprof_location_named(struct weir_ctx *ctx, struct pprof_parts *parts, const char *text,
			      size_t length);

/* The parts as messages of the profile, one after the other, each handed to `write`. */
typedef int pprof_write_fn(struct weir_ctx *ctx, const struct wire *message);
int pprof_parts_write(struct weir_ctx *ctx, const struct pprof_parts *parts, pprof_write_fn *write);

#endif
