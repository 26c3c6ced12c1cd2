/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service "unwind/1": who called whom, from the registers and a copy of the stack that a perf
 * event has taken of a user thread, by the tables that programs and libraries carry for exceptions
 * (.eh_frame) or for debuggers (.debug_frame), and by frame pointers where there is no table.
 *
 * Every call is for the loop thread, and reads files the first time that code of them is met.
 */
#ifndef WEIR_SERVICE_UNWIND_H
#define WEIR_SERVICE_UNWIND_H

#include "../host.h"
#include "process.h"

#define WEIR_UNWIND_SERVICE "unwind"
#define WEIR_UNWIND_VERSION 1

/* How a walk ended. */
enum weir_unwind_end {
	WEIR_UNWIND_WHOLE = 0,  /* where a program or a thread begins */
	WEIR_UNWIND_SHORT = 1,  /* the stack goes on behind the bytes that were copied */
	WEIR_UNWIND_DEEP = 2,   /* there are more frames than were asked for */
	WEIR_UNWIND_ASTRAY = 3, /* at code of which nothing is known, or that is none */
};

enum weir_unwind_flag {
	WEIR_UNWIND_CALLER = 1u << 0, /* a return address: the call lies before it */
	WEIR_UNWIND_KEEPS = 1u << 1,  /* its file's functions keep frame pointers, most of them */
};

/* Never changes. */
struct weir_unwind_frame {
	uint64_t address;
	uint32_t flags; /* enum weir_unwind_flag */
	uint32_t reserved;
};

/* The registers for which a perf event is to be asked: attr.sample_regs_user. */
#if defined(__aarch64__)
#define WEIR_UNWIND_REGISTERS ((UINT64_C(1) << 33) - 1)
#else
#define WEIR_UNWIND_REGISTERS UINT64_C(0xff01ff) /* all but flags and segments */
#endif

struct weir_unwind_stack {
	uint32_t size;
	uint32_t machine; /* of the registers: EM_X86_64 or EM_AARCH64 of elf.h */
	uint32_t pid;     /* whose mappings the walker's process service is asked for */
	uint32_t reserved;
	uint64_t time;         /* and as of when */
	uint64_t mask;         /* which registers there are: sample_regs_user */
	const void *registers; /* a uint64_t for each bit of the mask, the lowest bit's first */
	const void *bytes;     /* the stack, from the stack pointer upwards; any alignment */
	uint64_t byte_count;
	/* Filled: leaf first, `count` of at most `most`. */
	struct weir_unwind_frame *frames;
	uint32_t most;
	uint32_t count;
	uint32_t end; /* enum weir_unwind_end */
};

struct weir_unwind_v1 {
	uint32_t size;
	uint32_t reserved;
	/*
	 * A walker remembers what it has read of files, by the ids of that process service's
	 * mappings. It belongs to the caller until close(). 0 or -ENOMEM.
	 */
	int (*open)(struct weir_ctx *self, const struct weir_service *process, uint64_t *walker);
	/* 0 with at least one frame; -EOPNOTSUPP: such a machine, or none of its pc and sp; -ENOMEM. */
	int (*walk)(struct weir_ctx *self, uint64_t walker, struct weir_unwind_stack *stack);
	/* Adds WEIR_UNWIND_KEEPS to the flags of frames of that process that deserve it. 0 or -ENOMEM. */
	int (*judge)(struct weir_ctx *self, uint64_t walker, uint32_t pid, uint64_t time,
		     struct weir_unwind_frame *frames, uint32_t count);
	/* 0 is allowed. */
	void (*close)(struct weir_ctx *self, uint64_t walker);
};

#endif
