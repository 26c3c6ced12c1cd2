/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the very file that was mapped. */
#ifndef FLAME_OBJECT_OPEN_H
#define FLAME_OBJECT_OPEN_H

#include <weir/service/process.h>

#include "elf_file.h"

/*
 * Opens the file of a mapping and reads its headers. The fd, which is the caller's; -ESTALE: there
 * are files, but none is the one that was mapped; another negative errno: there is none.
 */
int object_open(int root, const char *path, const struct weir_mapping *mapping, struct elf *elf);

/*
 * Opens a path as that process would, or as who has `top` for its root directory would: for reading,
 * without ever being held up; `flags` are further ones, such as O_NOFOLLOW. The fd, which is the
 * caller's, or a negative errno.
 */
int object_open_below(int top, const char *path, int flags);
int object_open_in_process(int root, uint32_t pid, const char *path, int flags);

/*
 * The vDSO of a mapping, out of this process's own memory: 0, -ESTALE: it is that of another kernel;
 * or another negative errno: there is none.
 */
int object_open_vdso(const struct weir_mapping *mapping, struct elf *elf);

/* Bytes of an ELF image in memory that ends with its section table; 0: cannot tell. */
uint64_t object_image_size(const uint8_t *image);

#endif
