/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening and closing: stdout, files, FIFOs; and files that appear whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer_parts.h"

#define TRIES 100

/* Interrupted by the deadline's signal: ask whether to go on. */
static int writer_open_fd(const struct weir_writer *writer, const char *path, int flags)
{
	int fd;

	do
		fd = open(path, flags | O_WRONLY | O_CLOEXEC | O_NOCTTY, 0666);
	while (fd < 0 && errno == EINTR && !writer->owner.give_up(writer->owner.arg));
	return fd < 0 ? -errno : fd;
}

/* "dir/.name.x7k2p9" beside the target, so that rename() stays on one file system. */
static char *writer_temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	uint32_t number = 0;
	char *out;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != (ssize_t)sizeof(number))
		number = (uint32_t)getpid();
	if (asprintf(&out, "%.*s.%s.%08x", (int)(name - path), path, name, number) < 0)
		return NULL;
	return out;
}

/* Without a name nothing is left behind, however weir ends; some file systems cannot do that. */
static int writer_open_unnamed(const struct weir_writer *writer)
{
	const char *slash = strrchr(writer->path, '/');
	char *folder =
		slash ? strndup(writer->path, (size_t)(slash - writer->path) + 1) : strdup(".");
	int fd;

	if (!folder)
		return -ENOMEM;
	fd = writer_open_fd(writer, folder, O_TMPFILE);
	free(folder);
	return fd;
}

/* Does something with new names until one is free. */
typedef int writer_name_fn(const struct weir_writer *writer, const char *name);

static int writer_name(struct weir_writer *writer, writer_name_fn *take)
{
	for (int i = 0; i < TRIES; i++) {
		int got;

		free(writer->temporary);
		writer->temporary = writer_temporary_name(writer->path);
		if (!writer->temporary)
			return -ENOMEM;
		got = take(writer, writer->temporary);
		if (got >= 0)
			return got;
		if (got != -EEXIST) {
			free(writer->temporary);
			writer->temporary = NULL;
			return got;
		}
	}
	return -EEXIST;
}

static int writer_create(const struct weir_writer *writer, const char *name)
{
	return writer_open_fd(writer, name, O_CREAT | O_EXCL);
}

static int writer_link(const struct weir_writer *writer, const char *name)
{
	char unnamed[32];

	snprintf(unnamed, sizeof(unnamed), "/proc/self/fd/%d", writer->fd);
	return linkat(AT_FDCWD, unnamed, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

/* The new file takes the place of `old`, and its mode and owner as far as that is allowed. */
static int writer_inherit(int fd, const struct stat *old)
{
	if (fchown(fd, old->st_uid, old->st_gid) < 0 && errno != EPERM)
		return -errno;
	return fchmod(fd, old->st_mode & 0777) < 0 ? -errno : 0;
}

static int writer_open_temporary(struct weir_writer *writer, const struct stat *old)
{
	char *real = realpath(writer->path, NULL);
	int fd, err;

	/* A link stays a link: the file that it leads to is replaced. */
	if (real) {
		free(writer->path);
		writer->path = real;
	}
	writer->whole = true;
	fd = writer_open_unnamed(writer);
	if (fd < 0)
		fd = writer_name(writer, writer_create);
	err = fd >= 0 && old ? writer_inherit(fd, old) : 0;
	if (!err)
		return fd;
	close(fd);
	if (writer->temporary)
		unlink(writer->temporary);
	return err;
}

static int writer_open_path(struct weir_writer *writer, uint32_t flags)
{
	struct stat there;
	bool there_is = stat(writer->path, &there) == 0;

	if (there_is && S_ISDIR(there.st_mode))
		return -EISDIR;
	if (there_is && !S_ISREG(there.st_mode)) {
		writer->collects = flags & WEIR_WRITE_WHOLE;
		return writer_open_fd(writer, writer->path, 0);
	}
	if (flags & WEIR_WRITE_WHOLE)
		return writer_open_temporary(writer, there_is ? &there : NULL);
	return writer_open_fd(writer, writer->path, O_CREAT | O_TRUNC);
}

static void writer_free(struct weir_writer *writer)
{
	if (writer->fd >= 0 && writer->fd != STDOUT_FILENO)
		close(writer->fd);
	free(writer->temporary);
	free(writer->buffer);
	free(writer->path);
	free(writer);
}

struct weir_writer *writer_open(const char *path, uint32_t flags, const struct writer_owner *owner)
{
	struct weir_writer *writer = calloc(1, sizeof(*writer));
	bool to_stdout = strcmp(path, "-") == 0;

	if (!writer) {
		owner->fail(owner->arg, -ENOMEM, false, "open output");
		return NULL;
	}
	writer->owner = *owner;
	writer->fd = -1;
	writer->path = strdup(to_stdout ? "stdout" : path);
	if (!writer->path) {
		owner->fail(owner->arg, -ENOMEM, false, "open output");
		writer_free(writer);
		return NULL;
	}
	writer->collects = to_stdout && flags & WEIR_WRITE_WHOLE;
	writer->fd = to_stdout ? STDOUT_FILENO : writer_open_path(writer, flags);
	if (writer->fd >= 0)
		return writer;
	writer_fault(writer, writer->fd, "open");
	writer_free(writer);
	return NULL;
}

/* Closes the file: a full disk may be told only here. */
static int writer_close_fd(struct weir_writer *writer)
{
	int fd = writer->fd;

	if (fd == STDOUT_FILENO)
		return 0;
	writer->fd = -1;
	/* On Linux the fd is gone also after EINTR. */
	if (close(fd) < 0 && errno != EINTR)
		return writer_fault(writer, -errno, "close");
	return 0;
}

/* A file without a name gets one while it is still open. */
static void writer_give_name(struct weir_writer *writer)
{
	int err = writer->temporary ? 0 : writer_name(writer, writer_link);

	if (err)
		writer_fault(writer, err, "link");
}

/* What was written becomes the file that was asked for. */
static void writer_appear(struct weir_writer *writer)
{
	if (rename(writer->temporary, writer->path) < 0) {
		writer_fault(writer, -errno, "rename to");
		return;
	}
	free(writer->temporary);
	writer->temporary = NULL;
}

int writer_close(struct weir_writer *writer, int keep)
{
	bool thrown;
	int err;

	if (!writer)
		return 0;
	thrown = (writer->whole || writer->collects) && !keep;
	if (!thrown)
		writer_finish(writer);
	if (writer->whole && !thrown && !writer->error)
		writer_give_name(writer);
	writer_close_fd(writer);
	if (writer->whole && !thrown && !writer->error)
		writer_appear(writer);
	if (writer->temporary)
		unlink(writer->temporary);
	err = writer->error;
	writer_free(writer);
	return err;
}
