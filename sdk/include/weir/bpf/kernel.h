/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's structures, as far as weir's BPF programs read them, and what differs between
 * kernel versions. Only members that are read: their offsets are those of the running kernel
 * (CO-RE), so neither order nor gaps matter, and no vmlinux.h is needed.
 *
 * Light skeletons have the kernel itself relocate these accesses: Linux 5.17 is the floor.
 */
#ifndef WEIR_BPF_KERNEL_H
#define WEIR_BPF_KERNEL_H

#include <linux/types.h>

#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
};

struct request_queue {
	struct gendisk *disk; /* NULL for a queue without a disk, such as NVMe's admin queue */
};

struct request {
	struct request_queue *q;
	__u32 cmd_flags;
	__u32 __data_len; /* bytes still to be done */
};

struct kernfs_node {
	__u64 id; /* what user space sees as the directory's inode */
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[1]; /* Linux 6.1; by level, from the root on */
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
};

struct css_set {
	struct cgroup_subsys_state *subsys[1];
	struct cgroup *dfl_cgrp;
};

typedef struct {
	__u32 val;
} kuid_t;

struct cred {
	kuid_t uid;
};

struct mm_struct {
	unsigned long arg_start;
	unsigned long arg_end;
};

struct task_struct {
	int pid;  /* of the thread */
	int tgid; /* of the process */
	int exit_code;
	char comm[16];
	__u64 start_time; /* CLOCK_MONOTONIC ns */
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	const struct cred *cred;
	struct css_set *cgroups;
	struct mm_struct *mm;
};

#pragma clang attribute pop

/* Controllers of cgroups: each kernel numbers those that it was built with. */
enum cgroup_subsys_id {
	cpu_cgrp_id = 100,
	memory_cgrp_id = 101,
	pids_cgrp_id = 102,
};

/* The running kernel's value of an enumerator, or -1. */
#define WEIR_ENUM(type_, enumerator_)                                                              \
	(bpf_core_enum_value_exists(type_, enumerator_)                                            \
		 ? (int)bpf_core_enum_value(type_, enumerator_)                                    \
		 : -1)

/* The low bits of cmd_flags. */
#define WEIR_REQ_OP_MASK 0xff

/* The operation that all kernels number alike and a program has to know. */
#define WEIR_REQ_OP_WRITE 1

#endif
