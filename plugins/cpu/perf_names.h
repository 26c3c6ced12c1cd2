/* SPDX-License-Identifier: BSD-2-Clause */
/* The names that perf's generic events have, and what they are to the kernel. */
#ifndef PERF_NAMES_H
#define PERF_NAMES_H

#include <stdint.h>

#include <weir/plugin.h>

struct perf_name {
	const char *name;
	const char *alias; /* or NULL */
	uint32_t type;     /* PERF_TYPE_... */
	uint32_t clock;    /* 1: counts nanoseconds */
	uint64_t config;
};

/* All of hardware and software, and of the caches, one after the other; NULL past the last. */
const struct perf_name *perf_name_at(uint32_t i);

/* A cache event: `text` gets "L1-dcache-load-misses". False past the last. */
bool perf_cache_name_at(uint32_t i, char *text, size_t size, uint64_t *config);

/* The generic or cache event whose name is most like this one, or NULL: none is. */
const char *perf_name_like(const char *name, char *text, size_t size);

/* The folder of the tracing files, without a leading slash; NULL: tracefs is not mounted. */
const char *perf_tracing_folder(struct weir_ctx *ctx);

/* Tells a tracepoint's number, by "group:name". 0 or a negative errno. */
int perf_tracepoint(struct weir_ctx *ctx, const char *name, uint64_t *config);

#endif
