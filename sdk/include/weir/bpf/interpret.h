/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the loader program of a light skeleton in this process. The program only makes system
 * calls; the kernel, which can run it too, has to verify and translate it first, and that takes
 * a fifth of the whole load. What is not known here, such as what a later bpftool may emit, goes
 * to the kernel as ever.
 *
 * The skeletons made by sdk/bpf/skeleton.sh call weir_bpf_load_and_run() and weir_bpf_attach_to().
 */
#ifndef WEIR_BPF_INTERPRET_H
#define WEIR_BPF_INTERPRET_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/skel_internal.h>
#include <weir/bpf/btf_id.h>

/*
 * What a load is to leave out, and the call to the kernel by which it or an attach failed. Each
 * skeleton has one, see there.
 */
struct weir_bpf_attempt {
	uint32_t command;    /* enum bpf_cmd; with an empty name: not known */
	char name[60];       /* of the map, the program, or the tracepoint it was to attach to */
	const char *without; /* set before the load: a program not to be attached; or NULL */
};

static const struct bpf_insn weir_bpf_nothing[] = {
	{ BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0 }, /* all members, as C++ wants them */
	{ BPF_JMP | BPF_EXIT, 0, 0, 0, 0 },
};

struct weir_bpf_machine {
	uint64_t reg[11];
	uint64_t stack[64];
	uint8_t *data; /* what the skeleton brings: attributes, programs, names */
	struct weir_bpf_attempt *attempt;
	int query; /* of weir_bpf_query_program(); -1 until it is needed */
};

static inline int weir_bpf_knows_call(int32_t function)
{
	return function == BPF_FUNC_sys_bpf || function == BPF_FUNC_sys_close ||
	       function == BPF_FUNC_copy_from_user || function == BPF_FUNC_probe_read_kernel ||
	       function == BPF_FUNC_btf_find_by_name_kind;
}

/* Whether weir_bpf_compute() and weir_bpf_holds() know this operation. */
static inline int weir_bpf_knows_operation(uint8_t code)
{
	switch (BPF_CLASS(code) == BPF_ALU64 ? BPF_OP(code) : 0xff) {
	case BPF_MOV:
	case BPF_ADD:
	case BPF_RSH:
		return 1;
	default:
		break;
	}
	switch (BPF_CLASS(code) == BPF_JMP ? BPF_OP(code) : 0xff) {
	case BPF_JA:
	case BPF_JEQ:
	case BPF_JNE:
	case BPF_JSET:
	case BPF_JSLT:
	case BPF_JSLE:
	case BPF_JSGT:
	case BPF_JSGE:
	case BPF_EXIT:
		return 1;
	default:
		return 0;
	}
}

/* True for an instruction that weir_bpf_step() carries out as the kernel would. */
static inline int weir_bpf_knows(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL))
		return insn->src_reg == 0 && weir_bpf_knows_call(insn->imm);
	if (insn->code == (BPF_LD | BPF_IMM | BPF_DW))
		return insn->src_reg == 0 || insn->src_reg == BPF_PSEUDO_MAP_IDX_VALUE;
	switch (BPF_CLASS(insn->code)) {
	case BPF_LDX:
	case BPF_STX:
	case BPF_ST:
		return BPF_MODE(insn->code) == BPF_MEM;
	default:
		return weir_bpf_knows_operation(insn->code);
	}
}

/* True if all of a program is known and all its jumps stay in it. */
static inline int weir_bpf_knows_all(const struct bpf_insn *code, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		int wide = code[i].code == (BPF_LD | BPF_IMM | BPF_DW);
		int64_t next = (int64_t)i + 1 + wide;

		if (!weir_bpf_knows(&code[i]))
			return 0;
		if (BPF_CLASS(code[i].code) == BPF_JMP && code[i].code != (BPF_JMP | BPF_CALL))
			next += code[i].off;
		if (code[i].code != (BPF_JMP | BPF_EXIT) && (next < 0 || next >= count))
			return 0;
		i += (uint32_t)wide;
	}
	return 1;
}

static inline void weir_bpf_note(struct weir_bpf_attempt *attempt, uint32_t command,
				 const char *name, size_t size)
{
	size_t length = strnlen(name, size);

	if (length > sizeof(attempt->name) - 1)
		length = sizeof(attempt->name) - 1;
	attempt->command = command;
	memcpy(attempt->name, name, length);
	attempt->name[length] = '\0';
}

static inline uint64_t weir_bpf_btf_answer(struct weir_bpf_machine *machine)
{
	struct weir_bpf_query query;
	const char *name = (const char *)(uintptr_t)machine->reg[1];

	memset(&query, 0, sizeof(query));
	query.kind = machine->reg[3];
	if (machine->reg[2] > sizeof(query.name))
		return (uint64_t)-ENAMETOOLONG;
	memcpy(query.name, name, machine->reg[2]);
	if (machine->query < 0)
		machine->query = weir_bpf_query_program();
	if (machine->query < 0)
		weir_bpf_note(machine->attempt, BPF_PROG_LOAD, "find_types", sizeof("find_types"));
	return (uint64_t)weir_bpf_query_run(machine->query, &query);
}

