/* SPDX-License-Identifier: BSD-2-Clause */
/* tracefs, which tells the numbers of tracepoints: where it is mounted, or a mount of our own. */
#ifndef WEIR_TRACEFS_H
#define WEIR_TRACEFS_H

#include <linux/mount.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "file.h"

/* Room for group and name of a tracepoint. */
#define WEIR_TRACEPOINT_NAME_MAX 128

/*
 * A tracefs of our own that nobody else sees and no folder holds; it ends with its descriptor.
 * Needs CAP_SYS_ADMIN. Negative errno: -ENODEV where the kernel has no tracefs.
 */
static inline int weir_tracefs_mount(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int mount = -1;
	int err;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		mount = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, MOUNT_ATTR_RDONLY);
	err = -errno;
	close(context);
	return mount < 0 ? err : mount;
}

/* The folder of tracefs as it is mounted below the root. Negative errno: -ENOENT where it is not. */
static inline int weir_tracefs_find(struct weir_ctx *ctx)
{
	static const char *const folders[] = { "sys/kernel/tracing", "sys/kernel/debug/tracing" };
	struct stat status;
	int err = -ENOENT;
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		int fd = openat(ctx->root, folders[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		/* The folder is there also where nothing is mounted on it. */
		if (fd >= 0 && fstatat(fd, "events", &status, 0) == 0)
			return fd;
		if (errno != ENOENT)
			err = -errno;
		if (fd >= 0)
			close(fd);
	}
	return err;
}

/* The number of the tracepoint "group/name"; -EOPNOTSUPP: this kernel has none such. */
static inline int weir_tracepoint_id(int tracefs, const char *name)
{
	char path[WEIR_TRACEPOINT_NAME_MAX + sizeof("events//id")];
	char text[16] = "";
	ssize_t length;
	int err = 0;
	int fd;
	int id;

	if (snprintf(path, sizeof(path), "events/%s/id", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -EOPNOTSUPP : -errno;
	length = read(fd, text, sizeof(text) - 1);
	if (length < 0)
		err = -errno;
	close(fd);
	if (err)
		return err;
	return sscanf(text, "%d", &id) == 1 && id >= 0 ? id : -EBADMSG;
}

#endif
