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
};

struct pt_regs___arm64 {
	__u64 regs[31];
	__u64 orig_x0; /* regs[0] becomes the call's result */
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

#endif