/* Notes which map or program it was that a call of the loader program failed for. */
static inline void weir_bpf_note_call(struct weir_bpf_attempt *attempt, uint32_t command,
				      const union bpf_attr *attr)
{
	if (command == BPF_MAP_CREATE)
		weir_bpf_note(attempt, command, attr->map_name, sizeof(attr->map_name));
	else if (command == BPF_PROG_LOAD)
		weir_bpf_note(attempt, command, attr->prog_name, sizeof(attr->prog_name));
}

/*
 * A program that is not wanted is loaded as one that does nothing. The lines of the source are for
 * the verifier's log only, and the kernel looks at each.
 */
static inline void weir_bpf_shorten(union bpf_attr *attr, const char *without)
{
	if (!attr->log_level)
		attr->line_info_cnt = 0;
	if (!without || strncmp(attr->prog_name, without, sizeof(attr->prog_name) - 1) != 0)
		return;
	attr->insns = (uintptr_t)weir_bpf_nothing;
	attr->insn_cnt = sizeof(weir_bpf_nothing) / sizeof(weir_bpf_nothing[0]);
	attr->line_info_cnt = attr->func_info_cnt = attr->core_relo_cnt = 0;
}

static inline uint64_t weir_bpf_call_kernel(struct weir_bpf_machine *machine)
{
	uint64_t *reg = machine->reg;
	union bpf_attr *attr = (union bpf_attr *)(uintptr_t)reg[2];
	int result;

	if (reg[1] == BPF_PROG_LOAD)
		weir_bpf_shorten(attr, machine->attempt->without);
	result = skel_sys_bpf((enum bpf_cmd)reg[1], attr, (unsigned int)reg[3]);
	if (result >= 0)
		return (uint64_t)(int64_t)result;
	result = -errno;
	weir_bpf_note_call(machine->attempt, (uint32_t)reg[1], attr);
	return (uint64_t)(int64_t)result;
}

/* What the helper functions of the kernel do, with their arguments in the registers 1 to 5. */
static inline uint64_t weir_bpf_call(struct weir_bpf_machine *machine, int32_t function)
{
	uint64_t *reg = machine->reg;
	void *to = (void *)(uintptr_t)reg[1];

	switch (function) {
	case BPF_FUNC_sys_bpf:
		return weir_bpf_call_kernel(machine);
	case BPF_FUNC_sys_close:
		return (uint64_t)(int64_t)(close((int)reg[1]) ? -errno : 0);
	case BPF_FUNC_btf_find_by_name_kind:
		return weir_bpf_btf_answer(machine);
	default: /* a copy; from address 0, which fails in the kernel, it clears */
		if (reg[3])
			memcpy(to, (const void *)(uintptr_t)reg[3], reg[2]);
		else
			memset(to, 0, reg[2]);
		return 0;
	}
}

static inline int weir_bpf_holds(uint8_t operation, uint64_t left, uint64_t right)
{
	switch (operation) {
	case BPF_JA:
		return 1;
	case BPF_JEQ:
		return left == right;
	case BPF_JNE:
		return left != right;
	case BPF_JSET:
		return (left & right) != 0;
	case BPF_JSLT:
		return (int64_t)left < (int64_t)right;
	case BPF_JSLE:
		return (int64_t)left <= (int64_t)right;
	case BPF_JSGT:
		return (int64_t)left > (int64_t)right;
	default: /* BPF_JSGE */
		return (int64_t)left >= (int64_t)right;
	}
}

static inline uint64_t weir_bpf_compute(uint8_t operation, uint64_t left, uint64_t right)
{
	switch (operation) {
	case BPF_ADD:
		return left + right;
	case BPF_RSH:
		return left >> right;
	default: /* BPF_MOV */
		return right;
	}
}

/* Bytes that a load or store moves. */
static inline size_t weir_bpf_width(uint8_t code)
{
	static const uint8_t widths[] = { 4, 2, 1, 8 };

	return widths[BPF_SIZE(code) >> 3];
}

static inline uint64_t weir_bpf_load_memory(uint64_t address, size_t width)
{
	const void *from = (const void *)(uintptr_t)address;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;

	switch (width) {
	case 1:
		memcpy(&u8, from, sizeof(u8));
		return u8;
	case 2:
		memcpy(&u16, from, sizeof(u16));
		return u16;
	case 4:
		memcpy(&u32, from, sizeof(u32));
		return u32;
	default:
		memcpy(&u64, from, sizeof(u64));
		return u64;
	}
}

static inline void weir_bpf_store_memory(uint64_t address, size_t width, uint64_t value)
{
	void *to = (void *)(uintptr_t)address;
	uint8_t u8 = (uint8_t)value;
	uint16_t u16 = (uint16_t)value;
	uint32_t u32 = (uint32_t)value;

	switch (width) {
	case 1:
		memcpy(to, &u8, sizeof(u8));
		break;
	case 2:
		memcpy(to, &u16, sizeof(u16));
		break;
	case 4:
		memcpy(to, &u32, sizeof(u32));
		break;
	default:
		memcpy(to, &value, sizeof(value));
	}
}

