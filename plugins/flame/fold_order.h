/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merged stacks in an order in which each begins, at its root, as the one before it did: who makes a
 * tree of them then walks each branch once, and finds it in the CPU's cache.
 */
#ifndef FLAME_FOLD_ORDER_H
#define FLAME_FOLD_ORDER_H

#include "fold_set.h"

/* The places in set->stacks in that order; the caller frees it. NULL: no memory, or no stacks. */
uint32_t *fold_order(const struct fold_set *set);

/* How many frames two stacks have in common from their roots on. */
uint32_t fold_common(const struct fold_set *set, const struct fold_stack *a,
		     const struct fold_stack *b);

#endif
