/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DWARF expressions (DWARF 5, section 2.5), as far as tables of call frames use them: those of PLT
 * entries, of signal frames, of functions that align their stack. See unwind_expr.h.
 */
#include <string.h>

#include "unwind_expr.h"

enum {
	EXPR_STEPS = 512,
	EXPR_DEPTH = 64,
};

/* Operations by number, and the first and last of some runs of them. */
enum {
	OP_ADDRESS = 0x03,
	OP_DEREF = 0x06,
	OP_CONST = 0x08, /* 1u, 1s, 2u, 2s, 4u, 4s, 8u, 8s, of any length u, and s */
	OP_CONST_LAST = 0x11,
	OP_DUP = 0x12,
	OP_DROP,
	OP_OVER,
	OP_PICK,
	OP_SWAP,
	OP_ROT,
	OP_ABS = 0x19,
	OP_AND,
	OP_DIV,
	OP_MINUS,
	OP_MOD,
	OP_MUL,
	OP_NEG,
	OP_NOT,
	OP_OR,
	OP_PLUS,
	OP_PLUS_CONST,
	OP_SHL,
	OP_SHR,
	OP_SHRA,
	OP_XOR,
	OP_BRANCH = 0x28,
	OP_EQ,
	OP_GE,
	OP_GT,
	OP_LE,
	OP_LT,
	OP_NE,
	OP_SKIP = 0x2f,
	OP_LITERAL = 0x30,
	OP_LITERAL_LAST = 0x4f,
	OP_BASE = 0x70, /* a register's value and an offset */
	OP_BASE_LAST = 0x8f,
	OP_BASE_ANY = 0x92,
	OP_DEREF_SIZE = 0x94,
	OP_NOP = 0x96,
};

struct expr {
	struct unwind_reader reader;
	const uint8_t *begin;
	const struct unwind_registers *registers;
	struct unwind_memory *memory;
	uint64_t stack[EXPR_DEPTH];
	uint32_t depth;
	uint32_t word; /* bytes of an address */
};

bool unwind_load(struct unwind_memory *memory, uint64_t address, uint32_t bytes, uint64_t *value)
{
	uint64_t at = address - memory->start;

	*value = 0;
	if (address < memory->start)
		return false;
	if (at > memory->size || memory->size - at < bytes) {
		memory->is_short = true;
		return false;
	}
	memcpy(value, memory->bytes + at, bytes);
	return true;
}

static void expr_fail(struct expr *expr)
{
	expr->reader.broken = true;
}

static void expr_push(struct expr *expr, uint64_t value)
{
	if (expr->depth == EXPR_DEPTH)
		expr_fail(expr);
	else
		expr->stack[expr->depth++] = value;
}

static uint64_t expr_pop(struct expr *expr)
{
	if (expr->depth)
		return expr->stack[--expr->depth];
	expr_fail(expr);
	return 0;
}

/* The value that lies `down` below the topmost. */
static void expr_pick(struct expr *expr, uint64_t down)
{
	if (down >= expr->depth)
		expr_fail(expr);
	else
		expr_push(expr, expr->stack[expr->depth - 1 - down]);
}

static void expr_load(struct expr *expr, uint64_t bytes)
{
	uint64_t address = expr_pop(expr), value;

	if (!bytes || bytes > 8 || !unwind_load(expr->memory, address, (uint32_t)bytes, &value))
		expr_fail(expr);
	else
		expr_push(expr, value);
}

static void expr_base(struct expr *expr, uint64_t number)
{
	int64_t offset = unwind_sleb(&expr->reader);

	if (number >= UNWIND_REGISTERS || !unwind_known(expr->registers, (uint32_t)number))
		expr_fail(expr);
	else
		expr_push(expr, expr->registers->value[number] + (uint64_t)offset);
}

static void expr_constant(struct expr *expr, uint8_t op)
{
	uint32_t size = 1u << (op - OP_CONST) / 2;
	uint64_t value;

	if (op >= OP_CONST_LAST - 1) {
		value = op == OP_CONST_LAST ? (uint64_t)unwind_sleb(&expr->reader)
					    : unwind_uleb(&expr->reader);
	} else {
		value = unwind_read(&expr->reader, size);
		if (op & 1 && size < 8 && value >> (8 * size - 1))
			value |= UINT64_MAX << 8 * size;
	}
	expr_push(expr, value);
}

static uint64_t expr_shift(uint8_t op, uint64_t value, uint64_t by)
{
	if (op == OP_SHL)
		return by < 64 ? value << by : 0;
	if (op == OP_SHR)
		return by < 64 ? value >> by : 0;
	return (uint64_t)((int64_t)value >> (by < 63 ? by : 63));
}

/* By zero there is nothing. The one quotient that has no place is the dividend again. */
static uint64_t expr_divide(struct expr *expr, int64_t dividend, int64_t divisor)
{
	if (divisor == 0) {
		expr_fail(expr);
		return 0;
	}
	return divisor == -1 ? 0 - (uint64_t)dividend : (uint64_t)(dividend / divisor);
}

static uint64_t expr_modulo(struct expr *expr, uint64_t dividend, uint64_t divisor)
{
	if (divisor)
		return dividend % divisor;
	expr_fail(expr);
	return 0;
}

static bool expr_compare(uint8_t op, int64_t left, int64_t right)
{
	switch (op) {
	case OP_EQ:
		return left == right;
	case OP_GE:
		return left >= right;
	case OP_GT:
		return left > right;
	case OP_LE:
		return left <= right;
	case OP_LT:
		return left < right;
	default:
		return left != right;
	}
}

