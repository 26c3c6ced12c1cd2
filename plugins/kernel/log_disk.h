/* SPDX-License-Identifier: BSD-2-Clause */
/* The whole disk that a message is about: the kernel names partitions, and journals. */
#ifndef KERNEL_LOG_DISK_H
#define KERNEL_LOG_DISK_H

#include <weir/plugin.h>

/* `device` as a message has it; the same again where it is not known, as it is gone. */
void log_whole_disk(struct weir_ctx *ctx, const char *device, char *disk, size_t size);

#endif
