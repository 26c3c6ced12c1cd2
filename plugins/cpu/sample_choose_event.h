/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by sample_choose.bpf.c and sample_choose.c. Includes nothing. A program is known by a number
 * that is made of its file's device and inode.
 */
#ifndef SAMPLE_CHOOSE_EVENT_H
#define SAMPLE_CHOOSE_EVENT_H

#define SAMPLE_PROGRAM_SETS_LOG 9
#define SAMPLE_PROGRAM_WAYS     8
#define SAMPLE_PROCESSES        4096

/* Programs that keep frame pointers; 0: a free way. A program lies in the set of its topmost bits. */
struct sample_program_set {
	__u64 program[SAMPLE_PROGRAM_WAYS];
};

/* What a process runs, at the place of its pid's lowest bits. */
struct sample_process {
	__u64 program;
	__u64 since; /* CLOCK_MONOTONIC ns */
	__u32 pid;   /* 0: free, or being written */
	__u32 pad;
};

_Static_assert(sizeof(struct sample_process) == 24, "sample_process: kernel and user differ");

#endif
