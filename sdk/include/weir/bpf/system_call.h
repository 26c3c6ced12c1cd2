/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: the arguments of the system call that the current thread is in, still there when the
 * call ends. So a tool needs no program at its beginning, and no table of calls under way.
 */
#ifndef WEIR_BPF_SYSTEM_CALL_H
#define WEIR_BPF_SYSTEM_CALL_H

#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <weir/bpf/kernel.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct pt_regs___x86 {
	unsigned long di, si, dx, r10;
	unsigned long orig_ax; /* the call's number */
};

struct pt_regs___arm64 {
	__u64 regs[31];
	__u64 orig_x0; /* regs[0] becomes the call's result */
	int syscallno;
};

struct thread_info___x86 {
	unsigned int status;
};

struct thread_info___arm64 {
	unsigned long flags;
};

struct task_struct___x86 {
	struct thread_info___x86 thread_info;
};

struct task_struct___arm64 {
	struct thread_info___arm64 thread_info;
};

#pragma clang attribute pop

/* Of the six arguments that a call can have. */
#define WEIR_CALL_ARGS 4

static __always_inline void weir_call_args(__u64 *args)
{
	const void *regs = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	const struct pt_regs___x86 *x86 = regs;
	const struct pt_regs___arm64 *arm64 = regs;

	/* Read as they are: the verifier knows what the helper returns. */
	if (bpf_core_field_exists(x86->r10)) {
		args[0] = x86->di;
		args[1] = x86->si;
		args[2] = x86->dx;
		args[3] = x86->r10;
	} else {
		args[0] = arm64->orig_x0;
		args[1] = arm64->regs[1];
		args[2] = arm64->regs[2];
		args[3] = arm64->regs[3];
	}
}

/* The number of the call, for programs that run at the end of all of them. */
static __always_inline __u32 weir_call_number(void)
{
	const void *regs = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	const struct pt_regs___x86 *x86 = regs;
	const struct pt_regs___arm64 *arm64 = regs;

	return bpf_core_field_exists(x86->orig_ax) ? (__u32)x86->orig_ax : (__u32)arm64->syscallno;
}

#define WEIR_X86_TS_COMPAT   (1u << 1)
#define WEIR_ARM64_TIF_32BIT (1ul << 22)

/* True in a call of a 32-bit program on a 64-bit kernel, whose numbers are others. */
static __always_inline int weir_call_is_compat(void)
{
	const void *task = (const void *)bpf_get_current_task_btf();
	const struct task_struct___x86 *x86 = task;
	const struct task_struct___arm64 *arm64 = task;

	if (bpf_core_field_exists(x86->thread_info.status))
		return (x86->thread_info.status & WEIR_X86_TS_COMPAT) != 0;
	return (arm64->thread_info.flags & WEIR_ARM64_TIF_32BIT) != 0;
}

#endif
