/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of source disk.fs: the system calls it times and the file systems it looks at
 * (fs_calls.c), histograms (fs_latency.c) and slow calls (fs_slow.c).
 */
#ifndef FS_H
#define FS_H

#include <weir/bpf/ring.h>
#include <weir/option.h>
#include <weir/plugin.h>
#include <weir/slots.h>
#include <weir/task_filter.h>

#include "fs_event.h"

#define FS_CALLS 19

/* A system call that is timed. */
struct fs_system_call {
	const char *name;
	uint32_t number; /* FS_NUMBERS or more: this machine has none such */
	uint32_t place;  /* enum fs_place */
	uint32_t op;     /* enum fs_op */
	uint32_t open;   /* enum open_call, of FS_OPEN */
};

extern const struct fs_system_call fs_system_calls[FS_CALLS];

const char *fs_op_name(uint32_t op);

/* A file system's name as the BPF program compares it. */
struct fs_name {
	char text[FS_NAME_LENGTH];
};

/*
 * Fills the names that are looked for, or, where none is, those that are left out. Returns their
 * number, *wanted says which of both; or a negative errno after having failed.
 */
int fs_names_set(struct weir_ctx *ctx, const struct weir_texts *fs, struct fs_name *names,
		 uint32_t *wanted);

/* What one row of histograms adds up. */
struct fs_window {
	char fs[FS_NAME_LENGTH];
	char disk[FS_DISK_LENGTH];
	char comm[WEIR_COMM_LENGTH];
	uint32_t op;
	uint32_t pid;
	uint64_t count;
	uint64_t bytes;
	uint64_t errors;
	struct weir_histogram_cells latency;
};

struct fs_latency {
	struct weir_slots slots;
	struct fs_window *windows;
	uint32_t window_count;
	uint32_t by; /* enum fs_by */
	int slots_fd;
	int index_fd;
};

/* The histograms' columns for a value of `by`, into `fields`. Returns their number. */
#define FS_LATENCY_FIELDS 9
uint32_t fs_latency_fields(uint32_t by, struct weir_field *fields);

uint32_t fs_latency_row_size(void);

/* Sends the histograms of a window. 1: sent, 0: not now, as a queue is full; negative errno. */
int fs_latency_emit(struct weir_ctx *ctx, struct fs_latency *latency, uint32_t output,
		    uint64_t start, uint64_t end);

void fs_latency_release(struct fs_latency *latency);

extern const struct weir_schema *const fs_slow_schema;

/* Adds the row of an event, which is `size` bytes. 0 or a negative errno. */
int fs_slow_add(struct weir_ctx *ctx, struct weir_batch *batch, struct weir_cgroup_names *cgroups,
		const void *bytes, uint32_t size);

#endif
