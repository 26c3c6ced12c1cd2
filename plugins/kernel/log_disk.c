/* SPDX-License-Identifier: BSD-2-Clause */
/* See log_disk.h. */
#include "log_disk.h"

#include <stdio.h>
#include <unistd.h>

/*
 * "../../devices/pci0000:00/.../block/sda/sda1": a partition is in the folder of its disk, a disk in
 * one that is called "block". False: there is no such device.
 */
static bool log_find_disk(struct weir_ctx *ctx, const char *device, char *disk, size_t size)
{
	char path[128], target[512];
	const char *parts[2] = { "", "" };
	ssize_t length;

	if (snprintf(path, sizeof(path), "sys/class/block/%s", device) >= (int)sizeof(path))
		return false;
	length = readlinkat(ctx->root, path, target, sizeof(target) - 1);
	if (length <= 0)
		return false;
	target[length] = '\0';
	for (char *rest = target, *part; (part = strsep(&rest, "/"));) {
		parts[0] = parts[1];
		parts[1] = part;
	}
	snprintf(disk, size, "%s", strcmp(parts[0], "block") == 0 ? parts[1] : parts[0]);
	return true;
}

/* A journal in a device is called "sda1-8", by its inode. */
void log_whole_disk(struct weir_ctx *ctx, const char *device, char *disk, size_t size)
{
	const char *dash = strrchr(device, '-');
	char outside[64];

	snprintf(disk, size, "%s", device);
	if (strchr(device, '/') || log_find_disk(ctx, device, disk, size))
		return;
	snprintf(outside, sizeof(outside), "%.*s", dash ? (int)(dash - device) : 0, device);
	if (dash)
		log_find_disk(ctx, outside, disk, size);
}
