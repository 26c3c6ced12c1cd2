/* SPDX-License-Identifier: BSD-2-Clause */
/* Copying a batch so that its names are ids of another table. */
#ifndef FLAME_REMAP_H
#define FLAME_REMAP_H

#include <weir/plugin.h>

#include "intmap.h"

struct remap {
	struct weir_names *names; /* the table to go to */
	struct intmap ids;        /* of the batch at hand: its ids to ours */
};

/* A loan with the same rows, arena and window as `in`. NULL: there was no loan. */
struct weir_batch *remap_copy(struct weir_ctx *ctx, uint32_t output, const struct weir_batch *in);

/* Turns all names of `out`, a copy of `in`, into ids of remap->names. 0 or -ENOMEM. */
int remap_names(struct weir_ctx *ctx, struct remap *remap, const struct weir_schema *schema,
		const struct weir_batch *in, struct weir_batch *out);

#endif
