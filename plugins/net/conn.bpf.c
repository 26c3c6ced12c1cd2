/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Follows TCP connections from their opening to their end.
 *
 * Most changes of state happen in softirq, where the current task is anybody. The owner is noted
 * where it acts itself: in connect(), and in close() or shutdown(), which leave ESTABLISHED for
 * FIN_WAIT1, or CLOSE_WAIT for LAST_ACK. A connection that was reset meanwhile waits for the
 * close() that gives the socket back.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/events.h>
#include <weir/bpf/kernel_net.h>
#include <weir/bpf/task.h>

#include "conn_event.h"
#include "ends.bpf.h"

const volatile __u32 reports = CONN_LIFE; /* enum conn_report */

struct conn_totals totals = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC); /* memory for those there are, not for the most */
	__uint(max_entries, 16384);           /* the user side sets it */
	__type(key, __u64);                   /* address of the socket */
	__type(value, struct conn_event);
} conns SEC(".maps");

/* The current task owns the connection. Not static: checked once. */
__noinline int conn_own(struct conn_event *conn)
{
	if (!conn || conn->flags & CONN_OWNED)
		return 0;
	if (!weir_current_wanted())
		conn->flags |= CONN_UNWANTED;
	else
		weir_task_fill_current(&conn->task);
	conn->flags |= CONN_OWNED;
	return 0;
}

static __always_inline int conn_is_wanted(const struct conn_event *conn)
{
	/* Who asked for some tasks does not get what may be another's. */
	if (conn->flags & CONN_UNWANTED || (task_filter.by && !(conn->flags & CONN_OWNED)))
		return 0;
	return ends_wanted(&conn->ends);
}

