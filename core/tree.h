/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree of scalars, lists and maps, each with the place where it was written. */
#ifndef CORE_TREE_H
#define CORE_TREE_H

#include <stdbool.h>

#include "diag.h"

enum tree_kind {
	TREE_SCALAR = 1,
	TREE_LIST = 2,
	TREE_MAP = 3,
};

/* A node of the tree. */
struct tree {
	enum tree_kind kind;
	struct place place;
	bool quoted;         /* SCALAR in quotes, or substituted: a text even when it is empty */
	char *text;          /* SCALAR; closed by NUL, without other NULs */
	uint32_t count;      /* LIST, MAP */
	struct tree **keys;  /* MAP: scalars; NULL for a LIST */
	struct tree **items; /* LIST: the items; MAP: the values */
};

/* NULL: no memory. `text` (of a SCALAR, else NULL) is copied. */
struct tree *tree_new(enum tree_kind kind, const struct place *place, const char *text);
void tree_free(struct tree *tree); /* NULL is allowed */

/* Adds an item to a LIST (key NULL) or a MAP. Takes both over, also when it fails. */
int tree_add(struct tree *tree, struct tree *key, struct tree *item);

/* The key's node, or its value; NULL: not there. `map` may be NULL or no map. */
struct tree *tree_key(const struct tree *map, const char *key);
struct tree *tree_get(const struct tree *map, const char *key);

/* Takes a value out of a map; it is the caller's then. NULL: not there. */
struct tree *tree_take(struct tree *map, const char *key);

/* `key:` with nothing behind it. */
bool tree_is_null(const struct tree *tree);

/* "a list", "a map", "a value". */
const char *tree_kind_name(const struct tree *tree);

#endif
