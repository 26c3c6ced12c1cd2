/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections sources, transforms and sinks. For pipeline.c. */
#ifndef CORE_PIPELINE_NODE_H
#define CORE_PIPELINE_NODE_H

#include "pipeline.h"

/*
 * Makes the nodes of all sections, with references substituted. A node with an error is made all
 * the same, so that its name is known to others. 0 or a negative errno, all errors in `diag`.
 */
int nodes_read(struct pipeline *pipeline, struct diag *diag);
void nodes_free(struct pipeline *pipeline);

/* Reads a node's `inputs`. For pipeline_node.c. */
int inputs_read(struct pipeline_node *node, const struct tree *inputs, struct diag *diag);
void inputs_free(struct pipeline_node *node);

/* What can be wrong between nodes: inputs that lead nowhere, cycles, what nobody reads. */
int nodes_check(const struct pipeline *pipeline, struct diag *diag);

/* "source", "transform", "sink". */
const char *node_kind_name(enum weir_kind kind);

#endif
