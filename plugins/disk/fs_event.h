/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by fs.bpf.c and the user side of disk.fs. Includes nothing but the SDK's shared headers,
 * which include nothing either. Fixed-width members only; sizes are asserted, so that both
 * compilers agree on every byte.
 */
#ifndef FS_EVENT_H
#define FS_EVENT_H

#include <weir/bpf/histogram_cells.h>
#include <weir/bpf/path_event.h>
#include <weir/bpf/slot_pool.h>
#include <weir/bpf/task_event.h>

/* Bits of the option `report`. */
enum fs_report { FS_LATENCY = 1 << 0, FS_SLOW = 1 << 1 };

/* What has a histogram of its own: bits of the option `by`. */
enum fs_by { FS_BY_OP = 1 << 0, FS_BY_FS = 1 << 1, FS_BY_DISK = 1 << 2, FS_BY_PID = 1 << 3 };

enum fs_op { FS_READ, FS_WRITE, FS_OPEN, FS_SYNC, FS_OPS };

/* How a call tells where in the file it works. */
enum fs_place {
	FS_PLACE_NONE,     /* it does not */
	FS_PLACE_POSITION, /* the file's own position */
	FS_PLACE_ARGUMENT, /* its fourth argument; -1, of preadv2: the file's position */
	FS_PLACE_SECOND,   /* its second argument */
};

/* System calls have numbers below this one. */
#define FS_NUMBERS 512

/* What a system call does, by its number. */
struct fs_call {
	unsigned char index; /* in the user side's table, plus one; 0: not looked at */
	unsigned char op;    /* enum fs_op */
	unsigned char place; /* enum fs_place */
	unsigned char open;  /* enum open_call, of FS_OPEN */
};

/* The kernel's names of file systems are shorter in all cases known. */
#define FS_NAME_LENGTH 16

/* File systems that --fs may name, and those that are none but look like it. */
#define FS_NAMES_MAX 32

/* Of a disk: the kernel's DISK_NAME_LEN. */
#define FS_DISK_LENGTH 32

/* Histograms that may be active in two windows; by process there are more. */
#define FS_SLOTS     128
#define FS_PID_SLOTS 1024

/* Histograms reach from 128 ns to 2^37 ns, 137 s. */
#define FS_FIRST WEIR_HISTOGRAM_FIRST(7)

/* What a histogram is about. What `by` leaves out is 0. */
struct fs_key {
	unsigned long long type; /* address of the kernel's struct file_system_type */
	unsigned int dev;        /* the kernel's number of the file system's device */
	unsigned int op;         /* enum fs_op */
	unsigned int pid;
	unsigned int reserved;
};

/* Slot 0 takes what finds no other. Names are written once, before the first count. */
struct fs_slot {
	struct fs_key key;
	unsigned int known; /* the key leads here */
	unsigned int reserved;
	char fs[FS_NAME_LENGTH];
	char disk[FS_DISK_LENGTH]; /* whole; "": the file system has none */
	char comm[WEIR_COMM_LENGTH];
	unsigned long long bytes;
	unsigned long long errors;
	unsigned long long pad[2];
	struct weir_histogram_cells latency;
};

_Static_assert(sizeof(struct fs_slot) == 2096, "fs_slot: kernel and user differ");

/* A slow call that has come back. Behind it: a path, which begins with a struct weir_path_head. */
struct fs_event {
	struct weir_task_id task;
	unsigned long long time_ns; /* CLOCK_MONOTONIC, when it came back */
	unsigned long long latency_ns;
	long long result;
	unsigned long long offset; /* ~0: none, or not known */
	unsigned long long inode;  /* 0: no file was opened */
	unsigned int fd;
	unsigned char call; /* index in the user side's table, plus one */
	unsigned char reserved[3];
	char fs[FS_NAME_LENGTH]; /* "": no file was opened */
	char disk[FS_DISK_LENGTH];
};

_Static_assert(sizeof(struct fs_event) == 136, "fs_event: kernel and user differ");

/* Counted atomically; emptied by weir_cell_take(). */
struct fs_totals {
	unsigned long long full; /* calls not timed: too many threads were in one */
	unsigned long long gone; /* calls whose file was closed, and forgotten, before they ended */
};

_Static_assert(sizeof(struct fs_totals) == 16, "fs_totals: kernel and user differ");

#endif
