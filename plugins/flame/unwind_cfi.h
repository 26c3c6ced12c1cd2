/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Call frame information: tables in a file that tell, for each address of code, where the caller's
 * registers are (DWARF 5, section 6.4; the Linux Standard Base for .eh_frame and .eh_frame_hdr).
 *
 * Read by our own code and not by libdw: that lets a file name registers up to 2^64, and reserves
 * memory for as many, as often as the file says "remember". Here all is bounded by the file's size,
 * nothing is reserved on a file's word, and a stack is walked where there is no libdw, too.
 */
#ifndef FLAME_UNWIND_CFI_H
#define FLAME_UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf_file.h"

enum {
	UNWIND_REGISTERS =
		34, /* of DWARF's numbers; arm64's last is 31, what it calls 32 is the pc */
	UNWIND_SECTION_MAX = 1 << 28,
};

struct unwind_section {
	uint8_t *bytes;
	size_t size;
	uint64_t address; /* of its first byte, in the file's numbers */
};

/* Where the code begins that an entry tells of. */
struct unwind_entry {
	uint64_t start;
	uint32_t at; /* of the entry in its section */
	uint32_t reserved;
};

/* One section of tables. All zero: none. */
struct unwind_cfi {
	struct unwind_section frames;
	struct unwind_section table;  /* .eh_frame_hdr, when it is sound; else size 0 */
	struct unwind_entry *entries; /* by start, where there is no such table */
	uint32_t entry_count;
	uint32_t entry_capacity;
	bool for_debuggers; /* .debug_frame */
	bool wide;
};

/* Bytes that are being read. Once broken, all further reads give 0. */
struct unwind_reader {
	const uint8_t *base; /* of the section */
	const uint8_t *at;
	const uint8_t *end;
	bool broken;
};

uint64_t unwind_read(struct unwind_reader *reader, uint32_t bytes); /* 1, 2, 4, 8; little-endian */
uint64_t unwind_uleb(struct unwind_reader *reader);
int64_t unwind_sleb(struct unwind_reader *reader);

/* What an entry says, with what it shares with others. */
struct unwind_function {
	uint64_t start;
	uint64_t end;
	struct unwind_reader shared; /* instructions that come first */
	struct unwind_reader own;
	uint64_t code_align;
	int64_t data_align;
	uint32_t return_register;
	uint8_t encoding; /* of addresses */
	bool signal;      /* the frame of a signal handler's caller */
};

enum unwind_kind {
	UNWIND_UNSAID, /* as it was */
	UNWIND_UNDEFINED,
	UNWIND_SAME,
	UNWIND_AT,       /* saved at the CFA + value */
	UNWIND_IS,       /* is the CFA + value */
	UNWIND_REGISTER, /* is in register `value` */
	UNWIND_AT_EXPR, /* an expression, `value` bytes into the section, tells where it is saved */
	UNWIND_IS_EXPR,
};

/*
 * How to come to the caller from an address. The CFA (where the stack pointer was before the call)
 * is register `cfa_register` + cfa_value, or an expression. Compared as bytes.
 */
struct unwind_row {
	int32_t value[UNWIND_REGISTERS];
	uint8_t kind[UNWIND_REGISTERS]; /* enum unwind_kind */
	uint8_t cfa_kind;               /* UNWIND_REGISTER or UNWIND_IS_EXPR */
	uint8_t cfa_register;
	int32_t cfa_value;
	uint8_t return_register;
	bool signal;
	bool is_signed; /* return addresses are (arm64) */
	uint8_t reserved;
	uint32_t owner; /* whose expressions they are */
};

/*
 * Reads the tables of a file: .eh_frame, or .debug_frame with `for_debuggers`. 0, -ENOENT: it has
 * none; -EBADMSG; -EFBIG; -ENOMEM. Clear it in any case.
 */
int unwind_cfi_read(struct unwind_cfi *cfi, const struct elf *elf, bool for_debuggers);
void unwind_cfi_clear(struct unwind_cfi *cfi);

/* The function at an address. -ENOENT: none; -EBADMSG. */
int unwind_cfi_find(const struct unwind_cfi *cfi, uint64_t address,
		    struct unwind_function *function);
/* The nth entry of all, for a look at some; true while there is one that can be read. */
uint32_t unwind_cfi_count(const struct unwind_cfi *cfi);
int unwind_cfi_nth(const struct unwind_cfi *cfi, uint32_t nth, struct unwind_function *function);

/* unwind_entry.c: reads the entry at an offset of its section. 0, -ENOENT: it is none of a function. */
int unwind_entry_read(const struct unwind_cfi *cfi, uint32_t at, struct unwind_function *function);
/* A pointer of that encoding. DW_EH_PE_omit and what cannot be known here break the reader. */
uint64_t unwind_pointer(const struct unwind_cfi *cfi, struct unwind_reader *reader,
			uint8_t encoding);
/* Goes over one entry: false at the end of all. */
bool unwind_entry_next(const struct unwind_cfi *cfi, uint32_t *at, uint32_t *next);

/* unwind_row.c: runs the function's instructions up to an address. 0 or -EBADMSG. */
int unwind_row_find(const struct unwind_cfi *cfi, const struct unwind_function *function,
		    uint64_t address, struct unwind_row *row);

#endif
