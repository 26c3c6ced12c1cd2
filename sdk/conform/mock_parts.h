/* SPDX-License-Identifier: BSD-2-Clause */
/* What the mock host is made of: for mock_*.c only. */
#ifndef CONFORM_MOCK_PARTS_H
#define CONFORM_MOCK_PARTS_H

#include "mock_host.h"

static inline struct mock *mock_of(struct weir_ctx *ctx)
{
	return (struct mock *)((char *)ctx - offsetof(struct mock, ctx));
}

/* As weir_fail(): keeps the reason. */
int WEIR_PRINTF(3, 4) mock_fails(struct weir_ctx *ctx, int error, const char *format, ...);

/* mock_options.c: the subject's settings, and something for what is required. 0, or a fault. */
int mock_fill_options(struct mock *mock, void *options);

/* mock_service.c, mock_writer.c: calls of the vtable. */
struct weir_writer *mock_writer_open(struct weir_ctx *ctx, const char *path, uint32_t flags);
int mock_writer_write(struct weir_writer *writer, const void *bytes, size_t count);
int mock_writer_flush(struct weir_writer *writer);
int mock_writer_close(struct weir_writer *writer, int keep);
int mock_writer_patch(struct weir_writer *writer, uint64_t offset, const void *bytes, size_t count);
uint32_t mock_writer_columns(const struct weir_writer *writer);
int mock_writer_color(const struct weir_writer *writer);
int mock_service(struct weir_ctx *ctx, const char *name, uint32_t version,
		 struct weir_service *service);
int mock_service_at(struct weir_ctx *ctx, const char *name, uint32_t version, uint32_t i,
		    struct weir_service *service, const char **provider);

#endif
