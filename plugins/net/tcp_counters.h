/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters and levels of TCP, UDP and sockets that a network namespace has, as a table. */
#ifndef NET_TCP_COUNTERS_H
#define NET_TCP_COUNTERS_H

#include <weir/file.h>
#include <weir/plugin.h>

#include "spaces.h"

/*
 * X(ID, file, "group", "kernel's name", column, "head", flags, "doc"): what happened. A file
 * whose lines are "name value" has no groups. What several rows of one ID tell is added up.
 */
#define TCP_RATES(X)                                                                               \
	X(ACTIVE, SNMP, "Tcp", "ActiveOpens", active_opens, "active/s", 0,                         \
	  "connections asked for")                                                                 \
	X(PASSIVE, SNMP, "Tcp", "PassiveOpens", passive_opens, "passive/s", 0,                     \
	  "connections taken")                                                                     \
	X(IN, SNMP, "Tcp", "InSegs", in_segments, "iseg/s", 0, "segments received")                \
	X(OUT, SNMP, "Tcp", "OutSegs", out_segments, "oseg/s", 0, "segments sent, again or not")   \
	X(RETRANS, SNMP, "Tcp", "RetransSegs", retransmits, "retrans/s", 0, "segments sent again") \
	X(FAILED, SNMP, "Tcp", "AttemptFails", failed_attempts, "atmptf/s", WEIR_QUIET,            \
	  "connections that did not come to be")                                                   \
	X(RESETS, SNMP, "Tcp", "EstabResets", resets, "estres/s", WEIR_QUIET,                      \
	  "connections that ended by a reset")                                                     \
	X(IN_ERRORS, SNMP, "Tcp", "InErrs", in_errors, "isegerr/s", WEIR_QUIET,                    \
	  "bad segments received")                                                                 \
	X(OUT_RESETS, SNMP, "Tcp", "OutRsts", out_resets, "orsts/s", WEIR_QUIET, "resets sent")    \
	X(OVERFLOWS, NETSTAT, "TcpExt", "ListenOverflows", listen_overflows, "lovfl/s", 0,         \
	  "connections lost, as a listener's queue was full")                                      \
	X(LISTEN_DROPS, NETSTAT, "TcpExt", "ListenDrops", listen_drops, "ldrop/s", WEIR_QUIET,     \
	  "connections lost by listeners for any reason")                                          \
	X(COOKIES_SENT, NETSTAT, "TcpExt", "SyncookiesSent", cookies_sent, "cooks/s", WEIR_QUIET,  \
	  "SYN cookies sent")                                                                      \
	X(COOKIES_RECEIVED, NETSTAT, "TcpExt", "SyncookiesRecv", cookies_received, "cookr/s",      \
	  WEIR_QUIET, "SYN cookies that came back")                                                \
	X(COOKIES_FAILED, NETSTAT, "TcpExt", "SyncookiesFailed", cookies_failed, "cookf/s",        \
	  WEIR_QUIET, "SYN cookies that were wrong")                                               \
	X(SYN_DROPS, NETSTAT, "TcpExt", "TCPReqQFullDrop", syn_drops, "syndrop/s", WEIR_QUIET,     \
	  "SYNs dropped, as the queue of requests was full")                                       \
	X(TIMEOUTS, NETSTAT, "TcpExt", "TCPTimeouts", timeouts, "tmo/s", WEIR_QUIET,               \
	  "retransmission timers that ran out")                                                    \
	X(SYN_RETRANS, NETSTAT, "TcpExt", "TCPSynRetrans", syn_retransmits, "synrt/s", WEIR_QUIET, \
	  "SYNs sent again")                                                                       \
	X(LOST_RETRANS, NETSTAT, "TcpExt", "TCPLostRetransmit", lost_retransmits, "lostrt/s",      \
	  WEIR_QUIET, "segments sent again that were lost once more")                              \
	X(BACKLOG_DROPS, NETSTAT, "TcpExt", "TCPBacklogDrop", backlog_drops, "bkdrop/s",           \
	  WEIR_QUIET, "segments dropped, as a busy socket's backlog was full")                     \
	X(RECEIVE_DROPS, NETSTAT, "TcpExt", "TCPRcvQDrop", receive_drops, "rqdrop/s", WEIR_QUIET,  \
	  "segments dropped, as a receive queue was full")                                         \
	X(PRUNED, NETSTAT, "TcpExt", "PruneCalled", pruned, "prune/s", WEIR_QUIET,                 \
	  "times that a receive queue had to be made smaller")                                     \
	X(NO_MEMORY, NETSTAT, "TcpExt", "TCPAbortOnMemory", aborts_no_memory, "abmem/s",           \
	  WEIR_QUIET, "connections ended for want of memory")                                      \
	X(UDP_IN, SNMP, "Udp", "InDatagrams", udp_in, "udpi/s", WEIR_QUIET,                        \
	  "UDP datagrams delivered")                                                               \
	X(UDP_OUT, SNMP, "Udp", "OutDatagrams", udp_out, "udpo/s", WEIR_QUIET,                     \
	  "UDP datagrams sent")                                                                    \
	X(UDP_NO_PORT, SNMP, "Udp", "NoPorts", udp_no_port, "udpnop/s", WEIR_QUIET,                \
	  "UDP datagrams to a port that nobody has")                                               \
	X(UDP_ERRORS, SNMP, "Udp", "InErrors", udp_errors, "udperr/s", WEIR_QUIET,                 \
	  "UDP datagrams that could not be delivered")                                             \
	X(UDP_RECEIVE_FULL, SNMP, "Udp", "RcvbufErrors", udp_receive_full, "udprcv/s", WEIR_QUIET, \
	  "of these, as a receive buffer was full")                                                \
	X(UDP_SEND_FULL, SNMP, "Udp", "SndbufErrors", udp_send_full, "udpsnd/s", WEIR_QUIET,       \
	  "UDP datagrams not sent, as a send buffer was full")

