/* SPDX-License-Identifier: BSD-2-Clause */
/* What /proc shows of processes now: for those that were there before weir, and where it missed. */
#ifndef PROCESS_SCAN_H
#define PROCESS_SCAN_H

#include <weir/file.h>
#include <weir/plugin.h>

#include "process_table.h"

/* The members of /proc/PID/stat that weir wants. */
struct process_stat {
	char comm[PROCESS_COMM_SIZE];
	char state;
	uint32_t ppid;
	uint32_t threads;
	uint64_t start_ticks; /* since boot, 100 a second everywhere Linux shows them */
};

/* Parses the whole text of a stat file. 0 or -EBADMSG. */
int process_parse_stat(const char *text, size_t size, struct process_stat *stat);

/*
 * Takes a process in, or what its maps file shows beyond what is known of it. `watched`: the
 * kernel tells of its changes from before now on. 0, -ESRCH: it is gone, or a negative errno.
 */
int process_scan(struct weir_ctx *ctx, struct process_table *table, uint32_t pid, bool watched);

/* The name of a thread that the table does not know; -ESRCH: gone. */
int process_scan_thread(struct weir_ctx *ctx, struct process *process, uint32_t tid);

/* Fills process->cgroup and ->container. 0, -ESRCH: it is gone, or -ENOMEM. */
int process_scan_cgroup(struct weir_ctx *ctx, struct process *process);

/* True when the pid is still that process. */
bool process_scan_alive(struct weir_ctx *ctx, const struct process *process);

#endif
