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

#pragma clang attribute pop

/* The low bits of cmd_flags. */
#define WEIR_REQ_OP_MASK 0xff

/* The operation that all kernels number alike and a program has to know. */
#define WEIR_REQ_OP_WRITE 1

#endif
