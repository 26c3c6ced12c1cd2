/* SPDX-License-Identifier: BSD-2-Clause */
/* ${x}, ${env:X}, ${x:-default} and $$ in the values of a tree. */
#ifndef CORE_SUBSTITUTE_H
#define CORE_SUBSTITUTE_H

#include "pipeline.h"

/*
 * Replaces references in all values below `tree`, keys excepted. A value that is nothing but a
 * reference to a parameter of type strings becomes a LIST. What is not set is an error at the
 * reference. 0 or a negative errno.
 */
int substitute(const struct pipeline *pipeline, struct tree *tree, struct diag *diag);

/* True for a scalar that is nothing but a reference to that parameter. */
bool substitute_refers(const struct tree *tree, const char *param);

#endif
