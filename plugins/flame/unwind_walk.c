/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a frame to its caller, until the program's begin. Whatever a file or a stack says, the walk
 * ends: frames are bounded by what was asked for, and each lies further up the stack than the last,
 * but for where a signal handler has a stack of its own.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "unwind_expr.h"
#include "unwind_walk.h"

/* What the walk needs to know of a machine. */
struct walk_machine {
	uint32_t machine;
	uint8_t stack_register;
	uint8_t frame_register;
	uint8_t registers; /* that callers have, by DWARF's numbers */
	uint8_t perf_pc;   /* the bit of the program counter in perf's mask */
	bool returns_in_register;
	uint8_t dwarf[33]; /* numbers of perf's registers; WALK_NO_NUMBER: none */
};

enum { WALK_NO_NUMBER = 255, WALK_RECENT = 8 };

#define NONE WALK_NO_NUMBER

static const struct walk_machine walk_machines[] = {
	{ EM_X86_64, 7, 6, 17, 8, false, { 0,    3,    2,    1,    4,    5,    6,    7,    NONE,
					   NONE, NONE, NONE, NONE, NONE, NONE, NONE, 8,    9,
					   10,   11,   12,   13,   14,   15,   NONE, NONE, NONE,
					   NONE, NONE, NONE, NONE, NONE, NONE } },
	{ EM_AARCH64, 31, 29, 32, 32, true, { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
					      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
					      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, NONE } },
};

/* Code that the walk has met, so that the process service is asked once. */
struct walk_place {
	uint64_t start;
	uint64_t end;
	uint64_t file_offset;
	uint32_t module;
};

struct walk {
	struct unwind_walker *walker;
	int root;
	uint32_t pid;
	uint64_t time;
	const struct walk_machine *machine;
	struct unwind_registers registers;
	struct unwind_memory memory;
	uint64_t cfa;     /* of the frame before */
	bool elsewhere;   /* a signal handler's stack may be another one */
	bool return_lost; /* there is no caller: the program begins here */
	struct walk_place recent[WALK_RECENT];
	uint32_t recent_count;
};

/* NULL: no code is there. *err: -ENOMEM, or 0. */
static const struct walk_place *walk_place(struct walk *walk, uint64_t address, int *err)
{
	const struct weir_process_v1 *process = walk->walker->process.vtable;
	struct weir_mapping mapping = { .size = sizeof(mapping) };
	struct walk_place *place;

	*err = 0;
	for (uint32_t i = 0; i < WALK_RECENT && i < walk->recent_count; i++)
		if (address - walk->recent[i].start < walk->recent[i].end - walk->recent[i].start)
			return &walk->recent[i];
	if (process->mapping(walk->walker->process.ctx, walk->pid, walk->time, address, &mapping) ||
	    !mapping.executable)
		return NULL;
	place = &walk->recent[walk->recent_count++ % WALK_RECENT];
	*place = (struct walk_place){ mapping.start, mapping.end, mapping.file_offset, 0 };
	*err = unwind_modules_get(&walk->walker->modules, walk->root, &mapping, &place->module);
	return *err ? NULL : place;
}

/* -ENOENT: no table knows the address. */
static int walk_row(struct walk *walk, const struct walk_place *place, uint64_t address,
		    const struct unwind_row **row, const struct unwind_cfi **cfi)
{
	struct unwind_modules *modules = &walk->walker->modules;
	uint64_t offset = address - place->start;

	if (modules->items[place->module]->file_offsets)
		offset += place->file_offset;
	return unwind_modules_row(modules, place->module, offset, row, cfi);
}

static bool walk_find_cfa(struct walk *walk, const struct unwind_row *row,
			  const struct unwind_cfi *cfi, uint64_t *cfa)
{
	const struct unwind_registers *registers = &walk->registers;

	if (row->cfa_kind == UNWIND_IS_EXPR)
		return unwind_evaluate(cfi, (uint32_t)row->cfa_value, registers, &walk->memory,
				       NULL, cfa);
	*cfa = registers->value[row->cfa_register] + (uint64_t)(int64_t)row->cfa_value;
	return unwind_known(registers, row->cfa_register);
}

