/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The service "process/1": who a pid was at a moment, and what was mapped where, also for
 * processes that are gone by the time one asks.
 *
 * Every call is for the loop thread. Times are CLOCK_MONOTONIC ns. What a call hands out lives
 * until the next call of the service.
 */
#ifndef WEIR_SERVICE_PROCESS_H
#define WEIR_SERVICE_PROCESS_H

#include "../component.h"

#define WEIR_PROCESS_SERVICE "process"
#define WEIR_PROCESS_VERSION 1

/* Of whom to keep a record, at least. No pids and cgroup_fd -1: everybody. */
struct weir_process_scope {
	uint32_t size;
	uint32_t flags;       /* reserved: 0 */
	const uint32_t *pids; /* these processes and their future children */
	uint32_t pid_count;
	int cgroup_fd; /* a directory of the perf_event or v2 hierarchy; -1: no limit by cgroup */
};

struct weir_process_info {
	uint32_t size;
	uint32_t pid;
	uint32_t tid;
	uint32_t ppid;         /* 0: not known */
	uint64_t start;        /* with pid, identifies the process; 0: not known */
	uint64_t end;          /* 0: still there */
	const char *comm;      /* of the thread at that time; "" when not known */
	const char *cgroup;    /* path below its hierarchy; "" when not known */
	const char *container; /* short id or name; "" when in none */
	const char *cgroups; /* in all hierarchies, as /proc/PID/cgroup has it; "" when not known */
};

/* One mapping of an address space. */
struct weir_mapping {
	uint32_t size;
	uint32_t pid;
	uint64_t id; /* the same for the same file (path and identity): a cache's key; never 0 */
	uint64_t start;
	uint64_t end;
	uint64_t file_offset; /* of start */
	const char *path;     /* as its process saw it; "[vdso]", "//anon" */
	uint64_t inode;       /* 0: not known */
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t build_id_size; /* 0: not known */
	uint8_t build_id[20];
	uint32_t executable; /* 1: mapped with PROT_EXEC */
	uint32_t alive;      /* 1: /proc/PID may still be used to reach the file */
};

/* One of many mappings, which lives until it returns; `with` is the caller's own. */
typedef int weir_mapping_fn(const struct weir_mapping *mapping, void *with);

struct weir_process_v1 {
	uint32_t size;
	uint32_t reserved;
	/*
	 * start() of the consumer: begins to keep a record of the scope. Calls add up. A negative
	 * errno when the kernel refuses; then only what /proc says now is known.
	 */
	int (*watch)(struct weir_ctx *self, const struct weir_process_scope *scope);
	/* Takes in everything that the kernel has told until now. Before a run of look-ups. */
	int (*sync)(struct weir_ctx *self);
	/*
	 * Who tid of process pid was at that time. -ESRCH: no such process known. The caller sets
	 * info->size, and with mapping() mapping->size: so much is filled.
	 */
	int (*info)(struct weir_ctx *self, uint32_t pid, uint32_t tid, uint64_t time,
		    struct weir_process_info *info);
	/*
	 * What held that address at that time; a provider need know code (PROT_EXEC) only.
	 * -ESRCH, or -ENOENT: nothing was mapped there. While execve() works, the old program's
	 * mappings are still found, for that is where its registers point.
	 */
	int (*mapping)(struct weir_ctx *self, uint32_t pid, uint64_t time, uint64_t address,
		       struct weir_mapping *mapping);
	/*
	 * Shows all mappings that are known of the process at that time, in any order, those too that
	 * newer ones have covered, until `see` returns something other than 0. What that was, 0, or
	 * -ESRCH. `see` must not call the service. A provider may be too old to have it: WEIR_HAS().
	 */
	int (*mappings)(struct weir_ctx *self, uint32_t pid, uint64_t time, weir_mapping_fn *see,
			void *with);
};

#endif
