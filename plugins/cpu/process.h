/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of cpu.process share. A way (process_bpf.c, process_proc.c) tells of each task
 * what it has used so far; process_tasks.c remembers that until the next sample and keeps what was
 * added; process_rows.c makes rows of it.
 */
#ifndef CPU_PROCESS_H
#define CPU_PROCESS_H

#include <weir/file.h>
#include <weir/plugin.h>
#include <weir/sample.h>
#include <weir/task_filter.h>

#include "process_event.h"

/* Groups of columns that can be asked for. */
enum process_show {
	SHOW_CPU = 1 << 0,
	SHOW_DISK = 1 << 1,
	SHOW_MEMORY = 1 << 2,
	SHOW_SWITCHES = 1 << 3,
	SHOW_FILES = 1 << 4,
	SHOW_COMMAND = 1 << 5,
	SHOW_CGROUP = 1 << 6,
	SHOW_JOB = 1 << 7,
	SHOW_THREADS = 1 << 8, /* not one to ask for: the option threads */
};

enum process_way {
	WAY_AUTO,
	WAY_BPF,
	WAY_PROC,
};

struct process_conf {
	struct weir_task_conf filter;
	uint64_t interval;
	struct weir_texts starters;
	uint32_t show; /* mask of enum process_show */
	uint32_t way;
	bool threads;
	bool all;
	double holds;
};

/* What /proc tells beside the counters of a process: what its children used that it waited for. */
enum { CHILD_USER = PROCESS_COUNTERS, CHILD_SYSTEM, TASK_COUNTERS };

/* What is not a counter, as it is at the sample. */
struct process_about {
	uint64_t cgroup; /* id */
	uint64_t rss;    /* bytes */
	uint64_t vsz;
	uint64_t stack;
	uint64_t swap;
	uint32_t ppid;
	uint32_t uid;
	uint32_t threads;
	uint32_t cpu;
	int32_t priority;
	int32_t nice;
	char comm[WEIR_COMM_LENGTH];
	char state;
};

/* A process or a thread, from one sample to the next. */
struct process_task {
	uint32_t id; /* pid of a process, tid of a thread */
	uint32_t pid;
	uint64_t start;  /* with the id: which one it is; in the way's unit */
	uint32_t sample; /* the last one in which it was there */
	uint32_t ended;  /* processes: threads that ended in this window */
	uint32_t next;   /* 1 + place of the next thread of the process, or of its first one */
	/* At its last sample. Of a process that is told of by threads: those of the first thread. */
	uint64_t last[TASK_COUNTERS];
	uint64_t added[TASK_COUNTERS]; /* in this window; WEIR_ABSENT_U64: not known */
	uint64_t left[TASK_COUNTERS];  /* of it: what threads used that ended, or are not listed */
	uint64_t ran_ns;               /* /proc: by these two it is known not to have run */
	uint64_t ran_times;
	struct process_about about;
	bool known;    /* was there at the end of the last window */
	bool headless; /* its first thread ended, and `last` is void */
	bool gone;     /* all of it ended */
	bool other;    /* not one that was asked for */
};

/* Tasks by their ids. Starts as zeroed memory. */
struct process_tasks {
	struct process_task *items;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* 1 + position in items; 0: free */
	uint32_t slot_mask;
};

/* Processes that lived less than the window, by name. */
struct process_short {
	char comm[WEIR_COMM_LENGTH];
	uint32_t count;
	uint64_t added[TASK_COUNTERS];
};

enum { SHORT_NAMES = 256 };

struct process_bpf_way;
struct process_proc_way;

struct process_state {
	struct process_tasks processes;
	struct process_tasks threads;
	struct process_short *shorts; /* SHORT_NAMES of them; the last one is of all other names */
	uint32_t short_count;
	uint32_t sample; /* number of the one that is being taken; 1 is the first */
	bool gap;        /* a counter went back */
	bool delays;     /* what block devices let tasks wait is counted */
	bool started;
	struct weir_sample_time last;
	struct weir_sample_time now;
	struct process_bpf_way *bpf; /* the way that is used; the other one is NULL */
	struct process_proc_way *proc;
	uint32_t hierarchy; /* whose cgroups are told */
	uint64_t page;
	uint64_t memory; /* bytes of the machine; 0: not known */
	struct weir_task_filter filter;
	struct weir_cgroup_names names;
	struct weir_buffer buffer;
	struct weir_schema schema;
	struct weir_field *fields;
	int proc_fd; /* the folder proc; -1 */
	int stats;   /* holds the kernel's statistics of BPF on; 0: not asked for */
};

/* process_tasks.c */

/* The task of that id, or NULL. */
struct process_task *process_find(const struct process_tasks *tasks, uint32_t id);

/*
 * The task of that id and start. One that is not there is made, as if it had used nothing yet, and
 * is the one of that id from now on. Others may move. NULL: no memory.
 */
struct process_task *process_get(struct process_tasks *tasks, uint32_t id, uint64_t start);

/* What was added to a task's counters [first, end) since it was seen last, which is now. */
void process_delta(struct process_state *st, struct process_task *task, const uint64_t *counters,
		   uint32_t first, uint32_t end, uint64_t *delta);

/* Adds such sets up; absent and something is something. */
void process_sum(uint64_t *to, const uint64_t *from, uint32_t first, uint32_t end);

/* Fills a set. */
void process_set(uint64_t *set, uint64_t value);

/* Adds a process that began and ended within the window. */
void process_add_short(struct process_state *st, const char *comm, const uint64_t *delta);

/* A new window: nothing was added yet, and those that were not there in this sample are forgotten. */
int process_next_window(struct process_tasks *tasks, uint32_t sample);

void process_tasks_release(struct process_tasks *tasks);

/* process_bpf.c. Start: 0, or a negative errno, with the reason in `why`. */
int process_bpf_start(struct weir_ctx *ctx, char *why, size_t size);
int process_bpf_sample(struct weir_ctx *ctx);
int process_bpf_tick(struct weir_ctx *ctx);
void process_bpf_stop(struct process_state *st);
void process_bpf_cost(struct process_state *st, struct weir_cost *cost);

/* process_proc.c */
int process_proc_start(struct weir_ctx *ctx);
int process_proc_sample(struct weir_ctx *ctx);
void process_proc_stop(struct process_state *st);

/* process_rows.c */
int process_bind(struct weir_ctx *ctx);
int process_emit(struct weir_ctx *ctx);

#endif
