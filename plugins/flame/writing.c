/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing text piece by piece; see writing.h. */
#include <stdio.h>

#include "writing.h"

int writing_open(struct weir_ctx *ctx, struct writing *writing, const char *path)
{
	writing->host = ctx->host;
	writing->writer = ctx->host->writer_open(ctx, path, WEIR_WRITE_WHOLE);
	return writing->writer ? 0 : -EIO;
}

void writing_bytes(struct writing *writing, const void *bytes, size_t count)
{
	if (!writing->err && count)
		writing->err = writing->host->writer_write(writing->writer, bytes, count);
}

void writing_put(struct writing *writing, const char *text)
{
	writing_bytes(writing, text, strlen(text));
}

void writing_print(struct writing *writing, const char *format, ...)
{
	char text[512];
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (length >= (int)sizeof(text))
		writing->err = writing->err ? writing->err : -EOVERFLOW;
	else if (length > 0)
		writing_bytes(writing, text, (size_t)length);
}

int writing_close(struct weir_ctx *ctx, struct writing *writing, const char *what)
{
	if (!writing->err) {
		writing->err = writing->host->writer_close(writing->writer, 1);
		writing->writer = NULL;
	}
	return writing->err ? weir_fail(ctx, writing->err, "writing %s", what) : 0;
}

void writing_stop(struct writing *writing)
{
	if (writing->writer)
		writing->host->writer_close(writing->writer, 0);
	writing->writer = NULL;
}
