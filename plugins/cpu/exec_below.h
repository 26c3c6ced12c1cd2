/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF side: whether a process is one that the user asked for, or was started below it. */
#ifndef EXEC_BELOW_H
#define EXEC_BELOW_H

#include <weir/bpf/task.h>

/* Set by the user side before load: this process and those below it only; 0: all. */
const volatile __u32 only_below = 0;

#define EXEC_DEPTH_MAX 32

/* Not static, so that the verifier checks the loop once. */
__noinline int exec_is_below(__u64 address)
{
	struct task_struct *task = (struct task_struct *)address;
	int i;

	for (i = 0; i < EXEC_DEPTH_MAX; i++) {
		__u32 pid = BPF_CORE_READ(task, tgid);

		if (pid == only_below)
			return 1;
		if (pid <= 1)
			return 0;
		task = BPF_CORE_READ(task, real_parent);
	}
	return 0;
}

static __always_inline int exec_current_wanted(void)
{
	return weir_current_wanted() && (!only_below || exec_is_below(bpf_get_current_task()));
}

#endif
