/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the very file that was mapped; see object_open.h. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "object_open.h"

/* A FIFO or a device at the path must not hold us up or be woken. */
enum { OBJECT_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

int object_open_below(int top, const char *path, int flags)
{
	struct open_how how = { .flags = (uint32_t)(OBJECT_FLAGS | flags),
				.resolve = RESOLVE_IN_ROOT };
	int fd = (int)syscall(SYS_openat2, top, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(top, path[0] == '/' ? path + 1 : path, OBJECT_FLAGS | flags);
	return fd < 0 ? -errno : fd;
}

int object_open_in_process(int root, uint32_t pid, const char *path, int flags)
{
	char proc[64];
	int top, fd;

	snprintf(proc, sizeof(proc), "proc/%u/root", pid);
	top = openat(root, proc, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (top < 0)
		return -errno;
	fd = object_open_below(top, path, flags);
	close(top);
	return fd;
}

/* Where a link of /proc leads; false when that is not `path`. */
static bool object_leads_to(int root, const char *link, const char *path)
{
	char target[PATH_MAX];
	ssize_t length = readlinkat(root, link, target, sizeof(target) - 1);

	if (length < 0)
		return false;
	target[length] = '\0';
	return strcmp(target, path) == 0;
}

/* On overlayfs what is mapped is the file below: its inode number is told of both, not its device. */
static bool object_hides_device(int fd)
{
	struct statfs system;

	return fstatfs(fd, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC;
}

/* Whether an opened file is the one that was mapped. */
static bool object_is_mapped(const struct weir_mapping *mapping, int fd, const struct stat *status,
			     const struct elf *elf)
{
	if (mapping->build_id_size)
		return elf->build_id_size == mapping->build_id_size &&
		       memcmp(elf->build_id, mapping->build_id, elf->build_id_size) == 0;
	if (!mapping->inode || status->st_ino != mapping->inode)
		return false;
	return (major(status->st_dev) == mapping->device_major &&
		minor(status->st_dev) == mapping->device_minor) ||
	       object_hides_device(fd);
}

/* Keeps `fd` and returns it when it is the file; `certain`: the way there proves it. */
static int object_check(int fd, const struct weir_mapping *mapping, bool certain, struct elf *elf)
{
	struct elf_source source = { fd, NULL, 0 };
	struct stat status;
	int err = -ESTALE;

	if (fd < 0)
		return fd;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
		source.size = (uint64_t)status.st_size;
		err = elf_open(elf, &source);
		if (!err && (object_is_mapped(mapping, fd, &status, elf) ||
			     (certain && mapping->build_id_size == 0)))
			return fd;
		if (!err) {
			elf_clear(elf);
			err = -ESTALE;
		}
	}
	close(fd);
	return err;
}

/*
 * /proc/PID/map_files leads to the mapped file even when its path does not. A link with the
 * mapping's own path is the file also where device and inode differ, as overlayfs has it.
 */
static int object_open_map(int root, const struct weir_mapping *mapping, struct elf *elf)
{
	char link[96];

	snprintf(link, sizeof(link), "proc/%u/map_files/%" PRIx64 "-%" PRIx64, mapping->pid,
		 mapping->start, mapping->end);
	return object_check(openat(root, link, OBJECT_FLAGS), mapping,
			    object_leads_to(root, link, mapping->path), elf);
}

static int object_open_exe(int root, const struct weir_mapping *mapping, struct elf *elf)
{
	char link[64];

	snprintf(link, sizeof(link), "proc/%u/exe", mapping->pid);
	return object_check(openat(root, link, OBJECT_FLAGS), mapping, false, elf);
}

/* The more telling of two failures: a file that is another one. */
static int object_worse(int err, int other)
{
	return err == -ESTALE || other == -ESTALE ? -ESTALE : other;
}

int object_open(int root, const char *path, const struct weir_mapping *mapping, struct elf *elf)
{
	int fd = -ENOENT, other;

	if (mapping->alive) {
		fd = object_check(object_open_in_process(root, mapping->pid, path, 0), mapping,
				  false, elf);
		if (fd >= 0)
			return fd;
		other = object_open_map(root, mapping, elf);
		if (other < 0)
			other = object_open_exe(root, mapping, elf);
		if (other >= 0)
			return other;
	}
	other = object_check(object_open_below(root, path, 0), mapping, false, elf);
	return other >= 0 ? other : object_worse(fd, other);
}

uint64_t object_image_size(const uint8_t *image)
{
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	memcpy(&narrow, image, sizeof(narrow));
	if (memcmp(narrow.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;
	if (narrow.e_ident[EI_CLASS] == ELFCLASS32)
		return narrow.e_shoff + (uint64_t)narrow.e_shnum * narrow.e_shentsize;
	memcpy(&wide, image, sizeof(wide));
	return wide.e_shoff + (uint64_t)wide.e_shnum * wide.e_shentsize;
}

/*
 * The image of the vDSO that this process has is everybody's of the same size. How large it is
 * says its section table, which is its end.
 */
int object_open_vdso(const struct weir_mapping *mapping, struct elf *elf)
{
	const uint8_t *image =
		(const uint8_t *)getauxval(AT_SYSINFO_EHDR); /* NOLINT: from the kernel */
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), size;
	struct elf_source source = { -1, image, 0 };

	if (!image)
		return -ENOENT;
	size = object_image_size(image);
	source.size = size;
	if ((size + page - 1) / page * page != mapping->end - mapping->start ||
	    elf_open(elf, &source))
		return -ENOENT;
	/* That of another kernel, in a recording. */
	if (mapping->build_id_size &&
	    (mapping->build_id_size != elf->build_id_size ||
	     memcmp(mapping->build_id, elf->build_id, elf->build_id_size) != 0)) {
		elf_clear(elf);
		return -ESTALE;
	}
	return 0;
}
