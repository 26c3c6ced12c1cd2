/* SPDX-License-Identifier: BSD-2-Clause */
/* The bytes of a profile; see file_input.h. */
#include "file_input.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_INPUT_MARK = 4 }; /* bytes by which a packing is known */

int file_input_open(struct weir_ctx *ctx, struct file_input *in, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	struct stat status;

	*in = (struct file_input){ .ctx = ctx, .path = standard ? "standard input" : path };
	in->fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
			  : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in->fd < 0)
		return weir_fail(ctx, -errno, "open %s", in->path);
	if (fstat(in->fd, &status) < 0)
		return weir_fail(ctx, -errno, "%s", in->path);
	if (S_ISDIR(status.st_mode))
		return weir_fail(ctx, -EISDIR, "%s", in->path);
	in->regular = S_ISREG(status.st_mode) && lseek(in->fd, 0, SEEK_CUR) == 0;
	in->size = in->regular ? (uint64_t)status.st_size : 0;
	return 0;
}

int file_input_part(const struct file_input *whole, struct file_input *in, uint64_t begin)
{
	*in = (struct file_input){ .ctx = whole->ctx,
				   .path = whole->path,
				   .regular = true,
				   .size = whole->size,
				   .fd_at = begin,
				   .at = begin,
				   .packings_known = true };
	in->fd = fcntl(whole->fd, F_DUPFD_CLOEXEC, 3);
	return in->fd < 0 ? -errno : 0;
}

void file_input_close(struct file_input *in)
{
	for (uint32_t i = 0; i < FILE_INPUT_STAGES; i++) {
		struct file_stage *stage = &in->stages[i];

		if (stage->codec)
			stage->codec->close(stage->state);
		free(stage->window.bytes);
	}
	if (in->fd >= 0)
		close(in->fd);
	*in = (struct file_input){ .fd = -1 };
}

/* Makes room for `count` more bytes behind the window's. */
static int window_reserve(struct file_input *in, struct file_window *window, size_t count)
{
	size_t shown = window->end - window->begin, capacity = window->capacity;
	uint8_t *bytes;

	if (window->capacity - window->end >= count)
		return 0;
	if (window->begin) {
		memmove(window->bytes, window->bytes + window->begin, shown);
		window->begin = 0;
		window->end = shown;
	}
	if (window->capacity - shown >= count)
		return 0;
	if (shown + count > FILE_INPUT_MAX)
		return weir_fail(in->ctx, -EFBIG, "%s: one record has more than %zu MB", in->path,
				 FILE_INPUT_MAX >> 20);
	while (capacity < shown + count)
		capacity = capacity ? capacity * 2 : FILE_INPUT_CHUNK;
	bytes = realloc(window->bytes, capacity);
	if (!bytes)
		return weir_fail(in->ctx, -ENOMEM, "%s: %zu bytes", in->path, capacity);
	window->bytes = bytes;
	window->capacity = capacity;
	return 0;
}

/* A read that does not block: what is not there yet is asked for again. */
static ssize_t input_read(const struct file_input *in, void *bytes, size_t count)
{
	struct pollfd ready = { .fd = in->fd, .events = POLLIN };

	if (!in->regular && poll(&ready, 1, 0) == 0)
		return -EAGAIN;
	if (in->limit && count > in->limit - in->fd_at)
		count = (size_t)(in->limit - in->fd_at);
	for (;;) {
		ssize_t got = in->regular ? pread(in->fd, bytes, count, (off_t)in->fd_at)
					  : read(in->fd, bytes, count);

		if (got >= 0 || errno != EINTR)
			return got < 0 ? -errno : got;
	}
}

/* More bytes of the file itself. */
static int input_fill_file(struct file_input *in)
{
	struct file_window *window = &in->stages[0].window;
	int err = window_reserve(in, window, FILE_INPUT_CHUNK);
	ssize_t got;

	if (err)
		return err;
	got = input_read(in, window->bytes + window->end, window->capacity - window->end);
	if (got == -EAGAIN)
		return -EAGAIN;
	if (got < 0)
		return weir_fail(in->ctx, (int)got, "read %s at byte %" PRIu64, in->path,
				 in->fd_at);
	window->end += (size_t)got;
	window->ended = got == 0;
	in->fd_at += (uint64_t)got;
	return 0;
}

static int input_fill(struct file_input *in, uint32_t depth);

