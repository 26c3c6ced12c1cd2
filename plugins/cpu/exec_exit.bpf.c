/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells of every process that ends, when its last thread does. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/events.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/task.h>

#include "exec_below.h"
#include "exec_event.h"

#define ENDED_LOG 12

/*
 * Which process each of these slots told of last. Two threads that end at once may both find that
 * they are the last one; the process is told of once.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << ENDED_LOG);
	__type(key, __u32);
	__type(value, __u64);
} ended SEC(".maps");

static __always_inline int ends_again(struct task_struct *leader, __u64 start_ns)
{
	__u64 process = start_ns ^ (__u64)BPF_CORE_READ(leader, tgid) << 42;
	/* Fibonacci hashing: 2^64 divided by the golden ratio. */
	__u32 slot = (process * 0x9e3779b97f4a7c15ULL) >> (64 - ENDED_LOG);
	__u64 *last = bpf_map_lookup_elem(&ended, &slot);

	return last && __sync_lock_test_and_set(last, process) == process;
}

/* As wait() tells it: of the leader, unless one thread ended all. */
static __always_inline __u32 exit_status(struct task_struct *leader)
{
	struct signal_struct *signal = BPF_CORE_READ(leader, signal);

	if (BPF_CORE_READ(signal, flags) & WEIR_SIGNAL_GROUP_EXIT)
		return BPF_CORE_READ(signal, group_exit_code);
	return BPF_CORE_READ(leader, exit_code);
}

SEC("raw_tp/sched_process_exit")
int BPF_PROG(process_exit, struct task_struct *task)
{
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);
	struct exec_exit_event *event;
	__u64 start_ns;

	if (BPF_CORE_READ(task, signal, live.counter) || !weir_task_wanted(leader) ||
	    (only_below && !exec_is_below((__u64)leader)))
		return 0;
	start_ns = BPF_CORE_READ(leader, start_time);
	if (ends_again(leader, start_ns))
		return 0;
	event = WEIR_EVENT_RESERVE(struct exec_exit_event);
	if (!event)
		return 0;
	event->time_ns = bpf_ktime_get_ns();
	event->start_ns = start_ns;
	event->status = exit_status(leader);
	event->reserved = 0;
	weir_task_fill(&event->task, leader);
	weir_event_send(event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
