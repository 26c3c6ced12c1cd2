/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys and names of a pipeline's YAML. */
#ifndef CORE_KEYS_H
#define CORE_KEYS_H

#include "config.h"

/* True for [a-z][a-z0-9_]*, at most 47 characters: names of nodes and parameters. */
bool keys_name(const char *text);

/* Each key of a map must be one of `known`; if not, the error says what is meant. */
int keys_check(const struct tree *map, const char *what, const char *const *known, size_t count,
	       struct diag *diag);

#endif
