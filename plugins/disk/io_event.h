/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by io.bpf.c and io.c. Includes nothing but headers that include nothing. Fixed-width
 * members only; the size is asserted, so that both compilers agree on every byte.
 */
#ifndef IO_EVENT_H
#define IO_EVENT_H

#include <weir/bpf/task_event.h>

#include "request_event.h"

enum io_mark {
	IO_OWNED = 1 << 0, /* `task` is known */
	IO_WRITEBACK =
		1 << 1, /* submitted by the kernel's flusher, for whoever dirtied the pages */
};

/* A request, at its completion. */
struct io_event {
	unsigned long long time_ns; /* of the completion */
	unsigned long long queued_ns;
	unsigned long long device_ns;
	unsigned long long sector; /* on the whole disk */
	unsigned long long bytes;
	struct weir_task_id task; /* that submitted it */
	unsigned int flags;       /* the kernel's cmd_flags: operation, then modifiers */
	unsigned int status;      /* the kernel's blk_status_t; 0: it went well */
	unsigned int requeues;
	unsigned int marks;                /* enum io_mark */
	unsigned int dev;                  /* major << 20 | minor; 0: a queue without a disk */
	unsigned int pad;                  /* 0 */
	char dispatcher[WEIR_COMM_LENGTH]; /* comm of the task that gave it to the driver */
	char disk[REQUEST_DISK_LEN];       /* closed by NUL */
};

_Static_assert(sizeof(struct io_event) == 152, "io_event: kernel and user differ");

#endif