static inline uint64_t weir_bpf_wide(struct weir_bpf_machine *machine, const struct bpf_insn *insn)
{
	if (insn->src_reg == BPF_PSEUDO_MAP_IDX_VALUE)
		return (uintptr_t)machine->data + (uint32_t)insn[1].imm;
	return (uint32_t)insn[0].imm | (uint64_t)(uint32_t)insn[1].imm << 32;
}

/* Carries out one instruction; returns by how much to go on. Not for BPF_EXIT. */
static inline int weir_bpf_step(struct weir_bpf_machine *machine, const struct bpf_insn *insn)
{
	uint64_t *to = &machine->reg[insn->dst_reg];
	uint64_t from = machine->reg[insn->src_reg];
	uint64_t right = BPF_SRC(insn->code) == BPF_X ? from : (uint64_t)(int64_t)insn->imm;
	size_t width = weir_bpf_width(insn->code);
	uint64_t offset = (uint64_t)(int64_t)insn->off;

	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
		*to = weir_bpf_wide(machine, insn);
		return 2;
	case BPF_LDX:
		*to = weir_bpf_load_memory(from + offset, width);
		return 1;
	case BPF_STX:
		weir_bpf_store_memory(*to + offset, width, from);
		return 1;
	case BPF_ST:
		weir_bpf_store_memory(*to + offset, width, (uint64_t)(int64_t)insn->imm);
		return 1;
	case BPF_ALU64:
		*to = weir_bpf_compute(BPF_OP(insn->code), *to, right);
		return 1;
	default:
		break;
	}
	if (BPF_OP(insn->code) == BPF_CALL) {
		machine->reg[0] = weir_bpf_call(machine, insn->imm);
		return 1;
	}
	return weir_bpf_holds(BPF_OP(insn->code), *to, right) ? 1 + insn->off : 1;
}

static inline int weir_bpf_interpret(struct bpf_load_and_run_opts *opts,
				     struct weir_bpf_attempt *attempt)
{
	const struct bpf_insn *insn = (const struct bpf_insn *)opts->insns;
	struct weir_bpf_machine machine;

	memset(&machine, 0, sizeof(machine));
	machine.attempt = attempt;
	machine.query = -1;
	machine.reg[1] = (uintptr_t)opts->ctx;
	machine.reg[10] = (uintptr_t)(machine.stack + sizeof(machine.stack) / sizeof(uint64_t));
	machine.data = (uint8_t *)malloc(opts->data_sz);
	if (!machine.data)
		return -ENOMEM;
	/* The program fills in descriptors and addresses. */
	memcpy(machine.data, opts->data, opts->data_sz);

	while (insn->code != (BPF_JMP | BPF_EXIT))
		insn += weir_bpf_step(&machine, insn);

	free(machine.data);
	if (machine.query >= 0)
		close(machine.query);
	return (int)machine.reg[0];
}

/* In place of bpf_load_and_run(): 0, or a negative errno with errno set, and what failed noted. */
static inline int weir_bpf_load_and_run(struct bpf_load_and_run_opts *opts,
					struct weir_bpf_attempt *attempt)
{
	int err;

	if (!weir_bpf_knows_all((const struct bpf_insn *)opts->insns,
				opts->insns_sz / (uint32_t)sizeof(struct bpf_insn)))
		return bpf_load_and_run(opts);
	err = weir_bpf_interpret(opts, attempt);
	if (err >= 0)
		return 0;
	opts->errstr = "failed to execute loader prog";
	errno = -err;
	return err;
}

/* The name that a loaded program was given, in 15 bytes. */
static inline void weir_bpf_note_program(struct weir_bpf_attempt *attempt, uint32_t command,
					 int program)
{
	struct bpf_prog_info info;
	union bpf_attr attr;

	memset(&info, 0, sizeof(info));
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)program;
	attr.info.info_len = sizeof(info);
	attr.info.info = (uintptr_t)&info;
	if (!skel_sys_bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)))
		weir_bpf_note(attempt, command, info.name, sizeof(info.name));
}

/*
 * In place of skel_raw_tracepoint_open(): -1 with errno, and noted. A program that the
 * kernel knows the tracepoint of itself comes without a name.
 */
static inline int weir_bpf_attach_to(struct weir_bpf_attempt *attempt, const char *name,
				     int program)
{
	int link = skel_raw_tracepoint_open(name, program);
	int err = errno;

	if (link >= 0)
		return link;
	if (name)
		weir_bpf_note(attempt, BPF_RAW_TRACEPOINT_OPEN, name, strlen(name));
	else
		weir_bpf_note_program(attempt, BPF_RAW_TRACEPOINT_OPEN, program);
	errno = err;
	return link;
}

#endif
