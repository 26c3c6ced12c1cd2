/* SPDX-License-Identifier: BSD-2-Clause */
/* How readers of profiles that have addresses find the names of functions: as the options say. */
#ifndef FLAME_FILE_RESOLVE_H
#define FLAME_FILE_RESOLVE_H

#include "file_reader.h"
#include "resolve.h"

/* Without names of its own: the reader sets those of the profile. NULL: no memory. */
struct resolve *file_resolve_new(const struct file *file);
/* NULL is allowed. */
void file_resolve_free(const struct file *file, struct resolve *resolve);

/* With trust_files: a mapping without a build-id is of the file that lies there now. */
void file_resolve_trust(const struct file *file, struct weir_mapping *mapping);

#endif