__noinline int conn_send(struct conn_event *conn, __u32 kind)
{
	if (!conn || !(reports & kind) || !conn_is_wanted(conn))
		return 0;
	conn->kind = kind;
	if (bpf_ringbuf_output(&events, conn, sizeof(*conn), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&events_lost, 1);
	return 0;
}

static __always_inline void conn_forget(const struct sock *sk)
{
	__u64 key = (__u64)sk;

	bpf_map_delete_elem(&conns, &key);
}

/* A new entry for the socket, in place of what its address may have stood for. NULL: no room. */
static __always_inline struct conn_event *conn_new(const struct sock *sk, __u64 start, __u32 flags)
{
	struct conn_event begin = { .start = start, .flags = flags };
	__u64 key = (__u64)sk;

	if (bpf_map_update_elem(&conns, &key, &begin, BPF_ANY))
		return NULL;
	return bpf_map_lookup_elem(&conns, &key);
}

/* Nothing will be told of it: who had no room when it began may still have some at its end. */
static __always_inline void conn_is_lost(void)
{
	__sync_fetch_and_add(&totals.map_full, 1);
}

static __always_inline struct conn_event *conn_find(const struct sock *sk)
{
	__u64 key = (__u64)sk;

	return bpf_map_lookup_elem(&conns, &key);
}

static __always_inline void conn_read_ends(struct conn_event *conn, const struct sock *sk)
{
	ends_fill(&conn->ends, (__u64)sk);
	conn->ends.lport = ends_socket_port(sk);
}

/*
 * The kernel counts sequence numbers, of which SYN and FIN take one each: that of our SYN, of our
 * FIN if the peer has acknowledged it, and of the peer's FIN are no payload.
 */
static __always_inline void conn_read_bytes(struct conn_event *conn, const struct sock *sk)
{
	const struct tcp_sock *tcp = (const struct tcp_sock *)sk;
	__u64 sent = BPF_CORE_READ(tcp, bytes_acked);
	__u64 received = BPF_CORE_READ(tcp, bytes_received);
	int fin_sent = conn->state == CONN_FIN_WAIT1 || conn->state == CONN_FIN_WAIT2 ||
		       conn->state == CONN_CLOSING || conn->state == CONN_LAST_ACK;

	if (conn->flags & CONN_ACTIVE && conn->established && sent)
		sent--;
	if (fin_sent && sent && BPF_CORE_READ(tcp, snd_una) == BPF_CORE_READ(tcp, write_seq))
		sent--;
	if (WEIR_TCP_SOCK(sk, __sk_common.skc_flags) & 1ul << WEIR_SOCK_DONE && received)
		received--;
	conn->tx = sent;
	conn->rx = received;
}

/* Reports a connection whose end was noted, and forgets it. */
static __always_inline void conn_finish(struct conn_event *conn, const struct sock *sk)
{
	conn_send(conn, CONN_LIFE);
	conn_forget(sk);
}

static __always_inline void conn_begin_active(const struct sock *sk)
{
	struct conn_event *conn = conn_find(sk);

	/* connect() on a socket whose connection was reset. */
	if (conn && conn->flags & CONN_ENDED) {
		conn_own(conn);
		conn_finish(conn, sk);
	}
	conn = conn_new(sk, bpf_ktime_get_ns(), CONN_ACTIVE);
	if (conn)
		conn_own(conn);
	else if (reports & CONN_CONNECT)
		conn_is_lost();
}

static __always_inline void conn_establish(const struct sock *sk)
{
	struct conn_event *conn = conn_find(sk);

	if (!conn)
		return;
	conn->established = conn->time = bpf_ktime_get_ns();
	if (!(reports & CONN_CONNECT) || !(conn->flags & CONN_ACTIVE))
		return;
	conn_read_ends(conn, sk);
	conn_send(conn, CONN_CONNECT);
	conn->flags |= CONN_CONNECTED;
	if (reports == CONN_CONNECT)
		conn_forget(sk);
}

/* close() or shutdown() by the owner. */
static __always_inline void conn_leave(const struct sock *sk)
{
	struct conn_event *conn = conn_find(sk);

	if (!conn)
		conn = conn_new(sk, 0, 0);
	if (conn)
		conn_own(conn);
}

static __always_inline void conn_end(const struct sock *sk, int state)
{
	struct conn_event *conn = conn_find(sk);

	if (!conn && reports & CONN_LIFE) {
		conn = conn_new(sk, 0, 0);
		if (!conn)
			conn_is_lost();
	}
	if (!conn)
		return;
	conn->time = bpf_ktime_get_ns();
	conn->state = state;
	conn->error = WEIR_TCP_SOCK(sk, sk_err);
	conn->flags |= CONN_ENDED;
	conn_read_ends(conn, sk);
	conn_read_bytes(conn, sk);

	if (conn->flags & CONN_ACTIVE && !conn->established && !(conn->flags & CONN_CONNECTED))
		conn_send(conn, CONN_CONNECT);
	/* What was never established was never anybody's but the connecting task's. */
	if (conn->flags & CONN_OWNED || (conn->flags & CONN_PASSIVE && !conn->established) ||
	    reports == CONN_CONNECT)
		conn_finish(conn, sk);
}

SEC("raw_tp/inet_sock_set_state")
int BPF_PROG(conn_change, const struct sock *sk, int oldstate, int newstate)
{
	if (WEIR_TCP_SOCK(sk, sk_protocol) != WEIR_IPPROTO_TCP)
		return 0;
	if (newstate == CONN_SYN_SENT)
		conn_begin_active(sk);
	else if (newstate == CONN_ESTABLISHED)
		conn_establish(sk);
	else if (newstate == CONN_CLOSE && oldstate != CONN_LISTEN)
		conn_end(sk, oldstate);
	else if (reports == CONN_CONNECT)
		return 0;
	else if (newstate == CONN_SYN_RECV && oldstate == CONN_LISTEN)
		conn_new(sk, bpf_ktime_get_ns(), CONN_PASSIVE);
	else if (newstate == CONN_FIN_WAIT1 || newstate == CONN_LAST_ACK)
		conn_leave(sk);
	return 0;
}

/* A socket is given back: by close(), if its connection ended before that. */
SEC("raw_tp/tcp_destroy_sock")
int BPF_PROG(conn_destroy, const struct sock *sk)
{
	struct conn_event *conn = conn_find(sk);

	if (!conn || !(conn->flags & CONN_ENDED))
		return 0;
	conn_own(conn);
	conn_finish(conn, sk);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
