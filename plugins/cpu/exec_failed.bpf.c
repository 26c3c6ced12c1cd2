/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells of every execve and execveat that failed. The arguments are read when the call ends, as
 * the kernel may have touched their pages by then; what cannot be read is marked.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/task.h>

#include "exec_below.h"
#include "exec_scratch.h"

#define EXEC_ARGS_COUNTED 16384

__u64 calls_full = 0; /* calls not followed: too many at once */

/* A call of execve or execveat that has not come back. */
struct call {
	__u64 path;
	__u64 argv;
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32); /* thread */
	__type(value, struct call);
} calls SEC(".maps");

static __always_inline int call_begin(__u64 path, __u64 argv)
{
	struct call call = { path, argv };
	__u32 thread = (__u32)bpf_get_current_pid_tgid();

	if (!exec_current_wanted())
		return 0;
	if (bpf_map_update_elem(&calls, &thread, &call, BPF_ANY))
		__sync_fetch_and_add(&calls_full, 1);
	return 0;
}

SEC("tp/syscalls/sys_enter_execve")
int execve_enter(struct trace_event_raw_sys_enter *ctx)
{
	return call_begin(ctx->args[0], ctx->args[1]);
}

SEC("tp/syscalls/sys_enter_execveat")
int execveat_enter(struct trace_event_raw_sys_enter *ctx)
{
	return call_begin(ctx->args[1], ctx->args[2]);
}

/* Where reading the arguments of a failed call has got to. */
struct reading {
	__u64 argv;
	__u64 full; /* no room: the rest is only counted */
};

/* Adds one argument to the event; 0 when nothing more can be added. */
static __always_inline int add_arg(struct scratch *scratch, const void *arg)
{
	struct exec_event *event = &scratch->event;
	__u32 mark = event->args_count - 1;
	__u32 path = event->path_length;
	__u32 args = event->args_length;
	long length;

	if (path > EXEC_PATH_MAX || args > EXEC_ARGS_MAX - EXEC_ARG_MAX)
		return 0;
	length = bpf_probe_read_user_str(scratch->text + path + args, EXEC_ARG_MAX, arg);
	if (length <= 0) {
		if (mark >= EXEC_MARKS)
			return 0;
		event->unreadable |= 1ULL << mark;
		scratch->text[path + args] = '\0';
		length = 1;
	}
	/* Without its NUL, an argument is seen to be cut. */
	event->args_length = args + (__u32)length - (length == EXEC_ARG_MAX);
	return length < EXEC_ARG_MAX;
}

/* Takes one pointer of argv; 1 ends the loop. */
static long take_arg(__u32 i, struct reading *reading)
{
	struct scratch *scratch = scratch_get();
	const void *arg = 0;

	if (!scratch ||
	    bpf_probe_read_user(&arg, sizeof(arg), (const void *)(reading->argv + 8ULL * i)) ||
	    !arg)
		return 1;
	scratch->event.args_count++;
	if (!reading->full)
		reading->full = !add_arg(scratch, arg);
	return 0;
}

static __always_inline void read_call(struct scratch *scratch, const struct call *call)
{
	struct reading reading = { .argv = call->argv };
	long length;

	length = bpf_probe_read_user_str(scratch->text, EXEC_PATH_MAX, (const void *)call->path);
	if (length > 0)
		scratch->event.path_length = length;
	bpf_loop(EXEC_ARGS_COUNTED, take_arg, &reading, 0);
}

/* Attached to the end of execve and of execveat. */
SEC("tp/syscalls/sys_exit_execve")
int exec_return(struct trace_event_raw_sys_exit *ctx)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	struct call *call = bpf_map_lookup_elem(&calls, &thread);
	struct scratch *scratch = scratch_get();
	long result = ctx->ret;

	if (!call)
		return 0;
	if (result < 0 && scratch) {
		scratch_begin(scratch, result);
		read_call(scratch, call);
		scratch_send(scratch);
	}
	bpf_map_delete_elem(&calls, &thread);
	return 0;
}

/* A thread that becomes another program takes its leader's number: its call has no other end. */
SEC("raw_tp/sched_process_exec")
int BPF_PROG(exec_done, struct task_struct *task, int old_pid)
{
	__u32 thread = old_pid;

	bpf_map_delete_elem(&calls, &thread);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
