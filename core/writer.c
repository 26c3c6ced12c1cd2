/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer's buffer, its errors, and how bytes reach an fd. Opening and closing: writer_open.c. */
#include "writer.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "writer_parts.h"

#define BUFFER_SIZE   65536u
#define COLUMNS_GUESS 80u

int writer_fault(struct weir_writer *writer, int error, const char *what)
{
	char text[512];

	if (writer->error)
		return writer->error;
	writer->error = error;
	snprintf(text, sizeof(text), "%s %s", what, writer->path);
	writer->owner.fail(writer->owner.arg, error, error == -EPIPE && writer->fd == STDOUT_FILENO,
			   text);
	return error;
}

/* An fd that others set to O_NONBLOCK, as a terminal's may be. */
static bool writer_wait(const struct weir_writer *writer)
{
	struct pollfd ready = { .fd = writer->fd, .events = POLLOUT };

	return poll(&ready, 1, -1) >= 0 || errno == EINTR;
}

static int writer_put(struct weir_writer *writer, const char *bytes, size_t count)
{
	while (count && !writer->error) {
		ssize_t wrote = write(writer->fd, bytes, count);

		if (wrote >= 0) {
			bytes += wrote;
			count -= (size_t)wrote;
			continue;
		}
		if (errno == EAGAIN && writer_wait(writer) &&
		    !writer->owner.give_up(writer->owner.arg))
			continue;
		if (errno == EINTR && !writer->owner.give_up(writer->owner.arg))
			continue;
		return writer_fault(writer, -errno, "write");
	}
	return writer->error;
}

/* Room for `count` more bytes where everything is collected until close. */
static int writer_grow(struct weir_writer *writer, size_t count)
{
	size_t size = writer->size ? writer->size : BUFFER_SIZE;
	char *moved;

	while (size - writer->used < count)
		size *= 2;
	if (size == writer->size)
		return 0;
	moved = realloc(writer->buffer, size);
	if (!moved)
		return writer_fault(writer, -ENOMEM, "write");
	writer->buffer = moved;
	writer->size = size;
	return 0;
}

static int writer_empty(struct weir_writer *writer)
{
	size_t used = writer->used;

	writer->used = 0;
	return used ? writer_put(writer, writer->buffer, used) : writer->error;
}

int writer_write(struct weir_writer *writer, const void *bytes, size_t count)
{
	if (writer->error)
		return writer->error;
	if (!writer->collects) {
		if (count > BUFFER_SIZE - writer->used && writer_empty(writer) < 0)
			return writer->error;
		if (count >= BUFFER_SIZE)
			return writer_put(writer, bytes, count);
	}
	if (writer_grow(writer, count) < 0)
		return writer->error;
	if (count)
		memcpy(writer->buffer + writer->used, bytes, count);
	writer->used += count;
	return 0;
}

int writer_flush(struct weir_writer *writer)
{
	return writer->collects ? writer->error : writer_empty(writer);
}

static bool writer_can_patch(const struct weir_writer *writer)
{
	struct stat status;

	return writer->fd != STDOUT_FILENO && !writer->collects &&
	       fstat(writer->fd, &status) == 0 && S_ISREG(status.st_mode);
}

int writer_patch(struct weir_writer *writer, uint64_t offset, const void *bytes, size_t count)
{
	const char *at = bytes;

	if (!writer_can_patch(writer))
		return -ESPIPE;
	if (writer_empty(writer) < 0)
		return writer->error;
	while (count) {
		ssize_t wrote = pwrite(writer->fd, at, count, (off_t)offset);

		if (wrote < 0 && errno == EINTR && !writer->owner.give_up(writer->owner.arg))
			continue;
		if (wrote <= 0)
			return writer_fault(writer, wrote < 0 ? -errno : -EIO, "write");
		at += wrote;
		offset += (uint64_t)wrote;
		count -= (size_t)wrote;
	}
	return 0;
}

int writer_finish(struct weir_writer *writer)
{
	return writer_empty(writer);
}

static bool writer_is_dumb(void)
{
	const char *terminal = getenv("TERM");

	return terminal && strcmp(terminal, "dumb") == 0;
}

/* What the environment says, else the terminal; 0: neither does. */
static uint32_t writer_size(const char *name, uint32_t measured)
{
	const char *text = getenv(name);
	unsigned long told = text ? strtoul(text, NULL, 10) : 0;

	return told > 0 && told < 65536 ? (uint32_t)told : measured;
}

uint32_t writer_columns(const struct weir_writer *writer)
{
	struct winsize size = { 0 };
	uint32_t columns;

	if (!isatty(writer->fd))
		return 0;
	ioctl(writer->fd, TIOCGWINSZ, &size);
	columns = writer_size("COLUMNS", size.ws_col);
	return columns ? columns : COLUMNS_GUESS;
}

uint32_t writer_rows(const struct weir_writer *writer)
{
	struct winsize size = { 0 };

	if (!isatty(writer->fd) || writer_is_dumb())
		return 0;
	ioctl(writer->fd, TIOCGWINSZ, &size);
	return writer_size("LINES", size.ws_row);
}

int writer_color(const struct weir_writer *writer)
{
	const char *unwanted = getenv("NO_COLOR");

	return isatty(writer->fd) && !(unwanted && unwanted[0]) && !writer_is_dumb();
}
