/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Chooses, at each sample, how its user stack is taken. Two events fire at the same rate: one has the
 * kernel walk by frame pointers, the other copies the stack. Of a program that is known to keep
 * frame pointers the copies are dropped before they are made, of all others the walks are.
 *
 * Cycles fire in NMI context: nothing here takes a lock.
 */
#include <linux/bpf.h>

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/kernel_file.h>

#include "sample_choose_event.h"

struct sample_program_set keepers[1 << SAMPLE_PROGRAM_SETS_LOG] = {};
struct sample_process processes[SAMPLE_PROCESSES] = {};

static __always_inline __u64 program_of(struct mm_struct *mm)
{
	struct inode *inode = BPF_CORE_READ(mm, exe_file, f_inode);
	__u64 device = BPF_CORE_READ(inode, i_sb, s_dev);

	/* Fibonacci hashing: 2^64 divided by the golden ratio. */
	return (BPF_CORE_READ(inode, i_ino) ^ device << 32) * 0x9e3779b97f4a7c15ULL;
}

static __always_inline bool is_keeper(__u64 program)
{
	const struct sample_program_set *set = &keepers[program >> (64 - SAMPLE_PROGRAM_SETS_LOG)];
	bool found = false;

	for (__u32 way = 0; way < SAMPLE_PROGRAM_WAYS; way++)
		found |= set->program[way] == program;
	return found && program;
}

/* Two CPUs may write the same place at once: a program may then be taken for another, and cost more. */
static __always_inline void note_process(__u64 program)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	volatile struct sample_process *process = &processes[pid % SAMPLE_PROCESSES];

	if (process->pid == pid && process->program == program)
		return;
	process->pid = 0;
	process->program = program;
	process->since = bpf_ktime_get_ns();
	process->pid = pid;
}

/* A kernel thread has no user stack. */
SEC("perf_event")
int sample_walked(void *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);

	return !mm || is_keeper(program_of(mm));
}

SEC("perf_event")
int sample_copied(void *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	__u64 program;

	if (!mm)
		return 0;
	program = program_of(mm);
	note_process(program);
	return !is_keeper(program);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
