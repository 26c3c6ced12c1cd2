/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asks the page cache for known pages, and says how many of a file's pages are in it.
 * Calls itself cache_asks once it has started, so that its own start can be left out. FILE.new is
 * made before that: a file system may have to read its own tables from the disk to make a file.
 * Usage: cache_reader FILE ACTION...; actions, done in the order given:
 *	drop      throws the file out of the cache
 *	read      reads all of it, 64 KiB at a time
 *	bytes     reads its first 100 bytes, 50 times
 *	random    reads each 16th page, last first, without read-ahead
 *	map       maps it and reads a byte of each page
 *	write     writes as many new pages as the file has, to the empty file FILE.new
 *	resident  prints how many of its pages are in the cache (mincore)
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096

struct target {
	int fd;
	int new_fd; /* FILE.new */
	size_t size;
};

static int target_drop(const struct target *target)
{
	return fsync(target->fd) || posix_fadvise(target->fd, 0, 0, POSIX_FADV_DONTNEED);
}

static int target_read(const struct target *target)
{
	static char bytes[64 << 10];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(target->fd, bytes, sizeof(bytes), at)) > 0)
		at += n;
	return n < 0 || (size_t)at != target->size;
}

static int target_bytes(const struct target *target)
{
	char bytes[100];

	for (int i = 0; i < 50; i++)
		if (pread(target->fd, bytes, sizeof(bytes), 0) != sizeof(bytes))
			return 1;
	return 0;
}

static int target_random(const struct target *target)
{
	char bytes[PAGE];

	if (posix_fadvise(target->fd, 0, 0, POSIX_FADV_RANDOM))
		return 1;
	for (off_t page = (off_t)(target->size / PAGE) - 1; page >= 0; page -= 16)
		if (pread(target->fd, bytes, PAGE, page * PAGE) != PAGE)
			return 1;
	return 0;
}

static int target_map(const struct target *target)
{
	volatile const char *bytes = mmap(NULL, target->size, PROT_READ, MAP_SHARED, target->fd, 0);
	unsigned int sum = 0;

	if (bytes == MAP_FAILED)
		return 1;
	for (size_t i = 0; i < target->size; i += PAGE)
		sum += (unsigned int)bytes[i];
	return sum == UINT32_MAX;
}

static int target_write(const struct target *target)
{
	static const char bytes[PAGE];

	for (size_t at = 0; at < target->size; at += PAGE)
		if (write(target->new_fd, bytes, PAGE) != PAGE)
			return 1;
	return 0;
}

static int target_resident(const struct target *target)
{
	size_t pages = (target->size + PAGE - 1) / PAGE, count = 0;
	static unsigned char in[1 << 16];
	void *map = mmap(NULL, target->size, PROT_READ, MAP_SHARED, target->fd, 0);

	if (pages > sizeof(in) || map == MAP_FAILED || mincore(map, target->size, in))
		return 1;
	for (size_t i = 0; i < pages; i++)
		count += in[i] & 1;
	printf("%zu\n", count);
	return munmap(map, target->size);
}

static const struct {
	const char *name;
	int (*act)(const struct target *target);
} actions[] = {
	{ "drop", target_drop },         { "read", target_read }, { "bytes", target_bytes },
	{ "random", target_random },     { "map", target_map },   { "write", target_write },
	{ "resident", target_resident },
};

static int act(const struct target *target, const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		if (strcmp(actions[i].name, name) == 0)
			return actions[i].act(target);
	return 1;
}

static int target_open(struct target *target, const char *path)
{
	char new_path[4096];
	struct stat status;

	snprintf(new_path, sizeof(new_path), "%s.new", path);
	target->fd = open(path, O_RDONLY | O_CLOEXEC);
	target->new_fd = open(new_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (target->fd < 0 || target->new_fd < 0 || fstat(target->fd, &status))
		return 1;
	target->size = (size_t)status.st_size;
	return 0;
}

int main(int argc, char **argv)
{
	struct target target;

	if (argc < 2 || target_open(&target, argv[1])) {
		perror("cache_reader");
		return 2;
	}
	prctl(PR_SET_NAME, "cache_asks");
	for (int i = 2; i < argc; i++)
		if (act(&target, argv[i])) {
			fprintf(stderr, "cache_reader: %s failed\n", argv[i]);
			return 1;
		}
	return 0;
}
