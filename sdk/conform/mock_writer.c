/* SPDX-License-Identifier: BSD-2-Clause */
/* The mock host's writers. */
#include <stdlib.h>

#include "mock_parts.h"

/* Output goes nowhere; only its use is watched. */
struct weir_writer {
	struct mock *mock;
};

struct weir_writer *mock_writer_open(struct weir_ctx *ctx, const char *path, uint32_t flags)
{
	struct weir_writer *writer =
		mock_of(ctx)->hardships & HARD_REFUSED ? NULL : calloc(1, sizeof(*writer));

	(void)flags;
	if (!writer) {
		mock_fails(ctx, -ENOSPC, "open %s", path);
		return NULL;
	}
	writer->mock = mock_of(ctx);
	writer->mock->writers++;
	return writer;
}

int mock_writer_write(struct weir_writer *writer, const void *bytes, size_t count)
{
	const volatile uint8_t *byte = bytes;

	(void)writer;
	/* Reads all of it, for the sanitizers. */
	for (size_t i = 0; i < count; i++)
		(void)byte[i];
	return 0;
}

int mock_writer_flush(struct weir_writer *writer)
{
	(void)writer;
	return 0;
}

int mock_writer_close(struct weir_writer *writer, int keep)
{
	(void)keep;
	if (writer)
		writer->mock->writers--;
	free(writer);
	return 0;
}

int mock_writer_patch(struct weir_writer *writer, uint64_t offset, const void *bytes, size_t count)
{
	(void)offset;
	return mock_writer_write(writer, bytes, count);
}

uint32_t mock_writer_columns(const struct weir_writer *writer)
{
	(void)writer;
	return 80;
}

int mock_writer_color(const struct weir_writer *writer)
{
	(void)writer;
	return 1;
}
