/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading perf maps; see jit_map.h. */
#include "jit_map.h"
#include "hex.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	MAP_CHUNK = 1 << 20,     /* of the file, at a time */
	MAP_LINE_MAX = 256 << 10 /* a longer line is no name */
};

/* A number and the blank behind it; the rest of the line, or NULL. */
static const char *map_number(const char *at, const char *end, uint64_t *number)
{
	int digits = 0;

	if (end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	for (*number = 0; at < end && hex_digit(*at) >= 0; at++, digits++)
		*number = *number << 4 | (unsigned int)hex_digit(*at);
	return digits > 0 && digits <= 16 && at < end && *at == ' ' ? at + 1 : NULL;
}

int jit_map_line(struct jit_codes *codes, const char *line, size_t length)
{
	const char *end = line + length, *at;
	struct jit_code code = { 0 };
	uint64_t size;

	if (length && end[-1] == '\r')
		end--;
	at = map_number(line, end, &code.start);
	if (at)
		at = map_number(at, end, &size);
	if (!at || at == end || size == 0 || code.start > UINT64_MAX - size)
		return -EBADMSG;
	code.end = code.start + size;
	return jit_codes_add(codes, &code, at, (size_t)(end - at));
}

static int map_take_line(struct jit_map *map, const char *line, size_t length)
{
	int err = length ? jit_map_line(&map->codes, line, length) : 0;

	if (err == -EBADMSG)
		map->bad_lines++;
	else if (err == -E2BIG)
		map->full = true;
	return err == -EBADMSG || err == -E2BIG ? 0 : err;
}

/* The lines of a chunk; *used bytes of it are done with. */
static int map_take(struct jit_map *map, const char *bytes, size_t size, bool last, size_t *used)
{
	int err = 0;

	*used = 0;
	while (!err && *used < size) {
		const char *line = bytes + *used;
		const char *newline = memchr(line, '\n', size - *used);
		size_t length = newline ? (size_t)(newline - line) : size - *used;

		if (!newline && !last && length < MAP_LINE_MAX)
			break;
		err = map_take_line(map, line, length);
		*used += length + (newline ? 1 : 0);
	}
	return err;
}

/* What stands in the file before the next line. */
static size_t map_tail(const struct jit_map *map, int fd, char tail[JIT_MAP_TAIL])
{
	size_t size = map->offset < JIT_MAP_TAIL ? (size_t)map->offset : JIT_MAP_TAIL;
	ssize_t n = pread(fd, tail, size, (off_t)(map->offset - size));

	return n < 0 ? 0 : (size_t)n;
}

static bool map_goes_on(const struct jit_map *map, int fd, const struct stat *status)
{
	char tail[JIT_MAP_TAIL];
	size_t size;

	if (status->st_ino != map->inode || status->st_dev != map->device ||
	    (uint64_t)status->st_size < map->offset)
		return false;
	size = map_tail(map, fd, tail);
	return memcmp(tail, map->tail, size) == 0;
}

static int map_read_on(struct jit_map *map, int fd, char *chunk, bool whole)
{
	for (;;) {
		ssize_t n = pread(fd, chunk, MAP_CHUNK, (off_t)map->offset);
		size_t used;
		int err;

		if (n <= 0)
			return n < 0 ? -errno : 0;
		err = map_take(map, chunk, (size_t)n, whole && n < MAP_CHUNK, &used);
		if (err || used == 0)
			return err;
		map->offset += used;
	}
}

int jit_map_read(struct jit_map *map, int fd, bool whole)
{
	struct stat status;
	char *chunk;
	int err;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (!map_goes_on(map, fd, &status))
		jit_map_clear(map);
	map->inode = status.st_ino;
	map->device = status.st_dev;
	if ((uint64_t)status.st_size == map->offset)
		return 0;
	chunk = malloc(MAP_CHUNK);
	if (!chunk)
		return -ENOMEM;
	err = map_read_on(map, fd, chunk, whole);
	map_tail(map, fd, map->tail);
	free(chunk);
	return err;
}

void jit_map_clear(struct jit_map *map)
{
	jit_codes_clear(&map->codes);
	memset(map, 0, sizeof(*map));
}
