/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host for the unit tests of sources: a root folder of their own whose files the test writes, a
 * clock that it sets, real batches and options. It keeps the last batch of each output.
 */
#ifndef SOURCE_HOST_H
#define SOURCE_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/plugin.h>

/* Last: its macro fail() hides a member of struct weir_host. */
#include <cmocka.h>

extern const struct weir_component weir_component;

enum { SOURCE_OUTPUTS = 4 };

struct source_host {
	struct weir_host host; /* first: a ctx leads back to it */
	struct weir_ctx ctx;
	char root[64]; /* a folder below /tmp */
	uint64_t now;
	struct weir_batch *out[SOURCE_OUTPUTS]; /* the last one of each output, NULL: none */
	weir_ready_fn *ready;                   /* of the fd watched last */
	int fd;
	bool finished;
	uint64_t lost;
	char said[4096];  /* all messages, one a line */
	char needs[1024]; /* names of what a probe found missing or limited, and the cures */
	void *options;
	struct option_memory *memory;
};

/* Makes the folder and the instance, with options "name=value" ended by NULL, or NULL: none. */
void source_open(struct source_host *source, const char *const *options);
/* Writes a file below the root, with its folders. NULL removes the file. */
void source_file(struct source_host *source, const char *path, const char *text);
/* As the kernel's own files: printf. */
void WEIR_PRINTF(3, 4)
	source_print(struct source_host *source, const char *path, const char *format, ...);
int source_start(struct source_host *source);
/* The time has come. What tick() returned. */
int source_tick(struct source_host *source, uint64_t later_ns);
void source_probe(struct source_host *source);
void source_close(struct source_host *source);

/* A value of row i of an output's last batch, by its column's name. */
uint64_t source_uint(const struct source_host *source, uint32_t output, uint32_t i,
		     const char *name);
double source_double(const struct source_host *source, uint32_t output, uint32_t i,
		     const char *name);
const char *source_text(const struct source_host *source, uint32_t output, uint32_t i,
			const char *name);
/* The row whose column has that text; fails when there is none. */
uint32_t source_find(const struct source_host *source, uint32_t output, const char *name,
		     const char *text);
uint32_t source_rows(const struct source_host *source, uint32_t output);

#endif
