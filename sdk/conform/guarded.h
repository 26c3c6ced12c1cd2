/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory behind which nothing lies: whoever reads or writes beyond a struct that he thinks is longer,
 * as a plugin of newer headers may, ends the process at once.
 */
#ifndef CONFORM_GUARDED_H
#define CONFORM_GUARDED_H

#include <stddef.h>

/* `size` bytes, zeroed, a multiple of 8. NULL: no memory. */
void *guarded_new(size_t size);
void guarded_free(void *memory, size_t size); /* NULL is allowed */

#endif
