/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by the BPF programs of cpu.exec and exec.c. Includes nothing but the SDK's identity of a
 * task, which includes nothing either. Fixed-width members only; sizes are asserted, so that both
 * compilers agree on every byte.
 */
#ifndef EXEC_EVENT_H
#define EXEC_EVENT_H

#include <weir/bpf/task_event.h>

/* The kernel takes paths of that length. */
#define EXEC_PATH_MAX 4096

/* Of all arguments together; the kernel takes megabytes. A power of two. */
#define EXEC_ARGS_MAX 16384

/* As many arguments of a failed call can be marked as unreadable; the next one ends the reading. */
#define EXEC_MARKS 64

/* A program was started, or was not. Behind it: the path, then the arguments, each with its NUL. */
struct exec_event {
	struct weir_task_id task;
	unsigned long long time_ns;    /* CLOCK_MONOTONIC */
	unsigned long long args_bytes; /* of all arguments; 0: not known, as the call failed */
	unsigned long long unreadable; /* one bit for each argument that could not be read */
	unsigned int args_count;       /* all arguments */
	unsigned int args_length;      /* bytes of arguments that follow */
	unsigned int path_length;      /* bytes of the path that follow, with its NUL */
	int error;                     /* 0 or a negative errno */
};

_Static_assert(sizeof(struct exec_event) == 80, "exec_event: kernel and user differ");

/* The last thread of a process ended. */
struct exec_exit_event {
	struct weir_task_id task;
	unsigned long long time_ns;  /* CLOCK_MONOTONIC */
	unsigned long long start_ns; /* of the process */
	unsigned int status;         /* as wait() tells it */
	unsigned int reserved;
};

_Static_assert(sizeof(struct exec_exit_event) == 64, "exec_exit_event: kernel and user differ");

#endif