/* The same of IPv6, where it has counters of its own: X(ID, file, "group", "kernel's name"). */
#define TCP_MORE(X)                                                                                \
	X(UDP_IN, SNMP6, "", "Udp6InDatagrams")                                                    \
	X(UDP_OUT, SNMP6, "", "Udp6OutDatagrams")                                                  \
	X(UDP_NO_PORT, SNMP6, "", "Udp6NoPorts")                                                   \
	X(UDP_ERRORS, SNMP6, "", "Udp6InErrors")                                                   \
	X(UDP_RECEIVE_FULL, SNMP6, "", "Udp6RcvbufErrors")                                         \
	X(UDP_SEND_FULL, SNMP6, "", "Udp6SndbufErrors")                                            \
	X(TCP_IN_USE, SOCKSTAT6, "TCP6", "inuse")                                                  \
	X(UDP_IN_USE, SOCKSTAT6, "UDP6", "inuse")

/* X(ID, file, "group", "kernel's name", column, flags, "doc"): what is at the window's end. */
#define TCP_LEVELS(X)                                                                              \
	X(ESTABLISHED, SNMP, "Tcp", "CurrEstab", established, WEIR_QUIET,                          \
	  "connections that are open")                                                             \
	X(SOCKETS, SOCKSTAT, "sockets", "used", sockets, WEIR_QUIET, "sockets of any kind")        \
	X(TCP_IN_USE, SOCKSTAT, "TCP", "inuse", tcp_sockets, WEIR_QUIET, "TCP sockets in use")     \
	X(ORPHANS, SOCKSTAT, "TCP", "orphan", orphans, WEIR_QUIET, "TCP sockets of no process")    \
	X(TIME_WAIT, SOCKSTAT, "TCP", "tw", time_wait, WEIR_QUIET, "connections in TIME-WAIT")     \
	X(UDP_IN_USE, SOCKSTAT, "UDP", "inuse", udp_sockets, WEIR_QUIET, "UDP sockets in use")

#define TCP_RATE_ID(id_, ...)  TCP_##id_,
#define TCP_LEVEL_ID(id_, ...) TCP_##id_,

/* Rates first. */
enum tcp_value {
	TCP_RATES(TCP_RATE_ID) TCP_LEVELS(TCP_LEVEL_ID) TCP_VALUES,
	TCP_RATE_COUNT = TCP_ESTABLISHED
};

/* What is not known is WEIR_ABSENT_U64. */
struct tcp_sample {
	uint64_t values[TCP_VALUES];
};

/* Reads what the namespace's files tell. 0; -ESRCH: it cannot be read any more; a negative errno,
 * having said why. */
int tcp_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
	     struct weir_buffer *buffer, struct tcp_sample *sample);

#endif
