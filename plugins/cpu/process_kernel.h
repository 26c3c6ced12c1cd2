/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: what cpu.process alone reads of the kernel's structures, as flavours, whose names CO-RE
 * cuts at "___".
 */
#ifndef PROCESS_KERNEL_H
#define PROCESS_KERNEL_H

#include <weir/bpf/kernel.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct sched_entity___process {
	__u64 sum_exec_runtime;
};

struct sched_info___process {
	__u64 run_delay; /* Linux 6.15 and before: unsigned long long, the same */
};

struct task_io_accounting___process {
	__u64 read_bytes;
	__u64 write_bytes;
	__u64 cancelled_write_bytes;
};

struct task_delay_info___process {
	__u64 blkio_delay;
};

struct percpu_counter___process {
	__s64 count; /* without what each CPU holds back */
};

struct mm_struct___process {
	unsigned long total_vm;
	unsigned long stack_vm;
	struct percpu_counter___process rss_stat[4];
};

/* Before Linux 6.2. */
struct mm_rss_stat___old {
	struct {
		long counter;
	} count[4];
};

struct mm_struct___old {
	struct mm_rss_stat___old rss_stat;
};

struct signal_struct___process {
	atomic_t live;
	int nr_threads;
};

struct thread_info___process {
	__u32 cpu;
};

struct task_struct___process {
	unsigned int flags;
	unsigned int __state;
	int exit_state;
	int pid;
	int tgid;
	int prio;
	int static_prio;
	char comm[16];
	__u64 start_time;
	__u64 utime;
	__u64 stime;
	__u64 gtime;
	unsigned long nvcsw;
	unsigned long nivcsw;
	unsigned long min_flt;
	unsigned long maj_flt;
	struct thread_info___process thread_info;
	struct sched_entity___process se;
	struct sched_info___process sched_info;
	struct task_io_accounting___process ioac;
	struct task_delay_info___process *delays;
	struct mm_struct___process *mm;
	struct signal_struct___process *signal;
	struct task_struct___process *group_leader;
};

struct bpf_iter_meta___process {
	struct seq_file *seq;
};

struct bpf_iter__task___process {
	struct bpf_iter_meta___process *meta;
	struct task_struct___process *task;
};

#pragma clang attribute pop

/* Of task_struct.flags. */
#define PROCESS_PF_EXITING 0x4
#define PROCESS_PF_KTHREAD 0x200000

/* Places in rss_stat. */
enum { PROCESS_MM_FILE, PROCESS_MM_ANON, PROCESS_MM_SWAP, PROCESS_MM_SHARED };

#endif
