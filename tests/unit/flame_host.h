/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A host for the unit tests of area flame: one input of samples, real names, batches and options;
 * what a sink writes ends in memory, what a transform commits in a list.
 */
#ifndef FLAME_HOST_H
#define FLAME_HOST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/plugin.h>

#include "batch.h"
#include "names.h"
#include "option.h"

/* Last: its macro fail() hides a member of struct weir_host. */
#include <cmocka.h>

extern const struct weir_component weir_component;

enum { FLAME_OUT_MAX = 64 };

struct flame_row {
	uint64_t time;
	uint64_t weight;
	uint64_t samples;
	struct weir_stack_ref stack;
	uint32_t pid;
	uint32_t tid;
	char comm[32];
	struct weir_name cgroup;
	uint32_t pad;
	uint64_t before; /* a column of flame_schema_before alone */
};

struct flame_host {
	struct weir_host host; /* first: a ctx leads back to it */
	struct weir_ctx ctx;
	struct weir_input input;
	struct weir_service service; /* what "process" gives */
	struct batch *in;            /* being made */
	struct weir_names *names;    /* of in */
	uint32_t pid;                /* of the samples to add, and their tid; 0: absent */
	uint64_t before;             /* of the samples to add */
	uint64_t time;               /* likewise */
	struct batch *out[FLAME_OUT_MAX];
	uint32_t out_count;
	const struct weir_schema *declared;
	char *text; /* what was written */
	size_t text_size;
	bool kept; /* the file was closed as whole */
	uint64_t lost;
	char said[4096]; /* all messages, one a line */
	struct option_memory *memory;
	void *options;
};

/* Creates and binds weir_component with options "name=value", ended by NULL. What bind() returned. */
int flame_open(struct flame_host *flame, const char *const *options);
/* The same with another schema of the samples: rows with a column `before`. */
extern const struct weir_schema flame_schema_before;
int flame_open_schema(struct flame_host *flame, const struct weir_schema *schema,
		      const char *const *options);
/* start(), if there is one. */
int flame_start(struct flame_host *flame);
/* Adds a sample: "leaf;...;root", each "symbol[@object][#kijtc]" with flags. */
void flame_sample(struct flame_host *flame, const char *comm, uint64_t weight, const char *stack);
/* Adds a sample of addresses, the first of which is no return address. */
void flame_addresses(struct flame_host *flame, uint32_t pid, const uint64_t *addresses,
		     uint32_t count, uint32_t flags);
/* Pushes what was added as one batch. */
int flame_push(struct flame_host *flame);
int flame_drain(struct flame_host *flame);
void flame_close(struct flame_host *flame);

/* A name of a batch that came out. */
const char *flame_name(const struct weir_batch *batch, uint32_t id);
/* A file below tests/, whole and closed by NUL; the caller frees it. */
char *flame_file(const char *path);

#endif