/* One step of a packing. What is cut off or broken ends here, which is said. */
static int input_fill_unpacked(struct file_input *in, uint32_t depth)
{
	struct file_stage *stage = &in->stages[depth];
	struct file_window *below = &in->stages[depth - 1].window;
	int err = window_reserve(in, &stage->window, FILE_INPUT_CHUNK);
	size_t taken, made;

	if (!err && below->begin == below->end && !below->ended)
		err = input_fill(in, depth - 1);
	if (err)
		return err;
	taken = below->begin;
	made = stage->window.end;
	err = stage->codec->step(stage->state, below, &stage->window);
	/* It needs more bytes at once than are there. */
	if (!err && !below->ended && below->begin == taken && stage->window.end == made)
		return input_fill(in, depth - 1);
	if (err == -ENOMEM)
		return weir_fail(in->ctx, err, "%s: %s", in->path, stage->codec->name);
	stage->window.ended = err != 0;
	if (err < 0)
		weir_log(in->ctx, WEIR_LOG_WARNING,
			 "%s: the %s data %s after %" PRIu64 " bytes of the file: what comes "
			 "behind is missing",
			 in->path, stage->codec->name, err == -ENODATA ? "is cut off" : "is broken",
			 in->fd_at);
	return 0;
}

/* -EAGAIN, 0 with or without more bytes, or an error that was said. */
static int input_fill(struct file_input *in, uint32_t depth)
{
	return depth ? input_fill_unpacked(in, depth) : input_fill_file(in);
}

static int input_show(struct file_input *in, size_t want)
{
	const struct file_window *window = &in->stages[in->depth].window;
	int err = 0;

	while (!err && !window->ended && window->end - window->begin < want)
		err = input_fill(in, in->depth);
	return err;
}

static const struct file_codec *input_packing(const struct file_window *window)
{
	for (size_t i = 0; i < file_codec_count; i++)
		if (file_codecs[i].recognise(window->bytes + window->begin,
					     window->end - window->begin))
			return &file_codecs[i];
	return NULL;
}

/* Finds out what the bytes are packed in, from outside to inside. */
static int input_unpack(struct file_input *in)
{
	while (!in->packings_known) {
		const struct file_codec *codec;
		struct file_stage *stage;
		int err = input_show(in, FILE_INPUT_MARK);

		if (err)
			return err;
		codec = input_packing(&in->stages[in->depth].window);
		if (!codec || in->depth + 1 == FILE_INPUT_STAGES) {
			in->packings_known = true;
			break;
		}
		stage = &in->stages[in->depth + 1];
		stage->state = codec->open();
		if (!stage->state)
			return weir_fail(in->ctx, -ENOMEM, "%s: %s", in->path, codec->name);
		stage->codec = codec;
		in->depth++;
	}
	return 0;
}

int file_input_peek(struct file_input *in, size_t want, const uint8_t **bytes, size_t *count)
{
	const struct file_window *window;
	int err = input_unpack(in);

	if (!err)
		err = input_show(in, want);
	if (err)
		return err;
	window = &in->stages[in->depth].window;
	*bytes = window->bytes + window->begin;
	*count = window->end - window->begin;
	return 0;
}

bool file_input_is_last(const struct file_input *in)
{
	return in->stages[in->depth].window.ended;
}

void file_input_skip(struct file_input *in, size_t count)
{
	in->stages[in->depth].window.begin += count;
	in->at += count;
}

int file_input_at(const struct file_input *in, uint64_t offset, void *bytes, size_t count)
{
	ssize_t got;

	if (!in->regular || in->depth)
		return -ESPIPE;
	if (offset > INT64_MAX)
		return -ENODATA;
	got = pread(in->fd, bytes, count, (off_t)offset);
	if (got < 0)
		return -errno;
	return (size_t)got == count ? 0 : -ENODATA;
}

uint64_t file_input_lines(const struct file_input *in, uint64_t count)
{
	char bytes[4096];
	uint64_t lines = 0;

	for (uint64_t at = 0; at < count; at += sizeof(bytes)) {
		size_t part = count - at < sizeof(bytes) ? (size_t)(count - at) : sizeof(bytes);

		if (file_input_at(in, at, bytes, part))
			break;
		for (size_t i = 0; i < part; i++)
			lines += bytes[i] == '\n';
	}
	return lines;
}
