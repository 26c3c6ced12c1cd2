/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of events that are looked for, and what they are to the kernel. */
#ifndef PERF_NAMES_H
#define PERF_NAMES_H

#include <weir/perf_names.h>
#include <weir/plugin.h>

/* The generic or cache event whose name is most like this one, or NULL: none is. */
const char *perf_name_like(const char *name, char *text, size_t size);

/* The folder of the tracing files, without a leading slash; NULL: tracefs is not mounted. */
const char *perf_tracing_folder(struct weir_ctx *ctx);

/* Tells a tracepoint's number, by "group:name". 0 or a negative errno. */
int perf_tracepoint(struct weir_ctx *ctx, const char *name, uint64_t *config);

#endif
