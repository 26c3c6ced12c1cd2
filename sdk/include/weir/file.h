/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading kernel files (/proc, /sys) below the root directory that the host gave, whole and
 * into a buffer that is used again.
 */
#ifndef WEIR_FILE_H
#define WEIR_FILE_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "component.h"

/* Starts as zeroed memory; weir_buffer_release() accepts that. */
struct weir_buffer {
	char *bytes; /* closed by NUL after a successful read */
	size_t size; /* without the NUL */
	size_t capacity;
};

/* More than any kernel file that weir reads; a larger one is -EFBIG. */
#define WEIR_FILE_MAX ((size_t)64 << 20)

static inline void weir_buffer_release(struct weir_buffer *buffer)
{
	free(buffer->bytes);
	memset(buffer, 0, sizeof(*buffer));
}

static inline int weir_buffer_grow(struct weir_buffer *buffer)
{
	size_t capacity = buffer->capacity ? buffer->capacity * 2 : 4096;
	char *bytes;

	if (capacity > WEIR_FILE_MAX)
		return -EFBIG;
	bytes = (char *)realloc(buffer->bytes, capacity);
	if (!bytes)
		return -ENOMEM;
	buffer->bytes = bytes;
	buffer->capacity = capacity;
	return 0;
}

/* Reads what an fd still has. 0 or a negative errno. */
static inline int weir_read_fd(int fd, struct weir_buffer *buffer)
{
	buffer->size = 0;
	for (;;) {
		ssize_t n;

		if (buffer->size + 1 >= buffer->capacity) {
			int err = weir_buffer_grow(buffer);

			if (err)
				return err;
		}
		n = read(fd, buffer->bytes + buffer->size, buffer->capacity - buffer->size - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		buffer->size += (size_t)n;
	}
	buffer->bytes[buffer->size] = '\0';
	return 0;
}

/*
 * Reads a file below an open folder. O_NONBLOCK, so that a FIFO in a recorded tree cannot hold
 * anybody up. 0 or a negative errno; says nothing by itself.
 */
static inline int weir_read_at(int folder, const char *path, struct weir_buffer *buffer)
{
	int fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err;

	if (fd < 0)
		return -errno;
	err = weir_read_fd(fd, buffer);
	close(fd);
	return err;
}

/* The same below the root; the path has no leading slash: "proc/stat". */
static inline int weir_read_file(struct weir_ctx *ctx, const char *path, struct weir_buffer *buffer)
{
	return weir_read_at(ctx->root, path, buffer);
}

#endif
