/* SPDX-License-Identifier: BSD-2-Clause */
/* What only the rows that are sent need, see process_details.c. */
#ifndef CPU_PROCESS_DETAILS_H
#define CPU_PROCESS_DETAILS_H

#include "process.h"

/* Texts go into the batch's arena; what cannot be read is absent. 0 or -ENOMEM. */
int process_add_cgroup(struct weir_ctx *ctx, struct weir_batch *batch,
		       const struct process_task *task, struct weir_text *cgroup,
		       struct weir_text *container);
/* The job of cron or its kind that a process belongs to which began at `started`. */
int process_add_job(struct weir_ctx *ctx, struct weir_batch *batch, const struct process_task *task,
		    uint64_t started, struct weir_text *job);
/* The command line, its words with blanks between, in st->buffer: its length, 0 where there is none. */
size_t process_read_command(struct weir_ctx *ctx, uint32_t pid);
int process_add_command(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t pid,
			struct weir_text *command);

/* When it began; WEIR_ABSENT_U64: before the first moment of CLOCK_MONOTONIC here. */
uint64_t process_started(const struct process_state *st, const struct process_task *task);

/* How many files the process has open; WEIR_ABSENT_U32: that may not be known. */
uint32_t process_count_fds(struct weir_ctx *ctx, uint32_t pid);

#endif
