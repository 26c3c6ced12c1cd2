/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells of each call that opens a file, when it comes back. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/events.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/task.h>
#include <weir/bpf/thread_words.h>

#include "open_call.h"
#include "open_event.h"

/* 2^THREADS_LOG sets of threads. */
#define THREADS_LOG 9

/* Set by the user side before load. */
const volatile __u32 open_numbers[OPEN_CALLS] = {}; /* of the system calls */
const volatile __u32 only_failed = 0;
const volatile __u32 timed = 0; /* begins of calls are seen, too */

__u64 calls_full = 0; /* calls whose begin was not noted: too many at a time */

/* Threads in a call, and since when. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << THREADS_LOG);
	__type(key, __u32);
	__type(value, struct weir_thread_words);
} opening SEC(".maps");

/* An event in the making, which is too large for the stack. */
struct scratch {
	struct open_event event;
	struct weir_path_text path;
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

/*
 * Functions that are global are verified once, and not once more on each path that leads to them.
 * Which call it is, by its number; OPEN_CALLS: none.
 */
__noinline __u32 call_of(__u32 number)
{
	__u32 call;

	for (call = 0; call < OPEN_CALLS; call++)
		if (open_numbers[call] == number)
			break;
	return call;
}

static __always_inline __u64 latency_of(__u64 now)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 stamp;

	if (!timed)
		return 0;
	stamp = weir_thread_word_remove(weir_thread_words(&opening, tid, THREADS_LOG), tid);
	return stamp ? weir_thread_stamp_age(stamp, now) : 0;
}

/* Attached to the beginning of all calls, if they are timed. */
SEC("tp/syscalls/sys_enter_openat")
int open_enter(struct trace_event_raw_sys_enter *ctx)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct weir_thread_words *words;

	if (!timed || !weir_current_wanted())
		return 0;
	words = weir_thread_words(&opening, tid, THREADS_LOG);
	weir_thread_word_remove(words, tid);
	if (!weir_thread_word_add(words, weir_thread_stamp(tid, bpf_ktime_get_ns())))
		__sync_fetch_and_add(&calls_full, 1);
	return 0;
}

__noinline int read_args(struct open_args *args)
{
	if (args)
		open_args_read(args);
	return 0;
}

/* The path of what was opened as `fd`, or where that which was not starts from, and its name. */
__noinline int read_path(struct scratch *scratch, struct open_args *args, int fd)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	const struct path *path;

	if (!scratch || !args)
		return 0;
	weir_path_begin(&scratch->path);
	path = open_path_from(&scratch->path, task, args, fd);
	if (path)
		weir_path_walk(&scratch->path, task, path);
	if (args->call != OPEN_HANDLE)
		weir_path_add_name(&scratch->path, (const void *)args->name);
	return 0;
}

/* Attached to the end of all calls. */
SEC("tp/syscalls/sys_exit_openat")
int open_exit(struct trace_event_raw_sys_exit *ctx)
{
	__u32 kind = call_of(ctx->id);
	long result = ctx->ret;
	struct scratch *scratch;
	struct open_args args = { .call = kind };
	__u64 now, latency;

	if (kind >= OPEN_CALLS || !weir_current_wanted())
		return 0;
	now = bpf_ktime_get_ns();
	latency = latency_of(now);
	scratch = scratch_get();
	if (!scratch || (only_failed && result >= 0))
		return 0;

	__builtin_memset(&scratch->event, 0, sizeof(scratch->event));
	scratch->event.call = kind;
	scratch->event.time_ns = now;
	scratch->event.latency_ns = latency;
	scratch->event.result = result;
	weir_task_fill_current(&scratch->event.task);
	read_args(&args);
	scratch->event.flags = args.how.flags;
	scratch->event.mode = args.how.mode;
	scratch->event.resolve = args.how.resolve;
	read_path(scratch, &args, result);
	weir_path_send(scratch, sizeof(scratch->event), &scratch->path);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
