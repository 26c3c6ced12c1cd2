/* SPDX-License-Identifier: BSD-2-Clause */
/* A file that is written through gzip, and appears whole or not at all. */
#ifndef FLAME_GZIP_H
#define FLAME_GZIP_H

#include <zlib.h>

#include <weir/plugin.h>

/* All zero: closed. */
struct gzip {
	const struct weir_host *host;
	struct weir_writer *writer; /* NULL: closed */
	z_stream stream;
	bool begun;
};

/* 0, or a negative errno after having failed. */
int gzip_open(struct weir_ctx *ctx, struct gzip *gzip, const char *path);
int gzip_write(struct gzip *gzip, const void *bytes, size_t count);
/* keep false: throws the file away. A closed one is left alone. */
int gzip_close(struct gzip *gzip, bool keep);

#endif
