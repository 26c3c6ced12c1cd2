/* SPDX-License-Identifier: BSD-2-Clause */
/* The outputs of cpu.stat: each adds the rows of what happened between two samples. */
#ifndef CPU_STAT_ROWS_H
#define CPU_STAT_ROWS_H

#include "stat_read.h"
#include "stat_states.h"

/* What is read only once the counters are. */
struct stat_rest {
	struct weir_buffer *buffer;
	const struct stat_states *states;
};

/* 0, or a negative errno, having said why unless it is -ENOMEM. */
int stat_add_cpus(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		  const struct stat_sample *new);
int stat_add_system(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		    const struct stat_sample *new, const struct stat_rest *rest);
int stat_add_line(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		  const struct stat_sample *new, const struct stat_rest *rest);
int stat_add_pressure(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		      const struct stat_sample *new);

extern const struct weir_schema stat_cpu_schema;
extern const struct weir_schema stat_system_schema;
extern const struct weir_schema stat_line_schema;
extern const struct weir_schema stat_pressure_schema;

#endif
