/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing a file of text piece by piece: the first error stays, and what follows it is not written. */
#ifndef FLAME_WRITING_H
#define FLAME_WRITING_H

#include <weir/plugin.h>

struct writing {
	const struct weir_host *host;
	struct weir_writer *writer; /* NULL: closed */
	int err;
};

/* Opens a file that appears when it is whole. "": what -o says, else stdout. 0 or -EIO, having failed. */
int writing_open(struct weir_ctx *ctx, struct writing *writing, const char *path);
void writing_bytes(struct writing *writing, const void *bytes, size_t count);
void writing_put(struct writing *writing, const char *text);
/* At most 511 bytes: more is -EOVERFLOW. */
void WEIR_PRINTF(2, 3) writing_print(struct writing *writing, const char *format, ...);
/* The file is whole, if all was written. 0, or the first error, after having failed. */
int writing_close(struct weir_ctx *ctx, struct writing *writing, const char *what);
/* What was not closed is thrown away. */
void writing_stop(struct writing *writing);

#endif
