/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * TCP connections as they are accepted. No tracepoint of TCP runs in accept(): handshakes end in
 * softirq. So the exits of the system calls are traced, whose result leads to the socket.
 *
 * A connection that ends before a system call has returned it was accepted by io_uring, or never.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/events.h>
#include <weir/bpf/kernel_net.h>
#include <weir/bpf/task.h>

#include "accept_event.h"
#include "ends.bpf.h"

/* Numbered by the kernel's UAPI. */
#define STATE_ESTABLISHED 1
#define STATE_SYN_RECV    3
#define STATE_FIN_WAIT1   4
#define STATE_CLOSE       7
#define STATE_LAST_ACK    9

struct accept_totals totals = {};

/* Those whose handshake is done and whom no accept() has returned yet: when it was done. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC); /* memory for those there are, not for the most */
	__uint(max_entries, 16384);
	__type(key, __u64); /* address of the socket */
	__type(value, __u64);
} waiting SEC(".maps");

/* `own`: it is the current task's. */
static __always_inline void accept_send(const struct sock *sk, __u64 now, __u64 wait, int own)
{
	struct accept_event event = { .time = now, .wait = wait };

	if (task_filter.by && (!own || !weir_current_wanted()))
		return;
	ends_fill(&event.ends, (__u64)sk);
	event.ends.lport = ends_socket_port(sk);
	if (!ends_wanted(&event.ends))
		return;
	if (own) {
		weir_task_fill_current(&event.task);
		event.has_task = 1;
	}
	if (bpf_ringbuf_output(&events, &event, sizeof(event), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&events_lost, 1);
}

SEC("raw_tp/inet_sock_set_state")
int BPF_PROG(accept_change, const struct sock *sk, int oldstate, int newstate)
{
	__u64 key = (__u64)sk, now;

	if (WEIR_TCP_SOCK(sk, sk_protocol) != WEIR_IPPROTO_TCP)
		return 0;
	now = bpf_ktime_get_ns();
	/* What opens a connection has a descriptor from the start. */
	if (oldstate == STATE_SYN_RECV && newstate == STATE_ESTABLISHED &&
	    !WEIR_TCP_SOCK(sk, sk_socket)) {
		if (bpf_map_update_elem(&waiting, &key, &now, BPF_ANY))
			__sync_fetch_and_add(&totals.map_full, 1);
		return 0;
	}
	if (newstate != STATE_FIN_WAIT1 && newstate != STATE_LAST_ACK && newstate != STATE_CLOSE)
		return 0;
	if (bpf_map_delete_elem(&waiting, &key))
		return 0;
	/* close() and shutdown() run in their caller's context. */
	accept_send(sk, now, ACCEPT_WAIT_UNKNOWN, newstate != STATE_CLOSE);
	return 0;
}

/* What programs on the exit of a system call get. */
struct accept_exit {
	__u64 entry;
	__u64 number;
	__s64 result;
};

/*
 * The socket behind a descriptor of the current task that is known to be a socket's. The place of
 * fd is that of fdtab.fd, so that struct fdtable is no type to be searched for.
 */
static __always_inline struct sock *accept_socket(__u32 fd)
{
	struct task_struct___net *task = (struct task_struct___net *)bpf_get_current_task();
	struct files_struct___net *files = BPF_CORE_READ(task, files);
	const char *table = (const char *)BPF_CORE_READ(files, fdt);
	struct file___net **slots = NULL, *file = NULL;
	struct socket *socket;

	bpf_probe_read_kernel(&slots, sizeof(slots),
			      table + bpf_core_field_offset(files->fdtab.fd) -
				      bpf_core_field_offset(files->fdtab));
	bpf_probe_read_kernel(&file, sizeof(file), slots + fd);
	socket = (struct socket *)BPF_CORE_READ(file, private_data);
	return BPF_CORE_READ(socket, sk);
}

/* Attached to accept() and accept4(). */
SEC("tp/syscalls/sys_exit_accept4")
int accept_done(struct accept_exit *exit)
{
	__u64 key, *established, now = bpf_ktime_get_ns(), wait = ACCEPT_WAIT_UNKNOWN;
	struct sock *sk;

	if (exit->result < 0)
		return 0;
	sk = accept_socket(exit->result);
	if (!sk || WEIR_TCP_SOCK(sk, sk_protocol) != WEIR_IPPROTO_TCP)
		return 0;
	key = (__u64)sk;
	established = bpf_map_lookup_elem(&waiting, &key);
	if (established) {
		wait = now - *established;
		bpf_map_delete_elem(&waiting, &key);
	}
	accept_send(sk, now, wait, 1);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