/* A register as the caller has it. False: that cannot be known. */
static bool walk_register(struct walk *walk, const struct unwind_row *row,
			  const struct unwind_cfi *cfi, uint32_t number, uint64_t cfa,
			  uint64_t *value)
{
	const struct unwind_registers *registers = &walk->registers;
	int32_t told = row->value[number];
	uint64_t at = cfa + (uint64_t)(int64_t)told;

	switch (row->kind[number]) {
	case UNWIND_UNDEFINED:
		return false;
	case UNWIND_AT:
		return unwind_load(&walk->memory, at, 8, value);
	case UNWIND_IS:
		*value = at;
		return true;
	case UNWIND_REGISTER:
		*value = registers->value[(uint32_t)told % UNWIND_REGISTERS];
		return unwind_known(registers, (uint32_t)told);
	case UNWIND_AT_EXPR:
		return unwind_evaluate(cfi, (uint32_t)told, registers, &walk->memory, &cfa, &at) &&
		       unwind_load(&walk->memory, at, 8, value);
	case UNWIND_IS_EXPR:
		return unwind_evaluate(cfi, (uint32_t)told, registers, &walk->memory, &cfa, value);
	default:
		*value = registers->value[number];
		return unwind_known(registers, number);
	}
}

/* Whether the caller's frame may be there. */
static bool walk_grows(const struct walk *walk, uint64_t cfa)
{
	return walk->elsewhere || cfa > walk->cfa;
}

/* To the caller, as the row says. False: it does not lead anywhere. */
static bool walk_by_row(struct walk *walk, const struct unwind_row *row,
			const struct unwind_cfi *cfi)
{
	const struct walk_machine *machine = walk->machine;
	struct unwind_registers caller = { .known = 0 };
	uint64_t cfa, value;

	if (row->kind[row->return_register] == UNWIND_UNDEFINED) {
		walk->return_lost = true;
		return true;
	}
	if (!walk_find_cfa(walk, row, cfi, &cfa) || !walk_grows(walk, cfa))
		return false;
	unwind_set(&caller, machine->stack_register, cfa);
	for (uint32_t i = 0; i < machine->registers; i++)
		if ((i != machine->stack_register || row->kind[i] != UNWIND_UNSAID) &&
		    walk_register(walk, row, cfi, i, cfa, &value))
			unwind_set(&caller, i, value);
	if (!machine->returns_in_register && row->kind[row->return_register] == UNWIND_UNSAID)
		return false;
	if (!unwind_known(&caller, row->return_register))
		return false;
	caller.pc = caller.value[row->return_register];
	/* What tells a signed address from a plain one are bits that no user address has. */
	if (row->is_signed)
		caller.pc &= (UINT64_C(1) << 48) - 1;
	walk->elsewhere = row->signal;
	walk->cfa = cfa;
	walk->registers = caller;
	return true;
}

/* To the caller, by the frame pointer: below it lies the caller's, and the return address. */
static bool walk_by_pointer(struct walk *walk)
{
	const struct walk_machine *machine = walk->machine;
	struct unwind_registers caller = { .known = 0 };
	uint64_t frame, at = walk->registers.value[machine->frame_register];

	if (!unwind_known(&walk->registers, machine->frame_register))
		return false;
	if (!at) {
		walk->return_lost = true;
		return true;
	}
	if (at % 8 || !walk_grows(walk, at + 16))
		return false;
	if (!unwind_load(&walk->memory, at, 8, &frame) ||
	    !unwind_load(&walk->memory, at + 8, 8, &caller.pc))
		return false;
	unwind_set(&caller, machine->frame_register, frame);
	/* Where arm64 has the record within the frame is the function's choice. */
	if (!machine->returns_in_register)
		unwind_set(&caller, machine->stack_register, at + 16);
	walk->elsewhere = false;
	walk->cfa = at + 16;
	walk->registers = caller;
	return true;
}

