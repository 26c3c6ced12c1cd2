/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's sockets, as kernel.h has the rest: only members that are read, placed by CO-RE. A
 * name's part from ___ on is not the kernel's: it keeps structs of kernel.h out of the way.
 */
#ifndef WEIR_BPF_KERNEL_NET_H
#define WEIR_BPF_KERNEL_NET_H

#include <linux/types.h>

#include <bpf/bpf_core_read.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct in6_addr___net {
	__u8 bytes[16];
};

/* What sockets and requests for a connection have in common. */
struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num; /* 0 once the socket has given its port back */
	unsigned short skc_family;
	volatile unsigned char skc_state;
	possible_net_t skc_net;
	struct in6_addr___net skc_v6_daddr;
	struct in6_addr___net skc_v6_rcv_saddr;
	unsigned long skc_flags; /* bits of enum sock_flags */
};

struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket; /* NULL without a descriptor, such as after close() */
	int sk_err;
	__u16 sk_protocol;
};

struct inet_sock {
	struct sock sk;
	__be16 inet_sport;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	__u8 icsk_ca_state : 5;
	__u8 icsk_pending; /* the timer that is set, or whose work is being done */
};

/*
 * Programs read all of a TCP socket through this: a kernel that relocates a program remembers one
 * type of each hash, of all that begin a path of members, and searching for another takes 1 ms.
 */
struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 bytes_acked;
	__u64 bytes_received;
	__u32 snd_una;
	__u32 write_seq;
};

/* A member that all sockets have, of a TCP socket. */
#define WEIR_TCP_SOCK(tcp_, member_)                                                               \
	BPF_CORE_READ((const struct tcp_sock *)(tcp_), inet_conn.icsk_inet.sk.member_)

struct request_sock {
	struct sock_common __req_common;
};

struct tcp_skb_cb {
	__u16 tcp_gso_segs;
	__u8 tcp_flags;
};

struct sk_buff {
	char cb[48];
};

struct inode___net {
	unsigned long i_ino;
};

struct socket {
	struct sock *sk;
};

struct socket_alloc {
	struct socket socket;
	struct inode___net vfs_inode;
};

struct file___net {
	void *private_data;
};

struct fdtable___net {
	struct file___net **fd;
};

struct files_struct___net {
	struct fdtable___net *fdt; /* fdtab, until a task has more than 64 files */
	struct fdtable___net fdtab;
};

struct task_struct___net {
	struct files_struct___net *files;
};

#pragma clang attribute pop

#define WEIR_IPPROTO_TCP 6

/* Bits of skc_flags that all kernels number alike. */
#define WEIR_SOCK_DONE 1 /* the peer's FIN has come */

#endif
