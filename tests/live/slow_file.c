/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file system with one file, "disk", each of whose reads takes a given time: under a loop device
 * it makes a disk of known latency. FOPEN_DIRECT_IO, so that each request gets here. With an
 * IMAGE, that is what the file holds, and it can be written, just as slowly; else it holds x.
 * Usage: slow_file SIZE_MIB DELAY_MS MOUNTPOINT [IMAGE] (ends when unmounted)
 */
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct slow_file {
	off_t size;
	struct timespec delay;
	int image; /* -1: none */
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

static void wait_for_it(void)
{
	struct timespec left = slow_file()->delay;

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

static int slow_read(const char *path, char *bytes, size_t size, off_t offset,
		     struct fuse_file_info *info)
{
	int image = slow_file()->image;

	(void)path, (void)info;
	if (offset >= slow_file()->size)
		return 0;
	if ((off_t)size > slow_file()->size - offset)
		size = (size_t)(slow_file()->size - offset);
	wait_for_it();
	memset(bytes, 'x', size);
	if (image >= 0 && pread(image, bytes, size, offset) < 0)
		return -errno;
	return (int)size;
}

static int slow_write(const char *path, const char *bytes, size_t size, off_t offset,
		      struct fuse_file_info *info)
{
	ssize_t written;

	(void)path, (void)info;
	if (slow_file()->image < 0)
		return -EROFS;
	wait_for_it();
	written = pwrite(slow_file()->image, bytes, size, offset);
	return written < 0 ? -errno : (int)written;
}

static const struct fuse_operations slow_operations = {
	.getattr = slow_getattr,
	.open = slow_open,
	.read = slow_read,
	.write = slow_write,
};

int main(int argc, char **argv)
{
	char foreground[] = "-f";
	char *options[] = { argv[0], foreground, argv[3], NULL };
	struct slow_file file = { .image = -1 };
	long delay_ms;

	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: slow_file SIZE_MIB DELAY_MS MOUNTPOINT [IMAGE]\n");
		return 2;
	}
	delay_ms = strtol(argv[2], NULL, 10);
	file.size = (off_t)strtol(argv[1], NULL, 10) << 20;
	file.delay.tv_sec = delay_ms / 1000;
	file.delay.tv_nsec = delay_ms % 1000 * 1000000;
	if (argc == 5)
		file.image = open(argv[4], O_RDWR | O_CLOEXEC);
	if (argc == 5 && file.image < 0) {
		perror(argv[4]);
		return 1;
	}
	return fuse_main(3, options, &slow_operations, &file);
}
