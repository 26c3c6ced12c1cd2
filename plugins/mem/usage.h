/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of mem.stat that say where the memory is, from /proc/meminfo. */
#ifndef MEM_USAGE_H
#define MEM_USAGE_H

#include <weir/file.h>
#include <weir/plugin.h>

extern const struct weir_schema mem_usage_schema;

/* Adds a row for memory and one for swap. 0, or a negative errno, having said why. */
int mem_usage_add(struct weir_ctx *ctx, struct weir_batch *batch, struct weir_buffer *buffer);

#endif
