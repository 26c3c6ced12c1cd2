/* SPDX-License-Identifier: BSD-2-Clause */
/* Registers and memory of a thread at one frame of its stack, and expressions over them. */
#ifndef FLAME_UNWIND_EXPR_H
#define FLAME_UNWIND_EXPR_H

#include "unwind_cfi.h"

/* The copy of a stack. */
struct unwind_memory {
	const uint8_t *bytes;
	uint64_t start;
	uint64_t size;
	bool is_short; /* something behind its end has been asked for */
};

struct unwind_registers {
	uint64_t value[UNWIND_REGISTERS];
	uint64_t known; /* a bit for each */
	uint64_t pc;
};

static inline bool unwind_known(const struct unwind_registers *registers, uint32_t number)
{
	return number < UNWIND_REGISTERS && registers->known >> number & 1;
}

static inline void unwind_set(struct unwind_registers *registers, uint32_t number, uint64_t value)
{
	registers->value[number] = value;
	registers->known |= UINT64_C(1) << number;
}

/* Up to 8 bytes of the stack. False: not in the copy. */
bool unwind_load(struct unwind_memory *memory, uint64_t address, uint32_t bytes, uint64_t *value);

/*
 * The value of the expression that stands, behind its length, at `at` of the section. `first` lies on
 * the stack of values already. False: it needs what is not known, or is none.
 */
bool unwind_evaluate(const struct unwind_cfi *cfi, uint32_t at,
		     const struct unwind_registers *registers, struct unwind_memory *memory,
		     const uint64_t *first, uint64_t *value);

#endif
