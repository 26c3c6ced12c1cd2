/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: names of code that the recorded processes made, by the jitdump that they mapped or by their
 * perf map: of this machine where it recorded, else out of a folder that the user names.
 */
#ifndef FLAME_PERF_DATA_JIT_H
#define FLAME_PERF_DATA_JIT_H

#include "intmap.h"
#include "jit_process.h"

struct perf_data;

/* All zero: nothing is known. */
struct perf_data_jit {
	struct jit_process **processes;
	uint32_t count;
	struct intmap pids;   /* to place in processes + 1 */
	struct intmap frames; /* (code, process and kind) to a frame's number */
	bool other_clock;     /* the recording's times are not those of dumps */
	bool clock_said;
};

/* A frame as it was looked up without the help of its process. */
struct perf_data_made {
	uint32_t pid;
	uint64_t time;
	uint64_t address;
	uint32_t kind;   /* tells frames of one address apart */
	uint32_t number; /* of the frame that has no name */
};

/* A mapping: it may be the mark of a jitdump. 0 or -ENOMEM. */
int perf_data_jit_see(struct perf_data *data, uint32_t pid, const char *path, uint64_t inode);

/* The frame's number with its name, or as it was; 0: no memory. */
uint32_t perf_data_jit_frame(struct perf_data *data, const struct perf_data_made *made);

/* Whose code stayed without names, and what would help. */
void perf_data_jit_report(struct perf_data *data);

void perf_data_jit_renew(struct perf_data_jit *jit); /* numbers of frames are of an earlier epoch */
void perf_data_jit_clear(struct perf_data_jit *jit);

#endif
