/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Between whom a TCP connection is: shared by the BPF side (ends.bpf.h) and the user side
 * (ends.h). Includes nothing; fixed-width members only, size asserted.
 */
#ifndef ENDS_EVENT_H
#define ENDS_EVENT_H

/* Address families, numbered alike on all Linux. */
#define ENDS_IPV4 2
#define ENDS_IPV6 10

#define ENDS_PORTS_MAX 16

struct ends {
	unsigned char laddr[16]; /* network order; the first four bytes of IPv4 */
	unsigned char raddr[16];
	unsigned int netns; /* inode of the network namespace */
	unsigned short lport;
	unsigned short rport;
	unsigned short family; /* an IPv4 address mapped into IPv6 is IPv4 */
	unsigned short reserved[3];
};

_Static_assert(sizeof(struct ends) == 48, "ends: kernel and user differ");

/* Set by the user side before load; counts and family of 0: all. */
struct ends_filter {
	unsigned short lports[ENDS_PORTS_MAX];
	unsigned short rports[ENDS_PORTS_MAX];
	unsigned short lport_count;
	unsigned short rport_count;
	unsigned short family;
	unsigned short reserved;
};

_Static_assert(sizeof(struct ends_filter) == 72, "ends_filter: kernel and user differ");

#endif
