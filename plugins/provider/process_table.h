/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes over time: which process a pid was at a moment, its threads' names, its address
 * spaces. Fed by what the kernel tells (process_sideband.c) and what /proc shows (process_scan.c);
 * does no input of its own. Records may come in any order between processes, and twice.
 */
#ifndef PROCESS_TABLE_H
#define PROCESS_TABLE_H

#include "process_space.h"

#define PROCESS_COMM_SIZE 16

/* A name that a thread had from `time` on. */
struct process_thread {
	uint64_t time;
	uint64_t end; /* when the thread ended, or got the next name; 0: it still has it */
	uint32_t tid;
	uint32_t reserved;
	char comm[PROCESS_COMM_SIZE];
};

/* One life of a pid. */
struct process {
	struct process *next;       /* of the bucket: of one pid, the younger first */
	struct process *next_ended; /* of the ended ones, in the order of their end */
	uint32_t pid;
	uint32_t ppid;     /* 0: not known */
	uint64_t start;    /* 0: not known, as it was there before weir and was not read yet */
	uint64_t end;      /* 0: still there */
	uint64_t scanned;  /* /proc told the state of then: older records are part of it */
	uint64_t verified; /* when /proc said last that the pid is still this one's */
	uint64_t rescan;   /* not to be looked at in /proc again before */
	uint64_t rescan_pause;
	uint32_t live_threads;          /* 0: not known, likewise */
	uint32_t weight;                /* what it takes of the bound on ended processes */
	struct process_thread *threads; /* by tid, then by time */
	uint32_t thread_count;
	uint32_t thread_capacity;
	struct process_space **spaces; /* by time */
	uint32_t space_count;
	char *cgroup;    /* NULL: not asked for yet */
	char *container; /* with cgroup */
	char *cgroups;   /* with cgroup: of all hierarchies, as in /proc/PID/cgroup */
};

/* A life that was forgotten, so that late questions for it can be counted. */
struct process_forgotten {
	uint32_t pid;
	uint64_t start;
	uint64_t end;
};

#define PROCESS_FORGOTTEN 1024 /* a power of two */

struct process_table {
	struct process_store store;
	struct process **buckets;
	uint32_t bucket_count;
	uint32_t count;
	struct process *ended_first;
	struct process *ended_last;
	uint64_t ended_weight;
	uint64_t ended_weight_max;
	uint64_t lost_at; /* last time that records were lost: completeness ends there */
	struct process_forgotten forgotten[PROCESS_FORGOTTEN];
};

/* `keep`: ns for which ended processes are kept; `most`: how many mappings of theirs. */
int process_table_init(struct process_table *table, uint64_t keep, uint64_t most);
void process_table_clear(struct process_table *table); /* zeroed memory is allowed */

/* process_record.c: the kernel's records. 0 or -ENOMEM. */
int process_table_fork(struct process_table *table, uint64_t time, uint32_t pid, uint32_t ppid,
		       uint32_t tid, uint32_t ptid);
int process_table_exit(struct process_table *table, uint64_t time, uint32_t pid, uint32_t tid);
int process_table_comm(struct process_table *table, uint64_t time, uint32_t pid, uint32_t tid,
		       const char *comm, bool exec);
int process_table_map(struct process_table *table, uint32_t pid,
		      const struct process_mapped *mapped);

/* A process that was found in /proc. NULL: no memory. */
struct process *process_table_add(struct process_table *table, uint32_t pid, uint64_t start);
/* A name of one of its threads, from `time` on. 0 or -ENOMEM. */
int process_set_comm(struct process *process, uint64_t time, uint32_t tid, const char *comm);

/* Who had that pid at that time, or NULL. */
struct process *process_table_find(const struct process_table *table, uint32_t pid, uint64_t time);
/* True when all is known of who has it: the kernel told it from the beginning, or /proc did. */
bool process_table_whole(const struct process_table *table, uint32_t pid, uint64_t now);
/* True when there was one, which has been forgotten. */
bool process_table_forgot(const struct process_table *table, uint32_t pid, uint64_t time);

/* The space that it had at that time; NULL: none is known. */
struct process_space *process_space_at(const struct process *process, uint64_t time);
/* What held the address at that time in the process; NULL: nothing that is known. */
const struct process_map *process_map_at(const struct process *process, uint64_t time,
					 uint64_t address);
/* The name that it had; NULL: not known. */
const struct process_thread *process_thread_at(const struct process *process, uint32_t tid,
					       uint64_t time);

/* The place of the first name that is of a later tid, or of the same tid and younger. */
uint32_t process_thread_above(const struct process *process, uint32_t tid, uint64_t time);

/* Ends a process of which the kernel has not told that it ended. */
void process_table_end(struct process_table *table, struct process *process, uint64_t time);
/* Forgets what ended too long ago, or is too much. */
void process_table_forget(struct process_table *table, uint64_t now);

#endif
