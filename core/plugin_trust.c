/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whom a plugin file belongs to. What root loads runs with root's rights, and what a weir loads that
 * has been given capabilities (setcap) has those, whoever calls it: then weir takes only what nobody
 * but root can have put or changed there: the file itself and each folder on its way.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin_parts.h"

#define ONLY_ROOT "as root or with capabilities weir loads only what root alone can write"

struct way {
	const char *path; /* the real one */
	char *why;
	size_t why_size;
	bool strict;
};

static int WEIR_PRINTF(3, 4) refuse(const struct way *way, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(way->why, way->why_size, format, args);
	va_end(args);
	return error;
}

/* Judges the first `length` bytes of the path: a folder, or the file itself. */
static int check_owner(const struct way *way, const struct stat *st, size_t length)
{
	const char *folder = S_ISDIR(st->st_mode) ? "its folder " : "it";
	int shown = S_ISDIR(st->st_mode) ? (int)length : 0;
	mode_t others = st->st_mode & (S_IWGRP | S_IWOTH);

	if (!way->strict)
		return 0;
	if (st->st_uid != 0)
		return refuse(way, -EPERM,
			      "%s%.*s belongs to uid %u; " ONLY_ROOT ": chown root %.*s", folder,
			      shown, way->path, st->st_uid, (int)length, way->path);
	/* In a sticky folder nobody can replace what belongs to root, which is judged next. */
	if (others == 0 || (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX)))
		return 0;
	return refuse(way, -EPERM,
		      "%s%.*s can be written by %s (mode %04o); " ONLY_ROOT ": chmod go-w %.*s",
		      folder, shown, way->path, others & S_IWOTH ? "everybody" : "its group",
		      st->st_mode & 07777u, (int)length, way->path);
}

/* Opens one step of the way in its folder. O_NONBLOCK: a FIFO must not hold weir up. */
static int step_open(const struct way *way, int folder, const char *name, size_t length)
{
	bool last = way->path[length] == '\0';
	int flags = last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY;
	int fd = openat(folder, name, flags | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int err = 0;

	if (fd < 0)
		return refuse(way, -errno, "%.*s: %s", (int)length, way->path, strerror(errno));
	if (fstat(fd, &st) < 0)
		err = refuse(way, -errno, "%s", strerror(errno));
	else if (last && !S_ISREG(st.st_mode))
		err = refuse(way, -EINVAL, "not a regular file");
	else
		err = check_owner(way, &st, length);
	if (err < 0) {
		close(fd);
		return err;
	}
	return fd;
}

/* From the root on, so that each folder is known to be safe before the next is looked up in it. */
static int walk(const struct way *way)
{
	const char *name = way->path + 1;
	int fd = step_open(way, AT_FDCWD, "/", 1);

	while (fd >= 0 && *name) {
		size_t length = strcspn(name, "/");
		char step[256];
		int next = -ENAMETOOLONG;

		if (length < sizeof(step)) {
			memcpy(step, name, length);
			step[length] = '\0';
			next = step_open(way, fd, step, (size_t)(name - way->path) + length);
		}
		close(fd);
		fd = next;
		name += length + (name[length] == '/');
	}
	return fd;
}

int plugin_open(const char *path, char **real, char *why, size_t why_size)
{
	struct way way = { .strict = geteuid() == 0 || getauxval(AT_SECURE) };

	way.why = why;
	way.why_size = why_size;
	*real = realpath(path, NULL);
	if (!*real)
		return refuse(&way, -errno, "%s", strerror(errno));
	way.path = *real;
	return walk(&way);
}
