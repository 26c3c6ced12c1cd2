/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file system with one file, "disk", each of whose reads takes a given time: under a loop device
 * it makes a disk of known latency. FOPEN_DIRECT_IO, so that each request gets here.
 * Usage: slow_file SIZE_MIB DELAY_MS MOUNTPOINT (stays in the foreground; ends when unmounted)
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse3/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

struct slow_file {
	off_t size;
	struct timespec delay;
};

static const struct slow_file *slow_file(void)
{
	return fuse_get_context()->private_data;
}

static int slow_getattr(const char *path, struct stat *status, struct fuse_file_info *info)
{
	(void)info;
	memset(status, 0, sizeof(*status));
	if (strcmp(path, "/") == 0) {
		status->st_mode = S_IFDIR | 0755;
		status->st_nlink = 2;
		return 0;
	}
	if (strcmp(path, "/disk") != 0)
		return -ENOENT;
	status->st_mode = S_IFREG | 0644;
	status->st_nlink = 1;
	status->st_size = slow_file()->size;
	return 0;
}

static int slow_open(const char *path, struct fuse_file_info *info)
{
	if (strcmp(path, "/disk") != 0)
		return -ENOENT;
	info->direct_io = 1;
	return 0;
}

static int slow_read(const char *path, char *bytes, size_t size, off_t offset,
		     struct fuse_file_info *info)
{
	struct timespec left = slow_file()->delay;

	(void)path, (void)info;
	if (offset >= slow_file()->size)
		return 0;
	if ((off_t)size > slow_file()->size - offset)
		size = (size_t)(slow_file()->size - offset);
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
	memset(bytes, 'x', size);
	return (int)size;
}

static const struct fuse_operations slow_operations = {
	.getattr = slow_getattr,
	.open = slow_open,
	.read = slow_read,
};

int main(int argc, char **argv)
{
	char foreground[] = "-f";
	char *options[] = { argv[0], foreground, argv[argc - 1], NULL };
	struct slow_file file;
	long delay_ms;

	if (argc != 4) {
		fprintf(stderr, "usage: slow_file SIZE_MIB DELAY_MS MOUNTPOINT\n");
		return 2;
	}
	delay_ms = strtol(argv[2], NULL, 10);
	file.size = (off_t)strtol(argv[1], NULL, 10) << 20;
	file.delay.tv_sec = delay_ms / 1000;
	file.delay.tv_nsec = delay_ms % 1000 * 1000000;
	return fuse_main(3, options, &slow_operations, &file);
}
