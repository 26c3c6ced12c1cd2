/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs a reader of flame.file over bytes in memory, and holds it to what every reader promises. */
#ifndef FUZZ_FILE_RUN_H
#define FUZZ_FILE_RUN_H

#include "../../plugins/flame/file_reader.h"

/* The first byte chooses options; the rest is the profile. */
void file_run(const struct file_reader *reader, const uint8_t *data, size_t size);

#endif
