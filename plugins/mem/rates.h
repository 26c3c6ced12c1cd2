/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of mem.stat that say what happened to the memory in a window, from /proc/vmstat. */
#ifndef MEM_RATES_H
#define MEM_RATES_H

#include <weir/file.h>
#include <weir/plugin.h>

/*
 * X(ID, "kernel's name", column, "head", flags, "doc"). Older kernels have a line for each zone of
 * some, which are added up.
 */
#define MEM_RATES(X)                                                                               \
	X(SWAP_IN, "pswpin", swap_in, "pswpin/s", 0, "pages read from swap")                       \
	X(SWAP_OUT, "pswpout", swap_out, "pswpout/s", 0, "pages written to swap")                  \
	X(FAULTS, "pgfault", faults, "fault/s", 0, "page faults")                                  \
	X(MAJOR_FAULTS, "pgmajfault", major_faults, "majflt/s", 0, "of these, with a read")        \
	X(FREED, "pgfree", freed, "pgfree/s", WEIR_QUIET, "pages freed")                           \
	X(SCAN_KSWAPD, "pgscan_kswapd", scan_kswapd, "pgscank/s", 0,                               \
	  "pages that kswapd looked at in search of free ones")                                    \
	X(SCAN_DIRECT, "pgscan_direct", scan_direct, "pgscand/s", 0,                               \
	  "pages that tasks had to look at themselves")                                            \
	X(STEAL_KSWAPD, "pgsteal_kswapd", steal_kswapd, "pgstealk/s", WEIR_QUIET,                  \
	  "pages that kswapd took from their use")                                                 \
	X(STEAL_DIRECT, "pgsteal_direct", steal_direct, "pgsteald/s", WEIR_QUIET,                  \
	  "pages that tasks took from their use themselves")                                       \
	X(STALLS, "allocstall", stalls, "stall/s", WEIR_QUIET,                                     \
	  "times that a task had to search for free pages itself")                                 \
	X(REFAULTS_FILE, "workingset_refault_file", refaults_file, "refltf/s", WEIR_QUIET,         \
	  "pages of files read again soon after they were taken")                                  \
	X(REFAULTS_ANON, "workingset_refault_anon", refaults_anon, "reflta/s", WEIR_QUIET,         \
	  "pages swapped in again soon after they were taken")                                     \
	X(COMPACT_STALLS, "compact_stall", compact_stalls, "compact/s", WEIR_QUIET,                \
	  "times that a task waited for memory in one piece")                                      \
	X(OOM_KILLS, "oom_kill", oom_kills, "oomk/s", WEIR_QUIET,                                  \
	  "processes killed for want of memory")

/* The same in KiB in the file: X(ID, "kernel's name", column, "head", flags, "doc"). */
#define MEM_BYTE_RATES(X)                                                                          \
	X(PAGE_IN, "pgpgin", page_in, "pgpgin/s", 0, "read from disks")                            \
	X(PAGE_OUT, "pgpgout", page_out, "pgpgout/s", 0, "written to disks")

#define MEM_RATE_ID(id_, ...) MEM_##id_,

enum mem_rate { MEM_RATES(MEM_RATE_ID) MEM_BYTE_RATES(MEM_RATE_ID) MEM_RATE_COUNT };

/* WEIR_ABSENT_U64: not known. */
struct mem_counters {
	uint64_t values[MEM_RATE_COUNT];
};

extern const struct weir_schema mem_rates_schema;

/* 0, or a negative errno, having said why. */
int mem_rates_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct mem_counters *counters);

/* Adds the one row. 0 or -ENOMEM. */
int mem_rates_add(struct weir_ctx *ctx, struct weir_batch *batch, const struct mem_counters *old,
		  const struct mem_counters *new);

#endif
