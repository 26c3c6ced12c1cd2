/* SPDX-License-Identifier: BSD-2-Clause */
/* A line in the making: see line.h. */
#include "line.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `count` more bytes, or NULL. */
static char *line_room(struct line *line, size_t count)
{
	size_t capacity = line->capacity ? line->capacity : 256;
	char *bytes;

	if (count <= line->capacity - line->length)
		return line->bytes + line->length;
	while (capacity - line->length < count)
		capacity *= 2;

	bytes = realloc(line->bytes, capacity);
	if (!bytes) {
		line->failed = true;
		return NULL;
	}
	line->bytes = bytes;
	line->capacity = capacity;
	return line->bytes + line->length;
}

void line_add(struct line *line, const void *bytes, size_t count)
{
	char *room = count ? line_room(line, count) : NULL;

	if (!room)
		return;
	memcpy(room, bytes, count);
	line->length += count;
}

void line_text(struct line *line, const char *text)
{
	line_add(line, text, strlen(text));
}

void line_fill(struct line *line, char fill, size_t count)
{
	char *room = count ? line_room(line, count) : NULL;

	if (!room)
		return;
	memset(room, fill, count);
	line->length += count;
}

void line_printf(struct line *line, const char *format, ...)
{
	char *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		line->failed = true;
		return;
	}
	line_add(line, text, (size_t)length);
	free(text);
}

void line_clear(struct line *line)
{
	line->length = 0;
	line->failed = false;
}

void line_free(struct line *line)
{
	free(line->bytes);
	memset(line, 0, sizeof(*line));
}
