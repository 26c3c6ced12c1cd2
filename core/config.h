/* SPDX-License-Identifier: BSD-2-Clause */
/* YAML to a tree with positions. Hostile files are an error, never a crash: size, depth and
 * numbers of entries are limited; duplicate keys, aliases, anchors, tags are errors. */
#ifndef CORE_CONFIG_H
#define CORE_CONFIG_H

#include "diag.h"
#include "tree.h"

/*
 * Reads a file into `diag`'s texts: regular, at most 1 MiB, and as root only one that root or the
 * invoking user owns and not everybody can write. "-" is standard input. 0 or a negative errno,
 * with an error in `diag`.
 */
int config_read(const char *path, struct diag *diag, const struct diag_text **text);

/*
 * Parses a text of `diag`. All errors go to `diag`. 0 and *tree, a MAP (the caller's, tree_free),
 * or a negative errno; then *tree is NULL, or what can be checked further nevertheless.
 */
int config_parse(const struct diag_text *text, struct diag *diag, struct tree **tree);

#endif
