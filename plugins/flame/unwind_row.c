/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions of call frame information: run up to an address, they leave the row that holds there;
 * see unwind_cfi.h. A function's own instructions go on from those that it shares with others.
 */
#include <errno.h>
#include <string.h>

#include "unwind_cfi.h"

enum { ROW_REMEMBERED = 16 };

/* What an instruction does with its operands. */
enum row_effect {
	ROW_INVALID,
	ROW_NOTHING,
	ROW_ADVANCE,
	ROW_MOVE_TO,
	ROW_RULE, /* of the register that the first operand is */
	ROW_RESTORE,
	ROW_REMEMBER,
	ROW_RECALL,
	ROW_CFA,
	ROW_CFA_REGISTER,
	ROW_CFA_VALUE,
	ROW_CFA_EXPRESSION,
	ROW_SIGNED, /* from here on, or not any more */
};

/* How an operand is written. */
enum row_operand {
	OPERAND_NONE,
	OPERAND_1,
	OPERAND_2,
	OPERAND_4,
	OPERAND_8,
	OPERAND_ADDRESS,
	OPERAND_ULEB,
	OPERAND_FACTORED, /* to be multiplied by the alignment of data */
	OPERAND_SIGNED,
	OPERAND_SIGNED_FACTORED,
	OPERAND_NEGATIVE, /* factored, and then negated */
	OPERAND_BLOCK,    /* where it begins, its length in front */
};

struct row_instruction {
	uint8_t effect;
	uint8_t operands[2];
	uint8_t kind; /* of the rule */
};

/* By number; the three that have an operand in the number itself are not among them. */
static const struct row_instruction row_instructions[] = {
	[0x00] = { ROW_NOTHING, { 0 }, 0 },
	[0x01] = { ROW_MOVE_TO, { OPERAND_ADDRESS }, 0 },
	[0x02] = { ROW_ADVANCE, { OPERAND_1 }, 0 },
	[0x03] = { ROW_ADVANCE, { OPERAND_2 }, 0 },
	[0x04] = { ROW_ADVANCE, { OPERAND_4 }, 0 },
	[0x05] = { ROW_RULE, { OPERAND_ULEB, OPERAND_FACTORED }, UNWIND_AT },
	[0x06] = { ROW_RESTORE, { OPERAND_ULEB }, 0 },
	[0x07] = { ROW_RULE, { OPERAND_ULEB }, UNWIND_UNDEFINED },
	[0x08] = { ROW_RULE, { OPERAND_ULEB }, UNWIND_SAME },
	[0x09] = { ROW_RULE, { OPERAND_ULEB, OPERAND_ULEB }, UNWIND_REGISTER },
	[0x0a] = { ROW_REMEMBER, { 0 }, 0 },
	[0x0b] = { ROW_RECALL, { 0 }, 0 },
	[0x0c] = { ROW_CFA, { OPERAND_ULEB, OPERAND_ULEB }, 0 },
	[0x0d] = { ROW_CFA_REGISTER, { OPERAND_ULEB }, 0 },
	[0x0e] = { ROW_CFA_VALUE, { OPERAND_NONE, OPERAND_ULEB }, 0 },
	[0x0f] = { ROW_CFA_EXPRESSION, { OPERAND_NONE, OPERAND_BLOCK }, 0 },
	[0x10] = { ROW_RULE, { OPERAND_ULEB, OPERAND_BLOCK }, UNWIND_AT_EXPR },
	[0x11] = { ROW_RULE, { OPERAND_ULEB, OPERAND_SIGNED_FACTORED }, UNWIND_AT },
	[0x12] = { ROW_CFA, { OPERAND_ULEB, OPERAND_SIGNED_FACTORED }, 0 },
	[0x13] = { ROW_CFA_VALUE, { OPERAND_NONE, OPERAND_SIGNED_FACTORED }, 0 },
	[0x14] = { ROW_RULE, { OPERAND_ULEB, OPERAND_FACTORED }, UNWIND_IS },
	[0x15] = { ROW_RULE, { OPERAND_ULEB, OPERAND_SIGNED_FACTORED }, UNWIND_IS },
	[0x16] = { ROW_RULE, { OPERAND_ULEB, OPERAND_BLOCK }, UNWIND_IS_EXPR },
	[0x1d] = { ROW_ADVANCE, { OPERAND_8 }, 0 }, /* of MIPS */
	[0x2d] = { ROW_SIGNED, { 0 }, 0 },
	[0x2e] = { ROW_NOTHING, { OPERAND_ULEB }, 0 }, /* of GNU: bytes of arguments */
	[0x2f] = { ROW_RULE, { OPERAND_ULEB, OPERAND_NEGATIVE }, UNWIND_AT },
};

/* Those with an operand in their number's low bits, by the high two. */
static const struct row_instruction row_packed[] = {
	{ ROW_INVALID, { 0 }, 0 },
	{ ROW_ADVANCE, { 0 }, 0 },
	{ ROW_RULE, { OPERAND_NONE, OPERAND_FACTORED }, UNWIND_AT },
	{ ROW_RESTORE, { 0 }, 0 },
};

/* A run of instructions. */
struct row_run {
	const struct unwind_cfi *cfi;
	const struct unwind_function *function;
	struct unwind_reader reader;
	struct unwind_row *row;
	struct unwind_row first; /* what the shared instructions leave: to be restored */
	struct unwind_row remembered[ROW_REMEMBERED];
	uint32_t remembered_count;
	uint64_t location;
	uint64_t address; /* where to stop */
};

static uint64_t run_block(struct unwind_reader *reader)
{
	uint64_t at = (uint64_t)(reader->at - reader->base), length = unwind_uleb(reader);

	if (length > (size_t)(reader->end - reader->at))
		reader->broken = true;
	else
		reader->at += length;
	return at;
}

