/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines on stderr: what plugins and strangers say is escaped, and goes out in one write. */
#include "log.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAXIMUM 2048

static size_t escape_one(unsigned char byte, char out[5])
{
	if (byte >= ' ' && byte != 0x7f)
		return (size_t)snprintf(out, 5, "%c", byte);
	if (byte == '\n' || byte == '\t' || byte == '\r')
		return (size_t)snprintf(out, 5, "\\%c",
					byte == '\n'   ? 'n'
					: byte == '\t' ? 't'
						       : 'r');
	return (size_t)snprintf(out, 5, "\\x%02x", byte);
}

size_t log_escape(const char *text, char *out, size_t size)
{
	size_t used = 0;

	for (; *text; text++) {
		char piece[5];
		size_t length = escape_one((unsigned char)*text, piece);

		if (used + length >= size)
			break;
		memcpy(out + used, piece, length);
		used += length;
	}
	out[used] = '\0';
	return used;
}

void log_vline(const char *who, const char *format, va_list args)
{
	char text[LINE_MAXIMUM / 2], line[LINE_MAXIMUM];
	size_t used = (size_t)snprintf(line, sizeof(line), "weir: ");

	if (who) {
		used += log_escape(who, line + used, 128);
		used += (size_t)snprintf(line + used, sizeof(line) - used, ": ");
	}
	vsnprintf(text, sizeof(text), format, args);
	used += log_escape(text, line + used, sizeof(line) - used - 1);
	line[used++] = '\n';
	/* Nobody can be told when stderr is gone. */
	if (write(STDERR_FILENO, line, used) < 0)
		return;
}

void log_line(const char *who, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	log_vline(who, format, args);
	va_end(args);
}
