/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by open.bpf.c and the user side of disk.open. Includes nothing but the SDK's identity of
 * a task, which includes nothing either. Fixed-width members only; the size is asserted, so that
 * both compilers agree on every byte.
 */
#ifndef OPEN_EVENT_H
#define OPEN_EVENT_H

#include <weir/bpf/task_event.h>

/* The kernel takes names of that length, with their NUL. */
#define OPEN_NAME_MAX 4096

/* Bytes of a path: as many, then one more name. */
#define OPEN_PATH_MAX (4096 + 256)

enum open_call { OPEN_OPEN, OPEN_CREAT, OPEN_OPENAT, OPEN_OPENAT2, OPEN_HANDLE, OPEN_CALLS };

enum open_mark {
	OPEN_WALKED = 1 << 0,   /* the path is told; else only the name */
	OPEN_BASE = 1 << 1,     /* it is that of the directory which the name starts from */
	OPEN_CUT = 1 << 2,      /* what is nearest to the root is missing */
	OPEN_DELETED = 1 << 3,  /* its name was removed */
	OPEN_OUTSIDE = 1 << 4,  /* from the root of all, as it does not lie below the task's root */
	OPEN_NOWHERE = 1 << 5,  /* it lies in no directory */
	OPEN_NAMELESS = 1 << 6, /* the name could not be read */
};

/*
 * A call that has come back. Behind it: the names that the path consists of, from the last one to
 * the first, then the name that was asked for, each with its NUL.
 */
struct open_event {
	struct weir_task_id task;
	unsigned long long time_ns;    /* CLOCK_MONOTONIC, when it came back */
	unsigned long long latency_ns; /* 0: not known */
	unsigned int flags;            /* O_... */
	int result;                    /* a descriptor or a negative errno */
	unsigned short mode;
	unsigned short resolve;     /* RESOLVE_... of openat2 */
	unsigned short path_length; /* bytes of the path that follow */
	unsigned short name_length; /* bytes of the name that follow */
	unsigned char call;         /* enum open_call */
	unsigned char marks;        /* enum open_mark */
	unsigned char reserved[6];
};

_Static_assert(sizeof(struct open_event) == 80, "open_event: kernel and user differ");

#endif
