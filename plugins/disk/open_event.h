/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by open.bpf.c and the user side of disk.open. Includes nothing but the SDK's shared
 * headers, which include nothing either. Fixed-width members only; the size is asserted, so that
 * both compilers agree on every byte.
 */
#ifndef OPEN_EVENT_H
#define OPEN_EVENT_H

#include <weir/bpf/path_event.h>
#include <weir/bpf/task_event.h>

enum open_call { OPEN_OPEN, OPEN_CREAT, OPEN_OPENAT, OPEN_OPENAT2, OPEN_HANDLE, OPEN_CALLS };

/* A call that has come back. Behind it: its path, which begins with a struct weir_path_head. */
struct open_event {
	struct weir_task_id task;
	unsigned long long time_ns;    /* CLOCK_MONOTONIC, when it came back */
	unsigned long long latency_ns; /* 0: not known */
	unsigned int flags;            /* O_... */
	int result;                    /* a descriptor or a negative errno */
	unsigned short mode;
	unsigned short resolve; /* RESOLVE_... of openat2 */
	unsigned char call;     /* enum open_call */
	unsigned char reserved[3];
};

_Static_assert(sizeof(struct open_event) == 72, "open_event: kernel and user differ");

#endif
