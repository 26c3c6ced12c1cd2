/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who did it, and of whom to speak: shared by the BPF side (bpf/task.h) and the user side
 * (task_filter.h). Includes nothing; fixed-width members only, sizes asserted.
 */
#ifndef WEIR_BPF_TASK_EVENT_H
#define WEIR_BPF_TASK_EVENT_H

#define WEIR_COMM_LENGTH       16
#define WEIR_CONTROLLER_LENGTH 8

#if defined(__cplusplus)
#define WEIR_TASK_ASSERT static_assert
#else
#define WEIR_TASK_ASSERT _Static_assert
#endif

/* A task as each event carries it. */
struct weir_task_id {
	unsigned long long cgroup; /* id in the hierarchy that the user side chose; 0: none */
	unsigned int pid;          /* of the process: the kernel's tgid */
	unsigned int tid;          /* of the thread: the kernel's pid */
	unsigned int ppid;
	unsigned int uid;            /* real, as the initial user namespace numbers it */
	char comm[WEIR_COMM_LENGTH]; /* of the thread; closed by NUL */
};

WEIR_TASK_ASSERT(sizeof(struct weir_task_id) == 40, "weir_task_id: kernel and user differ");

enum weir_task_filter_by {
	WEIR_TASK_BY_PID = 1 << 0,
	WEIR_TASK_BY_UID = 1 << 1,
	WEIR_TASK_BY_COMM = 1 << 2,
	WEIR_TASK_BY_CGROUP = 1 << 3,
};

/* Hierarchies that a task has a cgroup in. Those of version 1 go by one of their controllers. */
enum weir_cgroup_hierarchy {
	WEIR_CGROUP_V2 = 0,
	WEIR_CGROUP_MEMORY = 1,
	WEIR_CGROUP_CPU = 2,
	WEIR_CGROUP_PIDS = 3,
	WEIR_CGROUP_HIERARCHIES = 4,
};

/* Set by the user side before load. All zero: everybody, and cgroups of version 2. */
struct weir_task_filter {
	unsigned long long cgroup; /* this one and those below it */
	unsigned int by;           /* enum weir_task_filter_by */
	unsigned int pid;
	unsigned int uid;
	unsigned int hierarchy;    /* enum weir_cgroup_hierarchy */
	unsigned int cgroup_level; /* the cgroup's depth: 0 is the root */
	unsigned int comm_length;  /* bytes of comm that must agree, its NUL included */
	char comm[WEIR_COMM_LENGTH];
	char controller
		[WEIR_CONTROLLER_LENGTH]; /* that the hierarchy goes by; filled up with NUL */
};

WEIR_TASK_ASSERT(sizeof(struct weir_task_filter) == 56, "weir_task_filter: kernel and user differ");
#undef WEIR_TASK_ASSERT

#endif
