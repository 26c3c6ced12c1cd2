/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF side: the ends of a TCP connection, and whether the user asked for them. */
#ifndef ENDS_BPF_H
#define ENDS_BPF_H

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <weir/bpf/kernel_net.h>

#include "ends_event.h"

const volatile struct ends_filter ends_filter = {};

static __always_inline int ends_is_mapped(const unsigned char *address)
{
	const __u32 *words = (const __u32 *)address;

	return words[0] == 0 && words[1] == 0 && words[2] == bpf_htonl(0xffff);
}

/*
 * Fills all but the local port from what sockets and requests have in common. Not static, so that
 * the verifier checks it once.
 */
__noinline int ends_fill(struct ends *ends, __u64 address)
{
	struct sock_common *common = (struct sock_common *)address;

	if (!ends)
		return 0;
	ends->netns = BPF_CORE_READ(common, skc_net.net, ns.inum);
	ends->rport = bpf_ntohs(BPF_CORE_READ(common, skc_dport));
	ends->family = BPF_CORE_READ(common, skc_family);
	if (ends->family == ENDS_IPV6) {
		bpf_core_read(ends->laddr, sizeof(ends->laddr), &common->skc_v6_rcv_saddr);
		bpf_core_read(ends->raddr, sizeof(ends->raddr), &common->skc_v6_daddr);
		if (!ends_is_mapped(ends->raddr))
			return 0;
		ends->family = ENDS_IPV4;
	}
	bpf_core_read(ends->laddr, 4, &common->skc_rcv_saddr);
	bpf_core_read(ends->raddr, 4, &common->skc_daddr);
	return 0;
}

/* The local port of a socket: unlike skc_num it stays when the socket has given it back. */
static __always_inline __u16 ends_socket_port(const struct sock *sk)
{
	return bpf_ntohs(
		BPF_CORE_READ((const struct tcp_sock *)sk, inet_conn.icsk_inet.inet_sport));
}

static __always_inline int ends_has_port(const volatile unsigned short *ports, unsigned int count,
					 unsigned short port)
{
	unsigned int i;

	for (i = 0; i < ENDS_PORTS_MAX; i++)
		if (i < count && ports[i] == port)
			return 1;
	return count == 0;
}

/* True for ends that the user asked for. */
static __always_inline int ends_wanted(const struct ends *ends)
{
	if (ends_filter.family && ends->family != ends_filter.family)
		return 0;
	if (ends_filter.lport_count &&
	    !ends_has_port(ends_filter.lports, ends_filter.lport_count, ends->lport))
		return 0;
	return !ends_filter.rport_count ||
	       ends_has_port(ends_filter.rports, ends_filter.rport_count, ends->rport);
}

#endif
