/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding a type of the running kernel by its name, and the small programs which that takes.
 * All functions: any thread, no global state, negative errno on failure.
 */
#ifndef WEIR_BPF_BTF_ID_H
#define WEIR_BPF_BTF_ID_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <bpf/skel_internal.h>

/* Loads a program; returns its descriptor. */
static inline int weir_bpf_program(enum bpf_prog_type type, const struct bpf_insn *code,
				   uint32_t length, uint32_t attach_type, uint32_t btf_id)
{
	union bpf_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = length;
	attr.license = (uintptr_t) "Dual BSD/GPL";
	attr.prog_flags = type == BPF_PROG_TYPE_SYSCALL ? BPF_F_SLEEPABLE : 0;
	attr.expected_attach_type = attach_type;
	attr.attach_btf_id = btf_id;

	fd = skel_sys_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
	return fd < 0 ? -errno : fd;
}

/* Runs a program of type syscall, which may write to ctx. */
static inline int weir_bpf_run(int program, void *ctx, uint32_t ctx_size)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)program;
	attr.test.ctx_in = (uintptr_t)ctx;
	attr.test.ctx_size_in = ctx_size;

	return skel_sys_bpf(BPF_PROG_RUN, &attr, sizeof(attr)) < 0 ? -errno : 0;
}

/* What weir_bpf_query_run() and its program tell each other. */
struct weir_bpf_query {
	char name[64]; /* filled up with NUL */
	uint64_t kind;
	uint64_t answer; /* id or negative errno; above, the descriptor of a module's BTF */
};

/* All members, as C++ wants them: code, dst_reg, src_reg, off, imm. */
#define WEIR_SET(to_, value_)                                                                      \
	{                                                                                          \
		BPF_ALU64 | BPF_MOV | BPF_K, (to_), 0, 0, (value_)                                 \
	}
#define WEIR_ADD(to_, value_)                                                                      \
	{                                                                                          \
		BPF_ALU64 | BPF_ADD | BPF_K, (to_), 0, 0, (value_)                                 \
	}
#define WEIR_MOVE(to_, from_)                                                                      \
	{                                                                                          \
		BPF_ALU64 | BPF_MOV | BPF_X, (to_), (from_), 0, 0                                  \
	}
#define WEIR_LOAD(to_, from_, offset_)                                                             \
	{                                                                                          \
		BPF_LDX | BPF_MEM | BPF_DW, (to_), (from_), (offset_), 0                           \
	}
#define WEIR_STORE(to_, offset_, from_)                                                            \
	{                                                                                          \
		BPF_STX | BPF_MEM | BPF_DW, (to_), (from_), (offset_), 0                           \
	}
#define WEIR_CALL(function_)                                                                       \
	{                                                                                          \
		BPF_JMP | BPF_CALL, 0, 0, 0, (function_)                                           \
	}
#define WEIR_EXIT                                                                                  \
	{                                                                                          \
		BPF_JMP | BPF_EXIT, 0, 0, 0, 0                                                     \
	}
#define WEIR_TO_STACK(offset_) WEIR_LOAD(1, 6, (offset_)), WEIR_STORE(10, (offset_)-64, 1)

/* Loads the program that answers a struct weir_bpf_query; returns its descriptor. */
static inline int weir_bpf_query_program(void)
{
	static const struct bpf_insn code[] = {
		/* Kernels before 6.0 let no helper read the context: the name goes to the stack. */
		WEIR_MOVE(6, 1),
		WEIR_TO_STACK(0),
		WEIR_TO_STACK(8),
		WEIR_TO_STACK(16),
		WEIR_TO_STACK(24),
		WEIR_TO_STACK(32),
		WEIR_TO_STACK(40),
		WEIR_TO_STACK(48),
		WEIR_TO_STACK(56),
		WEIR_MOVE(1, 10),
		WEIR_ADD(1, -64),
		WEIR_SET(2, 64),
		WEIR_LOAD(3, 6, offsetof(struct weir_bpf_query, kind)),
		WEIR_SET(4, 0),
		WEIR_CALL(BPF_FUNC_btf_find_by_name_kind),
		WEIR_STORE(6, offsetof(struct weir_bpf_query, answer), 0),
		WEIR_SET(0, 0),
		WEIR_EXIT,
	};

	return weir_bpf_program(BPF_PROG_TYPE_SYSCALL, code, sizeof(code) / sizeof(code[0]), 0, 0);
}

#undef WEIR_TO_STACK
#undef WEIR_EXIT
#undef WEIR_CALL
#undef WEIR_STORE
#undef WEIR_LOAD
#undef WEIR_MOVE
#undef WEIR_ADD
#undef WEIR_SET

/* Asks a program of weir_bpf_query_program(), which may be its error: query->answer or errno. */
static inline int64_t weir_bpf_query_run(int program, struct weir_bpf_query *query)
{
	int err = program < 0 ? program : weir_bpf_run(program, query, sizeof(*query));

	return err < 0 ? err : (int64_t)query->answer;
}

/*
 * The id of a type of the running kernel, by name and BTF_KIND_; -ENOENT if it has none such.
 * A small program asks the kernel: under 1 ms, where reading all BTF here takes 8 ms and 11 MB.
 */
static inline int weir_bpf_btf_id(const char *name, uint32_t kind)
{
	struct weir_bpf_query query;
	int program;
	int64_t answer;

	memset(&query, 0, sizeof(query));
	query.kind = kind;
	if (strlen(name) >= sizeof(query.name))
		return -ENAMETOOLONG;
	memcpy(query.name, name, strlen(name));

	program = weir_bpf_query_program();
	answer = weir_bpf_query_run(program, &query);
	if (program >= 0)
		close(program);
	if (answer > 0 && answer >> 32)
		close((int)(answer >> 32));
	return (int)answer;
}

#endif
