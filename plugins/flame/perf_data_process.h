/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who the processes of a recording are, and what is mapped in them, at the moment to which its
 * records have been applied: they come in the order of time, so that no past is kept.
 */
#ifndef FLAME_PERF_DATA_PROCESS_H
#define FLAME_PERF_DATA_PROCESS_H

#include <stdbool.h>

#include <weir/plugin.h>

#include "intmap.h"

enum {
	PERF_DATA_MAPS_MAX = 1 << 16, /* in one space, as the kernel's own default */
	PERF_DATA_ID_MAX = 20,
};

#define PERF_DATA_KERNEL_PID UINT32_MAX /* whose mappings are the kernel's code */

#define PERF_DATA_CORE "[kernel.kallsyms]" /* how the path of the kernel itself begins */

enum perf_data_map_kind {
	PERF_DATA_CODE,
	PERF_DATA_NO_CODE,  /* mapped, but not to be executed */
	PERF_DATA_FUNCTION, /* made at run time in the kernel: the path is its name */
	PERF_DATA_PROGRAM,  /* such a one that is a BPF program */
};

/* What is mapped: a path and an identity. */
struct perf_data_object {
	uint32_t path; /* id of the processes' texts */
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t build_id_size; /* 0: not known */
	uint64_t inode;
	uint8_t build_id[PERF_DATA_ID_MAX];
	uint32_t asked; /* a choice of who looks for the file */
};

struct perf_data_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint32_t object; /* place in objects */
	uint32_t kind;   /* enum perf_data_map_kind */
};

/* Mappings that do not overlap, by address. Shared by processes until one of them changes it. */
struct perf_data_space {
	uint32_t references;
	uint32_t version; /* another one after each change; never used again */
	uint32_t count;
	uint32_t capacity;
	struct perf_data_map *maps;
};

struct perf_data_task {
	uint32_t pid;
	struct perf_data_space *space; /* NULL: nothing is known */
	bool exec;                     /* the next mapping is of another program */
};

struct perf_data_thread {
	uint32_t tid;
	uint32_t comm; /* text; 0: not known */
};

/* The kernel's own code, which stays while its programs and modules come and go. */
struct perf_data_core {
	uint64_t start;
	uint64_t end; /* 0: not known */
	uint32_t version;
};

/* All zero, but for ctx and texts, is an empty table. */
struct perf_data_processes {
	struct weir_ctx *ctx;
	struct weir_names *texts; /* comms and paths */
	struct perf_data_object *objects;
	uint32_t object_count;
	uint32_t object_capacity;
	struct intmap paths; /* (path, nth with it) to the object's place + 1 */
	struct perf_data_task *tasks;
	uint32_t task_count;
	uint32_t task_capacity;
	struct intmap pids; /* to the task's place + 1 */
	struct perf_data_thread *threads;
	uint32_t thread_count;
	uint32_t thread_capacity;
	struct intmap tids; /* to the thread's place + 1 */
	uint32_t versions;
	struct perf_data_core core;
	uint64_t refused; /* mappings beyond PERF_DATA_MAPS_MAX */
};

int perf_data_processes_init(struct perf_data_processes *processes, struct weir_ctx *ctx);
void perf_data_processes_clear(struct perf_data_processes *processes);

/* What the records say. 0 or -ENOMEM. `object` without its path's id where path is given. */
int perf_data_map_add(struct perf_data_processes *processes, uint32_t pid,
		      struct perf_data_map *map, const char *path,
		      const struct perf_data_object *object);
int perf_data_map_remove(struct perf_data_processes *processes, uint32_t pid, uint64_t start,
			 uint64_t end);
int perf_data_comm_set(struct perf_data_processes *processes, uint32_t pid, uint32_t tid,
		       const char *comm, size_t length, bool exec);
int perf_data_fork(struct perf_data_processes *processes, uint32_t pid, uint32_t ppid, uint32_t tid,
		   uint32_t ptid);

/* NULL: nothing is known of the process. */
const struct perf_data_space *perf_data_space_of(const struct perf_data_processes *processes,
						 uint32_t pid);
const struct perf_data_map *perf_data_map_at(const struct perf_data_space *space, uint64_t address);
/* A text, 0: not known. */
uint32_t perf_data_comm_of(const struct perf_data_processes *processes, uint32_t tid);

/* perf_data_space.c */
/* Puts a mapping in the place of what it covers; NULL as `map`: only takes that away. 0 or -ENOMEM. */
int perf_data_space_replace(struct perf_data_space *space, uint64_t start, uint64_t end,
			    const struct perf_data_map *map);
struct perf_data_space *perf_data_space_copy(const struct perf_data_space *space);
void perf_data_space_release(struct perf_data_space *space);

#endif
