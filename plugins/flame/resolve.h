/* SPDX-License-Identifier: BSD-2-Clause */
/* From addresses to functions: one frame at a time. */
#ifndef FLAME_RESOLVE_H
#define FLAME_RESOLVE_H

#include <weir/plugin.h>
#include <weir/service/process.h>

#include "kallsyms.h"
#include "object.h"

enum {
	RESOLVE_CACHE = 8192,
	RESOLVE_INLINED_MAX = 128, /* functions, one in the other */
};

struct resolve_name {
	const char *text; /* of a symbol table: its address is the key */
	uint32_t id;
	uint32_t reserved;
};

struct resolve {
	struct weir_service process; /* vtable NULL: user code has no names */
	struct weir_names *names;
	struct kallsyms kallsyms;
	struct objects objects;
	struct resolve_name cache[RESOLVE_CACHE]; /* ids of `names` */
	bool no_demangle; /* for the owner to set: names stay as the files have them */
	bool inlined;     /* likewise, with objects.dwarf: inlined functions are frames */
	bool lines;       /* likewise: frames have their source line */
	bool once; /* likewise: a frame is looked up once, the owner counts how often it is seen */
	/* What was inlined into the frame that resolve_user() filled last, innermost first. */
	struct weir_frame chain[RESOLVE_INLINED_MAX];
	uint32_t chain_count;
	bool kernel_read;
	int kernel_error; /* of reading kallsyms */
};

enum resolve_result {
	RESOLVE_DONE = 0,    /* as far as can be known */
	RESOLVE_OUTSIDE = 1, /* user address in no executable mapping */
};

/* Of whom a stack is, and when it was taken. */
struct resolve_moment {
	uint32_t pid;
	uint64_t time;
};

int resolve_init(struct weir_ctx *ctx, struct resolve *resolve);
void resolve_clear(struct weir_ctx *ctx, struct resolve *resolve);

/*
 * create() to start(): asks for the service that knows inlined functions and lines, where these are
 * wanted. 0, or a negative errno after having failed.
 */
int resolve_ask_lines(struct weir_ctx *ctx, bool inlined, bool lines, struct weir_service *dwarf);

/* Before a run of frames: renews what has grown too large. 0 or -ENOMEM. */
int resolve_begin(struct weir_ctx *ctx, struct resolve *resolve);

/* Reads the kernel's functions, once; what is wrong is said. */
void resolve_read_kernel(struct weir_ctx *ctx, struct resolve *resolve);

/*
 * Fills symbol, object and offsets of a frame, and source and line where they are asked for. An enum
 * resolve_result, or -ENOMEM.
 */
int resolve_kernel(struct weir_ctx *ctx, struct resolve *resolve, struct weir_frame *frame);
int resolve_user(struct weir_ctx *ctx, struct resolve *resolve, const struct resolve_moment *moment,
		 struct weir_frame *frame, const struct object **object);

#endif
