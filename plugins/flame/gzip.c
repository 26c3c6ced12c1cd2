/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing through gzip; see gzip.h. */
#include "gzip.h"

enum { GZIP_WINDOW = 15 + 16, GZIP_MEMORY = 8, GZIP_CHUNK = 16 << 10 };

int gzip_open(struct weir_ctx *ctx, struct gzip *gzip, const char *path)
{
	gzip->host = ctx->host;
	gzip->writer = ctx->host->writer_open(ctx, path, WEIR_WRITE_WHOLE);
	if (!gzip->writer)
		return -EIO;
	if (deflateInit2(&gzip->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return weir_fail(ctx, -ENOMEM, "gzip");
	gzip->begun = true;
	return 0;
}

static int gzip_run(struct gzip *gzip, int flush)
{
	uint8_t out[GZIP_CHUNK];
	int err = 0;

	do {
		gzip->stream.next_out = out;
		gzip->stream.avail_out = sizeof(out);
		deflate(&gzip->stream, flush);
		err = gzip->host->writer_write(gzip->writer, out,
					       sizeof(out) - gzip->stream.avail_out);
	} while (!err && gzip->stream.avail_out == 0);
	return err;
}

int gzip_write(struct gzip *gzip, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;
	int err = 0;

	while (count && !err) {
		uInt part = count < 1u << 30 ? (uInt)count : 1u << 30;

		gzip->stream.next_in = (Bytef *)at;
		gzip->stream.avail_in = part;
		err = gzip_run(gzip, Z_NO_FLUSH);
		at += part;
		count -= part;
	}
	return err;
}

int gzip_close(struct gzip *gzip, bool keep)
{
	int err = 0, closed;

	if (gzip->begun) {
		if (keep)
			err = gzip_run(gzip, Z_FINISH);
		deflateEnd(&gzip->stream);
		gzip->begun = false;
	}
	if (!gzip->writer)
		return err;
	closed = gzip->host->writer_close(gzip->writer, keep && !err);
	gzip->writer = NULL;
	return err ? err : closed;
}
