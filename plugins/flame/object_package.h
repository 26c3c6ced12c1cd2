/* SPDX-License-Identifier: BSD-2-Clause */
/* What would give a stripped file its names: the package of debug symbols that belongs to it. */
#ifndef FLAME_OBJECT_PACKAGE_H
#define FLAME_OBJECT_PACKAGE_H

#include <stddef.h>

#include "object.h"

/* Writes what to do, as the package manager below `root` knows the file. */
void object_package_cure(int root, const struct object *object, char *out, size_t size);

#endif