static uint64_t run_operand(struct row_run *run, uint8_t operand)
{
	struct unwind_reader *reader = &run->reader;
	uint64_t factor = (uint64_t)run->function->data_align;

	switch (operand) {
	case OPERAND_1:
	case OPERAND_2:
	case OPERAND_4:
	case OPERAND_8:
		return unwind_read(reader, 1u << (operand - OPERAND_1));
	case OPERAND_ADDRESS:
		return unwind_pointer(run->cfi, reader, run->function->encoding);
	case OPERAND_ULEB:
		return unwind_uleb(reader);
	case OPERAND_FACTORED:
		return unwind_uleb(reader) * factor;
	case OPERAND_NEGATIVE:
		return 0 - unwind_uleb(reader) * factor;
	case OPERAND_SIGNED:
		return (uint64_t)unwind_sleb(reader);
	case OPERAND_SIGNED_FACTORED:
		return (uint64_t)unwind_sleb(reader) * factor;
	case OPERAND_BLOCK:
		return run_block(reader);
	default:
		return 0;
	}
}

/* Offsets that can be of use have 32 bits. */
static int32_t run_value(struct row_run *run, uint64_t value)
{
	if ((int64_t)value != (int32_t)value)
		run->reader.broken = true;
	return (int32_t)value;
}

/* Registers beyond ours (of vectors, of floating point) are of no use for a walk. */
static void run_rule(struct row_run *run, uint64_t number, uint8_t kind, uint64_t value)
{
	if (number >= UNWIND_REGISTERS)
		return;
	run->row->kind[number] = kind;
	run->row->value[number] = run_value(run, value);
}

static void run_restore(struct row_run *run, uint64_t number)
{
	if (number >= UNWIND_REGISTERS)
		return;
	run->row->kind[number] = run->first.kind[number];
	run->row->value[number] = run->first.value[number];
}

static void run_cfa(struct row_run *run, uint8_t kind, uint64_t number, uint64_t value)
{
	if (number >= UNWIND_REGISTERS)
		run->reader.broken = true;
	run->row->cfa_kind = kind;
	run->row->cfa_register = (uint8_t)number;
	run->row->cfa_value = run_value(run, value);
}

static void run_remember(struct row_run *run)
{
	if (run->remembered_count == ROW_REMEMBERED)
		run->reader.broken = true;
	else
		run->remembered[run->remembered_count++] = *run->row;
}

static void run_recall(struct row_run *run)
{
	if (!run->remembered_count)
		run->reader.broken = true;
	else
		*run->row = run->remembered[--run->remembered_count];
}

/* What changes the CFA alone. */
static void run_apply_cfa(struct row_run *run, uint8_t effect, uint64_t first, uint64_t second)
{
	struct unwind_row *row = run->row;

	switch (effect) {
	case ROW_CFA:
		run_cfa(run, UNWIND_REGISTER, first, second);
		break;
	case ROW_CFA_REGISTER:
		run_cfa(run, UNWIND_REGISTER, first, (uint64_t)(int64_t)row->cfa_value);
		break;
	case ROW_CFA_VALUE:
		run_cfa(run, UNWIND_REGISTER, row->cfa_register, second);
		break;
	case ROW_CFA_EXPRESSION:
		run_cfa(run, UNWIND_IS_EXPR, 0, second);
		break;
	default:
		run->reader.broken = true;
	}
}

static void run_apply(struct row_run *run, const struct row_instruction *instruction,
		      uint64_t first, uint64_t second)
{
	switch (instruction->effect) {
	case ROW_NOTHING:
		break;
	case ROW_ADVANCE:
		run->location += first * run->function->code_align;
		break;
	case ROW_MOVE_TO:
		run->location = first;
		break;
	case ROW_RULE:
		run_rule(run, first, instruction->kind, second);
		break;
	case ROW_RESTORE:
		run_restore(run, first);
		break;
	case ROW_REMEMBER:
		run_remember(run);
		break;
	case ROW_RECALL:
		run_recall(run);
		break;
	case ROW_SIGNED:
		run->row->is_signed = !run->row->is_signed;
		break;
	default:
		run_apply_cfa(run, instruction->effect, first, second);
	}
}

/* One instruction, and its operands. */
static void run_next(struct row_run *run)
{
	uint8_t number = (uint8_t)unwind_read(&run->reader, 1);
	struct row_instruction instruction = row_packed[number >> 6];
	uint64_t first = number & 0x3f, second;

	if (number < 0x40) {
		if (number < sizeof(row_instructions) / sizeof(row_instructions[0]))
			instruction = row_instructions[number];
		first = run_operand(run, instruction.operands[0]);
	}
	second = run_operand(run, instruction.operands[1]);
	run_apply(run, &instruction, first, second);
}

/* Up to the address. */
static int run_all(struct row_run *run, const struct unwind_reader *instructions)
{
	struct unwind_reader *reader = &run->reader;

	*reader = *instructions;
	while (reader->at < reader->end && !reader->broken && run->location <= run->address)
		run_next(run);
	return reader->broken ? -EBADMSG : 0;
}

int unwind_row_find(const struct unwind_cfi *cfi, const struct unwind_function *function,
		    uint64_t address, struct unwind_row *row)
{
	struct row_run run = { .cfi = cfi, .function = function, .row = row };
	int err;

	memset(row, 0, sizeof(*row));
	if (function->return_register >= UNWIND_REGISTERS)
		return -EBADMSG;
	row->return_register = (uint8_t)function->return_register;
	row->signal = function->signal;
	run.address = UINT64_MAX;
	err = run_all(&run, &function->shared);
	if (err)
		return err;
	run.first = *row;
	run.location = function->start;
	run.address = address;
	return run_all(&run, &function->own);
}