/* Two values become one. */
static void expr_combine(struct expr *expr, uint8_t op)
{
	uint64_t right = expr_pop(expr), left = expr_pop(expr);

	switch (op) {
	case OP_AND:
		expr_push(expr, left & right);
		break;
	case OP_OR:
		expr_push(expr, left | right);
		break;
	case OP_XOR:
		expr_push(expr, left ^ right);
		break;
	case OP_PLUS:
		expr_push(expr, left + right);
		break;
	case OP_MINUS:
		expr_push(expr, left - right);
		break;
	case OP_MUL:
		expr_push(expr, left * right);
		break;
	case OP_DIV:
		expr_push(expr, expr_divide(expr, (int64_t)left, (int64_t)right));
		break;
	case OP_MOD:
		expr_push(expr, expr_modulo(expr, left, right));
		break;
	case OP_SHL:
	case OP_SHR:
	case OP_SHRA:
		expr_push(expr, expr_shift(op, left, right));
		break;
	default:
		expr_push(expr, expr_compare(op, (int64_t)left, (int64_t)right));
	}
}

/* One value becomes another. */
static void expr_change(struct expr *expr, uint8_t op)
{
	uint64_t value = expr_pop(expr);

	if (op == OP_NOT)
		expr_push(expr, ~value);
	else if (op == OP_NEG || value >> 63)
		expr_push(expr, 0 - value);
	else
		expr_push(expr, value);
}

/* Puts the topmost of `count` values below the others. */
static void expr_rotate(struct expr *expr, uint32_t count)
{
	uint64_t *values, top;

	if (expr->depth < count) {
		expr_fail(expr);
		return;
	}
	values = expr->stack + expr->depth - count;
	top = values[count - 1];
	memmove(values + 1, values, (count - 1) * sizeof(*values));
	values[0] = top;
}

static void expr_jump(struct expr *expr, bool taken)
{
	int64_t by = (int16_t)unwind_read(&expr->reader, 2);
	int64_t at = expr->reader.at - expr->begin;

	if (!taken)
		return;
	if (at + by < 0 || at + by > expr->reader.end - expr->begin)
		expr_fail(expr);
	else
		expr->reader.at = expr->begin + at + by;
}

/* What only moves values about. */
static void expr_move(struct expr *expr, uint8_t op)
{
	switch (op) {
	case OP_DUP:
		expr_pick(expr, 0);
		break;
	case OP_DROP:
		expr_pop(expr);
		break;
	case OP_OVER:
		expr_pick(expr, 1);
		break;
	case OP_PICK:
		expr_pick(expr, unwind_read(&expr->reader, 1));
		break;
	case OP_SWAP:
		expr_rotate(expr, 2);
		break;
	default:
		expr_rotate(expr, 3);
	}
}

static void expr_special(struct expr *expr, uint8_t op)
{
	switch (op) {
	case OP_ADDRESS: /* where the file lies is not known to an expression */
	default:
		expr_fail(expr);
		break;
	case OP_DEREF:
		expr_load(expr, expr->word);
		break;
	case OP_DEREF_SIZE:
		expr_load(expr, unwind_read(&expr->reader, 1));
		break;
	case OP_ABS:
	case OP_NEG:
	case OP_NOT:
		expr_change(expr, op);
		break;
	case OP_PLUS_CONST:
		expr_push(expr, unwind_uleb(&expr->reader) + expr_pop(expr));
		break;
	case OP_BRANCH:
		expr_jump(expr, expr_pop(expr) != 0);
		break;
	case OP_SKIP:
		expr_jump(expr, true);
		break;
	case OP_BASE_ANY:
		expr_base(expr, unwind_uleb(&expr->reader));
		break;
	case OP_NOP:
		break;
	}
}

static bool expr_combines(uint8_t op)
{
	return (op >= OP_AND && op <= OP_MUL) || op == OP_OR || op == OP_PLUS ||
	       (op >= OP_SHL && op <= OP_XOR) || (op >= OP_EQ && op <= OP_NE);
}

static void expr_step(struct expr *expr, uint8_t op)
{
	if (op >= OP_LITERAL && op <= OP_LITERAL_LAST)
		expr_push(expr, (uint64_t)op - OP_LITERAL);
	else if (op >= OP_BASE && op <= OP_BASE_LAST)
		expr_base(expr, (uint64_t)op - OP_BASE);
	else if (op >= OP_CONST && op <= OP_CONST_LAST)
		expr_constant(expr, op);
	else if (op >= OP_DUP && op <= OP_ROT)
		expr_move(expr, op);
	else if (expr_combines(op))
		expr_combine(expr, op);
	else
		expr_special(expr, op);
}

bool unwind_evaluate(const struct unwind_cfi *cfi, uint32_t at,
		     const struct unwind_registers *registers, struct unwind_memory *memory,
		     const uint64_t *first, uint64_t *value)
{
	const uint8_t *base = cfi->frames.bytes;
	struct expr expr = { .registers = registers, .memory = memory, .word = cfi->wide ? 8 : 4 };
	struct unwind_reader *reader = &expr.reader;
	uint64_t length;

	*value = 0;
	if (at >= cfi->frames.size)
		return false;
	*reader = (struct unwind_reader){ base, base + at, base + cfi->frames.size, false };
	length = unwind_uleb(reader);
	if (length > (size_t)(reader->end - reader->at))
		return false;
	reader->end = reader->at + length;
	expr.begin = reader->at;
	if (first)
		expr_push(&expr, *first);
	for (uint32_t i = 0; i < EXPR_STEPS && !reader->broken && reader->at < reader->end; i++)
		expr_step(&expr, (uint8_t)unwind_read(reader, 1));
	if (reader->broken || reader->at < reader->end || !expr.depth)
		return false;
	*value = expr.stack[expr.depth - 1];
	return true;
}
