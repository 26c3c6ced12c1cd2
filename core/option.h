/* SPDX-License-Identifier: BSD-2-Clause */
/* Option tables: from a tree to a component's filled struct, and back to text for help. */
#ifndef CORE_OPTION_H
#define CORE_OPTION_H

#include <weir/component.h>

#include "config.h"

/* What the filled struct points to. */
struct option_memory;

/*
 * Fills `conf` (component->options_size bytes, zeroed) from a MAP and the defaults. Unknown keys,
 * wrong types and values out of range are errors at their place; all are reported. `tree` may
 * be NULL: defaults only. *memory is the caller's, for option_release(), also on failure.
 */
int option_fill(const struct weir_component *component, const struct tree *tree, struct diag *diag,
		const struct place *node_place, void *conf, struct option_memory **memory);
void option_release(struct option_memory *memory); /* NULL is allowed */

/*
 * Sets one option of a filled struct from text; the error goes into `error`. For tests and tools.
 * A TEXT then points to `value` itself; TEXTS, which would need memory, are -ENOTSUP.
 */
int option_set(const struct weir_component *component, void *conf, const char *name,
	       const char *value, char *error, size_t error_size);

/* The place of "name" or "name[2]" in the tree; the node's own place if it is not written there. */
struct place option_place(const struct tree *tree, const char *path,
			  const struct place *node_place);

/* Texts with units: "250ms", "64MiB", "1.5h". 0, -EINVAL (not of that form) or -ERANGE. */
int option_duration(const char *text, uint64_t *ns);
int option_size(const char *text, uint64_t *bytes);

/* "duration, 1ms to 1h, default 10s" for describe and help. */
void option_describe(const struct weir_option *option, char *out, size_t size);

#endif
