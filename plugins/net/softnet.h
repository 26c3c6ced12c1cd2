/* SPDX-License-Identifier: BSD-2-Clause */
/* What each CPU did with packets that came in, from /proc/net/softnet_stat. */
#ifndef NET_SOFTNET_H
#define NET_SOFTNET_H

#include <weir/file.h>
#include <weir/plugin.h>

enum softnet_counter {
	SOFTNET_PROCESSED,
	SOFTNET_DROPPED,
	SOFTNET_SQUEEZED,
	SOFTNET_RPS,
	SOFTNET_FLOW_LIMIT,
	SOFTNET_BACKLOG, /* a level */
	SOFTNET_COUNTERS,
};

/* The kernel's counters have 32 bits. */
struct softnet_cpu {
	uint32_t cpu;
	uint32_t counters[SOFTNET_COUNTERS];
	bool has[SOFTNET_COUNTERS];
};

struct softnet_sample {
	struct softnet_cpu *cpus;
	uint32_t count;
	uint32_t capacity;
	bool there; /* the file could be read */
};

extern const struct weir_schema softnet_schema;

/* Fills the sample again; a missing file is no failure. 0, or a negative errno, having said why. */
int softnet_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct softnet_sample *sample);

/* Adds a row for each CPU. 0 or -ENOMEM. */
int softnet_add_rows(struct weir_ctx *ctx, struct weir_batch *batch,
		     const struct softnet_sample *old, const struct softnet_sample *new);

#endif