/* The frame at hand, and from there to its caller. 0; 1: the walk ends; or -ENOMEM. */
static int walk_step(struct walk *walk, struct weir_unwind_stack *stack)
{
	bool exact = !stack->count || walk->elsewhere;
	uint64_t pc = walk->registers.pc, lookup = pc - (exact ? 0 : 1);
	struct weir_unwind_frame *frame = &stack->frames[stack->count];
	const struct walk_place *place;
	const struct unwind_row *row = NULL;
	const struct unwind_cfi *cfi;
	int err;

	place = walk_place(walk, lookup, &err);
	if (err || (!place && stack->count))
		return err ? err : 1;
	*frame = (struct weir_unwind_frame){ pc, exact ? 0 : WEIR_UNWIND_CALLER, 0 };
	stack->count++;
	if (!place)
		return 1;
	if (walk->walker->modules.items[place->module]->keeps)
		frame->flags |= WEIR_UNWIND_KEEPS;
	err = walk_row(walk, place, lookup, &row, &cfi);
	if (err == -ENOMEM)
		return err;
	if (err)
		return walk_by_pointer(walk) ? 0 : 1;
	/* Nobody calls what a handler returns to: the kernel has put it there. */
	if (row->signal)
		frame->flags &= ~(uint32_t)WEIR_UNWIND_CALLER;
	return walk_by_row(walk, row, cfi) ? 0 : 1;
}

static const struct walk_machine *walk_machine(uint32_t machine)
{
	for (uint32_t i = 0; i < sizeof(walk_machines) / sizeof(walk_machines[0]); i++)
		if (walk_machines[i].machine == machine)
			return &walk_machines[i];
	return NULL;
}

/* The registers, from perf's order to DWARF's. */
static int walk_begin(struct walk *walk, const struct weir_unwind_stack *stack)
{
	const struct walk_machine *machine = walk_machine(stack->machine);
	const uint8_t *at = stack->registers;
	uint64_t value;

	if (!machine || !(stack->mask >> machine->perf_pc & 1))
		return -EOPNOTSUPP;
	walk->machine = machine;
	for (uint32_t bit = 0; bit < sizeof(machine->dwarf); bit++) {
		if (!(stack->mask >> bit & 1))
			continue;
		memcpy(&value, at, sizeof(value));
		at += sizeof(value);
		if (bit == machine->perf_pc)
			walk->registers.pc = value;
		else if (machine->dwarf[bit] != WALK_NO_NUMBER)
			unwind_set(&walk->registers, machine->dwarf[bit], value);
	}
	if (!unwind_known(&walk->registers, machine->stack_register))
		return -EOPNOTSUPP;
	/* x86-64's tables call the program counter a register, too: PLT entries count with it. */
	if (!machine->returns_in_register)
		unwind_set(&walk->registers, 16, walk->registers.pc);
	walk->memory = (struct unwind_memory){ stack->bytes,
					       walk->registers.value[machine->stack_register],
					       stack->byte_count, false };
	/* A leaf need not have a frame. */
	walk->cfa = walk->memory.start - 1;
	return 0;
}

static uint32_t walk_how_ended(const struct walk *walk)
{
	if (walk->return_lost || !walk->registers.pc)
		return WEIR_UNWIND_WHOLE;
	return walk->memory.is_short ? WEIR_UNWIND_SHORT : WEIR_UNWIND_ASTRAY;
}

int unwind_walk(struct unwind_walker *walker, int root, struct weir_unwind_stack *stack)
{
	struct walk walk = {
		.walker = walker, .root = root, .pid = stack->pid, .time = stack->time
	};
	int err = walk_begin(&walk, stack);

	stack->count = 0;
	if (err)
		return err;
	unwind_modules_bound(&walker->modules);
	while (!err && stack->count < stack->most && !walk.return_lost &&
	       (walk.registers.pc || !stack->count))
		err = walk_step(&walk, stack);
	stack->end = walk_how_ended(&walk);
	if (!err && stack->end != WEIR_UNWIND_WHOLE)
		stack->end = WEIR_UNWIND_DEEP;
	return err < 0 ? err : 0;
}

int unwind_judge(struct unwind_walker *walker, int root, uint32_t pid, uint64_t time,
		 struct weir_unwind_frame *frames, uint32_t count)
{
	struct walk walk = { .walker = walker, .root = root, .pid = pid, .time = time };
	int err = 0;

	unwind_modules_bound(&walker->modules);
	for (uint32_t i = 0; !err && i < count; i++) {
		uint64_t lookup =
			frames[i].address - (frames[i].flags & WEIR_UNWIND_CALLER ? 1 : 0);
		const struct walk_place *place = walk_place(&walk, lookup, &err);

		if (place && walker->modules.items[place->module]->keeps)
			frames[i].flags |= WEIR_UNWIND_KEEPS;
	}
	return err;
}
