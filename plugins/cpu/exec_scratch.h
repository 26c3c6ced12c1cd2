/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF side: a struct exec_event in the making, which is too large for the stack. */
#ifndef EXEC_SCRATCH_H
#define EXEC_SCRATCH_H

#include <bpf/bpf_helpers.h>
#include <weir/bpf/events.h>
#include <weir/bpf/task.h>

#include "exec_event.h"

/* One argument of a failed call, with its NUL. */
#define EXEC_ARG_MAX 4096

/* The path, then the arguments; room behind them for one that turns out to be too long. */
struct scratch {
	struct exec_event event;
	char text[EXEC_PATH_MAX + EXEC_ARGS_MAX + EXEC_ARG_MAX];
};

/* One for each CPU: no program interrupts itself there. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

static __always_inline struct scratch *scratch_get(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&scratches, &only);
}

static __always_inline void scratch_begin(struct scratch *scratch, int error)
{
	struct exec_event *event = &scratch->event;

	event->time_ns = bpf_ktime_get_ns();
	event->error = error;
	event->args_bytes = event->unreadable = 0;
	event->args_count = event->args_length = event->path_length = 0;
	weir_task_fill_current(&event->task);
}

static __always_inline void scratch_send(struct scratch *scratch)
{
	__u32 path = scratch->event.path_length;
	__u32 args = scratch->event.args_length;

	if (path > EXEC_PATH_MAX || args > EXEC_ARGS_MAX)
		return;
	if (bpf_ringbuf_output(&events, scratch, sizeof(scratch->event) + path + args,
			       BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&events_lost, 1);
}

#endif
