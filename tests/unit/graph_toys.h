/* SPDX-License-Identifier: BSD-2-Clause */
/* Toy components and a stage to run pipelines of them on: for test_graph.c and test_run.c. */
#ifndef TESTS_GRAPH_TOYS_H
#define TESTS_GRAPH_TOYS_H

#include <stdbool.h>
#include <stdint.h>

#include "graph.h"

/* What all toys of a test share. Reset by stage_begin(). */
struct toys {
	char events[1024]; /* "start:out start:io drain:io ..." */
	uint64_t rows;     /* that sinks got */
	uint64_t batches;
	uint64_t made;            /* rows that sources committed */
	uint64_t refused;         /* loans that were refused */
	uint64_t drained;         /* sources whose drain was called */
	const void *seen_rows[4]; /* where the rows of the last batch lay, by sink */
	uint32_t sinks;
	bool gate_open; /* blocked sinks wait for it */
	uint64_t at_gate;
	uint32_t live;    /* created and not destroyed */
	char absent[128]; /* what a toy.pass was told of a source that is off */
};
extern struct toys toys;

/* A finished run. */
struct stage {
	struct diag *diag;
	struct pipeline *pipeline;
	struct graph *graph;
	char errors[4096]; /* diagnostics as printed */
	char told[16384];  /* what the run wrote to stderr */
	int built;         /* graph_new()'s result */
	int status;        /* graph_run()'s */
};

void stage_begin(void);
/* Builds a pipeline of YAML; `argv` (may be NULL) ends with NULL and follows its name. */
void stage_build(struct stage *stage, const char *yaml, char **argv);
/* Runs it, with stderr captured. `during` (may be NULL) is run on another thread meanwhile. */
void stage_run(struct stage *stage, void *(*during)(void *arg));
void stage_end(struct stage *stage);
/* All three, for runs that need no company. */
void stage_play(struct stage *stage, const char *yaml, char **argv);

void toys_open_gate(void);
/* Waits until one of the numbers above has come that far. */
void toys_wait(const uint64_t *number, uint64_t at_least);

/* The counts of the edge that leads to a node's first input. */
struct edge_counts;
void stage_edge(struct stage *stage, const char *node, struct edge_counts *counts);

#endif
