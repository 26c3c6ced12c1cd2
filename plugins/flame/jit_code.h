/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code that a process made at run time: which name held an address at a moment. The same address
 * may be given to other code later, so what is asked for is the youngest that existed then.
 */
#ifndef FLAME_JIT_CODE_H
#define FLAME_JIT_CODE_H

#include <stddef.h>
#include <stdint.h>

struct jit_code {
	uint64_t start;
	uint64_t end;
	uint64_t time; /* since when; 0: ever since */
	uint32_t order;
	uint32_t name; /* offset in names */
};

/* All zero is an empty table. */
struct jit_codes {
	struct jit_code *items; /* by start; what came lately lies unsorted behind */
	uint64_t *reach;        /* the largest end below a node of the tree that items are */
	uint32_t sorted;
	uint32_t count;
	uint32_t capacity;
	char *names;
	uint32_t names_used;
	uint32_t names_capacity;
};

/* At most that many, and that many bytes of names: who says more is not believed. */
enum { JIT_CODES_MAX = 1 << 20, JIT_NAMES_MAX = 128 << 20 };

/* 0, -E2BIG when there are too many, or -ENOMEM. */
int jit_codes_add(struct jit_codes *codes, const struct jit_code *code, const char *name,
		  size_t length);

/* The code that held the address then, or NULL. */
const struct jit_code *jit_codes_find(struct jit_codes *codes, uint64_t address, uint64_t time);

static inline const char *jit_codes_name(const struct jit_codes *codes, const struct jit_code *code)
{
	return codes->names + code->name;
}

void jit_codes_clear(struct jit_codes *codes);

#endif
