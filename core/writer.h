/* SPDX-License-Identifier: BSD-2-Clause */
/* Where sinks write: files, FIFOs, stdout; buffered, and whole where that is asked for. */
#ifndef CORE_WRITER_H
#define CORE_WRITER_H

#include <stdbool.h>

#include <weir/host.h>

/* Who writes. Both calls come from the thread that uses the writer. */
struct writer_owner {
	void *arg;
	/* The first error, once, with the path in the text. `closed`: stdout's reader has gone. */
	void (*fail)(void *arg, int error, bool closed, const char *text);
	bool (*give_up)(void *arg); /* asked when a call was interrupted */
};

/* "-" is stdout. NULL after having called fail(). */
struct weir_writer *writer_open(const char *path, uint32_t flags, const struct writer_owner *owner);

/* Contracts: the writer_ calls of weir_host. */
int writer_write(struct weir_writer *writer, const void *bytes, size_t count);
int writer_flush(struct weir_writer *writer);
int writer_close(struct weir_writer *writer, int keep);
int writer_patch(struct weir_writer *writer, uint64_t offset, const void *bytes, size_t count);
uint32_t writer_columns(const struct weir_writer *writer);
uint32_t writer_rows(const struct weir_writer *writer);
int writer_color(const struct weir_writer *writer);

#endif
