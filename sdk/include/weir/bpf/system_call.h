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

/*
 * Not relocated: the layouts are those that ptrace() shows, and struct pt_regs would be one more
 * type to be searched for (see bdev_inode in kernel.h).
 */
struct weir_regs_x86 {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax; /* the call's number */
};

struct weir_regs_arm64 {
	__u64 regs[31];
	__u64 sp, pc, pstate;
	__u64 orig_x0; /* regs[0] becomes the call's result */
	int syscallno;
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

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

/* True on x86-64, false on arm64. */
static __always_inline int weir_is_x86(void)
{
	const struct task_struct___x86 *x86 = 0;

	return bpf_core_field_exists(x86->thread_info.status);
}

static __always_inline void weir_call_args(__u64 *args)
{
	const void *regs = (const void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	const struct weir_regs_x86 *x86 = regs;
	const struct weir_regs_arm64 *arm64 = regs;

	/* Read as they are: the verifier knows what the helper returns. */
	if (weir_is_x86()) {
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

	return weir_is_x86() ? (__u32)((const struct weir_regs_x86 *)regs)->orig_ax
			     : (__u32)((const struct weir_regs_arm64 *)regs)->syscallno;
}

#define WEIR_X86_TS_COMPAT   (1u << 1)
#define WEIR_ARM64_TIF_32BIT (1ul << 22)

/* True in a call of a 32-bit program on a 64-bit kernel, whose numbers are others. */
static __always_inline int weir_call_is_compat(void)
{
	const void *task = (const void *)bpf_get_current_task_btf();

	if (weir_is_x86())
		return (((const struct task_struct___x86 *)task)->thread_info.status &
			WEIR_X86_TS_COMPAT) != 0;
	return (((const struct task_struct___arm64 *)task)->thread_info.flags &
		WEIR_ARM64_TIF_32BIT) != 0;
}

#endif
