/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every segment that TCP sends again, and why. It runs in timers and in softirq, so the current
 * task has nothing to do with it. Who connects is noted where it does so itself: a socket that gets
 * no answer may be gone before anybody has looked for it in /proc. Of other connections the socket's
 * inode lets user space find the owner.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/events.h>
#include <weir/bpf/kernel_net.h>

#include "ends.bpf.h"
#include "retransmit_event.h"

/* Numbers that all kernels of today share. */
#define TCP_FLAG_SYN_BYTE 2
#define TIMER_LOSS_PROBE  5 /* ICSK_TIME_LOSS_PROBE */
#define CA_RECOVERY       3 /* enum tcp_ca_state */
#define CA_LOSS           4
#define STATE_SYN_SENT    2
#define STATE_CLOSE       7
#define STATE_SYN_RECV    12 /* TCP_NEW_SYN_RECV: a request that is no socket yet */

/* Those that are open. Where it is full, owners are looked for in /proc. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC); /* memory for those there are, not for the most */
	__uint(max_entries, 16384);
	__type(key, __u64); /* address of the socket */
	__type(value, struct retransmit_owner);
} connectors SEC(".maps");

static __always_inline void note_connector(__u64 socket)
{
	struct retransmit_owner owner = { .pid = bpf_get_current_pid_tgid() >> 32 };

	/* Not by struct task_struct: a kernel that relocates a program needs 2 ms for one more type. */
	bpf_get_current_comm(owner.comm, sizeof(owner.comm));
	bpf_map_update_elem(&connectors, &socket, &owner, BPF_ANY);
}

SEC("raw_tp/inet_sock_set_state")
int BPF_PROG(retransmit_change, const struct sock *sk, int oldstate, int newstate)
{
	__u64 socket = (__u64)sk;

	if (newstate == STATE_SYN_SENT)
		note_connector(socket);
	else if (newstate == STATE_CLOSE)
		bpf_map_delete_elem(&connectors, &socket);
	return 0;
}

static __always_inline __u64 socket_inode(const struct sock *sk)
{
	struct socket *socket = WEIR_TCP_SOCK(sk, sk_socket);

	return socket ? BPF_CORE_READ((struct socket_alloc *)socket, vfs_inode.i_ino) : 0;
}

/* libbpf's macro adds to a void pointer. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpointer-arith"
static __always_inline __u8 recovery_state(const struct tcp_sock *tcp)
{
	return BPF_CORE_READ_BITFIELD_PROBED(tcp, inet_conn.icsk_ca_state);
}
#pragma clang diagnostic pop

/* A probe is sent while its timer is the one that is set; so is what else is sent before it fires,
 * but only in recovery or after a loss. */
static __always_inline int retransmit_kind(const struct sock *sk, __u8 flags)
{
	const struct tcp_sock *tcp = (const struct tcp_sock *)sk;
	__u8 state = recovery_state(tcp);

	if (flags & TCP_FLAG_SYN_BYTE)
		return RETRANSMIT_SYN;
	if (state == CA_LOSS)
		return RETRANSMIT_TIMEOUT;
	if (state == CA_RECOVERY)
		return RETRANSMIT_FAST;
	if (BPF_CORE_READ(tcp, inet_conn.icsk_pending) == TIMER_LOSS_PROBE)
		return RETRANSMIT_PROBE;
	return RETRANSMIT_OTHER;
}

static __always_inline void send_event(const struct retransmit_event *event)
{
	if (!ends_wanted(&event->ends))
		return;
	if (bpf_ringbuf_output(&events, (void *)event, sizeof(*event), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&events_lost, 1);
}

SEC("raw_tp/tcp_retransmit_skb")
int BPF_PROG(retransmit_segment, const struct sock *sk, const struct sk_buff *skb)
{
	const struct tcp_skb_cb *control =
		(const struct tcp_skb_cb *)((const char *)skb +
					    bpf_core_field_offset(struct sk_buff, cb));
	struct retransmit_event event = { .time = bpf_ktime_get_ns() };
	const struct retransmit_owner *owner;
	__u64 socket = (__u64)sk;

	owner = bpf_map_lookup_elem(&connectors, &socket);
	if (owner)
		event.owner = *owner;
	ends_fill(&event.ends, (__u64)sk);
	event.ends.lport = ends_socket_port(sk);
	event.socket = socket_inode(sk);
	event.segments = BPF_CORE_READ(control, tcp_gso_segs);
	event.kind = retransmit_kind(sk, BPF_CORE_READ(control, tcp_flags));
	event.state = WEIR_TCP_SOCK(sk, __sk_common.skc_state);
	send_event(&event);
	return 0;
}

SEC("raw_tp/tcp_retransmit_synack")
int BPF_PROG(retransmit_synack, const struct sock *sk, const struct request_sock *request)
{
	struct retransmit_event event = { .time = bpf_ktime_get_ns(), .segments = 1 };
	const struct sock_common *common = (const struct sock_common *)request;

	/* A request begins with what it has in common with sockets. */
	ends_fill(&event.ends, (__u64)common);
	event.ends.lport = BPF_CORE_READ(common, skc_num);
	event.socket = socket_inode(sk);
	event.kind = RETRANSMIT_SYNACK;
	event.state = STATE_SYN_RECV;
	send_event(&event);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
