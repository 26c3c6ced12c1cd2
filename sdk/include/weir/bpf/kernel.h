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
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct list_head {
	struct list_head *next;
	struct list_head *prev;
};

struct gendisk {
	int major;
	int first_minor;
	char disk_name[32];
};

struct request_queue {
	struct gendisk *disk; /* NULL for a queue without a disk, such as NVMe's admin queue */
};

struct block_device {
	struct gendisk *bd_disk; /* the whole disk, of a partition too */
};

struct address_space {
	struct inode *host;
};

struct inode {
	unsigned short i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	long long i_size;
	struct address_space i_data;
};

/*
 * Programs describe any block device and any inode as lying in this, and any cgroup and its state as
 * lying in a cgroup_root. A kernel that relocates a program searches all its types, 0.7 ms each, for
 * every one that is named first in an access, and remembers one for each of 31 hashes of names.
 */
struct bdev_inode {
	struct block_device bdev;
	struct inode vfs_inode;
};

struct bvec_iter {
	__u32 bi_size;
};

struct bio {
	struct block_device *bi_bdev;
	__u32 bi_opf;
	struct bvec_iter bi_iter;
	struct blkcg_gq *bi_blkg; /* with CONFIG_BLK_CGROUP */
};

/* The requests that wait for a flush, first come first: those of the one under way and the next. */
struct blk_flush_queue {
	unsigned int flush_pending_idx : 1;
	unsigned int flush_running_idx : 1;
	struct list_head flush_queue[2];
};

struct blk_mq_hw_ctx {
	struct blk_flush_queue *fq;
};

struct request {
	struct request_queue *q;
	struct blk_mq_hw_ctx *mq_hctx;
	__u32 cmd_flags;
	__u32 __data_len; /* bytes still to be done */
	__u64 __sector;   /* where they are */
	struct bio *bio;  /* what is still to be done; NULL for a flush */
	struct bio *biotail;
	struct list_head queuelist; /* in a flush_queue since Linux 6.6 */
};

/* How a request was in a flush_queue before Linux 6.6. */
struct request___flush_list {
	struct {
		struct list_head list;
	} flush;
};

struct kernfs_node {
	__u64 id; /* what user space sees as the directory's inode */
};

struct cgroup_subsys {
	const char *name;
};

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys *ss;
};

struct cgroup {
	struct cgroup_subsys_state self;
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[1]; /* Linux 6.1; by level, from the root on */
};

struct cgroup_root {
	struct cgroup cgrp;
};

struct blkcg_gq {
	struct cgroup_subsys_state *blkcg; /* a struct blkcg, which begins with its state */
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

struct linux_binprm {
	int argc;
	const char *filename; /* as it was asked for; /dev/fd/N without a name */
};

struct mm_struct {
	unsigned long arg_start;
	unsigned long arg_end;
	struct file *exe_file; /* kernel_file.h */
};

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live; /* threads that have not begun to end */
	unsigned int flags;
	int group_exit_code;
};

struct kthread {
	void *data; /* of a kworker: its struct worker */
};

struct worker {
	char desc[32]; /* the work queue, or what its work said of itself: "flush-8:0" */
};

struct task_struct {
	unsigned int flags;
	void *worker_private; /* of a kernel thread: its struct kthread */
	int pid;              /* of the thread */
	int tgid;             /* of the process */
	int exit_code;
	unsigned int __state; /* 0: wants to run */
	int exit_state;       /* 0: lives */
	int on_cpu;
	unsigned int in_iowait : 1; /* waits for a device, if it waits */
	int on_rq;                  /* 0: neither runs nor waits for a CPU */
	unsigned long nvcsw;        /* switches away, of its own will and not */
	unsigned long nivcsw;
	char comm[16];
	__u64 start_time; /* CLOCK_MONOTONIC ns */
	struct task_struct *real_parent;
	struct task_struct *group_leader;
	const struct cred *cred;
	struct css_set *cgroups;
	struct mm_struct *mm;
	struct fs_struct *fs;       /* kernel_file.h */
	struct files_struct *files; /* kernel_file.h */
	struct signal_struct *signal;
};

/* What programs on iter/task are given. */
struct bpf_iter__task {
	struct task_struct *task; /* NULL: there are no more */
};

#pragma clang attribute pop

/* Any inode, and any block device, as part of a bdev_inode. */
static __always_inline struct bdev_inode *weir_inode_in(struct inode *inode)
{
	return (struct bdev_inode *)((char *)inode -
				     bpf_core_field_offset(struct bdev_inode, vfs_inode));
}

static __always_inline struct bdev_inode *weir_device_in(struct block_device *device)
{
	return (struct bdev_inode *)((char *)device -
				     bpf_core_field_offset(struct bdev_inode, bdev));
}

/*
 * What programs on classic tracepoints of system calls are given. Not relocated: the layout is what
 * events/syscalls/.../format tells everybody, and each further type costs a search of all types.
 */
struct trace_event_raw_sys_enter {
	__u64 common;
	__u64 id;
	unsigned long args[6];
};

struct trace_event_raw_sys_exit {
	__u64 common;
	long id; /* only the low 32 bits are set */
	long ret;
};

/* Of signal_struct's flags: all threads end with group_exit_code. */
#define WEIR_SIGNAL_GROUP_EXIT 4

/* Of task_struct's __state; the same since Linux 4.14. */
#define WEIR_TASK_INTERRUPTIBLE   0x1
#define WEIR_TASK_UNINTERRUPTIBLE 0x2
#define WEIR_TASK_STOPPED         0x4
#define WEIR_TASK_TRACED          0x8
#define WEIR_TASK_PARKED          0x40
#define WEIR_TASK_DEAD            0x80 /* has ended, at its last switch */
#define WEIR_TASK_NOLOAD          0x400

/* The low bits of cmd_flags. */
#define WEIR_REQ_OP_MASK 0xff

/* The operations that all kernels number alike and a program has to know. */
#define WEIR_REQ_OP_WRITE  1
#define WEIR_REQ_OP_FLUSH  2
#define WEIR_REQ_OP_DRIVER 34 /* from here on: commands of the driver's own */

/* Of bi_opf and cmd_flags; the same since Linux 4.10. */
#define WEIR_REQ_PREFLUSH (1 << 18)

/* Of task_struct.flags: a kworker, a kernel thread. */
#define WEIR_PF_WQ_WORKER 0x20
#define WEIR_PF_KTHREAD   0x200000

#endif
