/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells of every program that is started. Its arguments are read where the kernel has put them for
 * it, after the old program was replaced: they are in memory then, whereas those of the call may
 * lie in pages that were never touched.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/task.h>

#include "exec_below.h"
#include "exec_scratch.h"

/* The arguments lie one behind the other, at the top of the new stack. */
static __always_inline void read_args(struct scratch *scratch, __u64 start, __u64 end)
{
	__u32 length = end - start > EXEC_ARGS_MAX ? EXEC_ARGS_MAX : (__u32)(end - start);
	__u32 path = scratch->event.path_length;

	scratch->event.args_bytes = end - start;
	/* The compiler must not check another copy of it than it uses: the verifier would not see. */
	barrier_var(length);
	if (path > EXEC_PATH_MAX || length > EXEC_ARGS_MAX)
		return;
	if (bpf_probe_read_user(scratch->text + path, length, (const void *)start))
		scratch->event.unreadable = 1;
	else
		scratch->event.args_length = length;
}

SEC("raw_tp/sched_process_exec")
int BPF_PROG(process_exec, struct task_struct *task, int old_pid, struct linux_binprm *bprm)
{
	__u64 start = BPF_CORE_READ(task, mm, arg_start);
	__u64 end = BPF_CORE_READ(task, mm, arg_end);
	struct scratch *scratch;
	long length;

	if (!exec_current_wanted())
		return 0;
	scratch = scratch_get();
	if (!scratch)
		return 0;

	scratch_begin(scratch, 0);
	scratch->event.args_count = BPF_CORE_READ(bprm, argc);
	length = bpf_probe_read_kernel_str(scratch->text, EXEC_PATH_MAX,
					   BPF_CORE_READ(bprm, filename));
	if (length > 0)
		scratch->event.path_length = length;
	read_args(scratch, start, end);
	scratch_send(scratch);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
