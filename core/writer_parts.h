/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer from inside: for writer.c and writer_open.c. */
#ifndef CORE_WRITER_PARTS_H
#define CORE_WRITER_PARTS_H

#include "writer.h"

struct weir_writer {
	struct writer_owner owner;
	char *path;      /* for messages, and to rename to */
	char *temporary; /* the file's name until it is whole; NULL: it has none, or its own */
	char *buffer;    /* made when the first byte comes */
	size_t used;
	size_t size;
	int fd;
	int error;     /* the first; it sticks */
	bool whole;    /* becomes `path` at close */
	bool collects; /* whole, but nothing to rename: all is kept until close */
};

/* Keeps the first error and tells the owner. Returns it. */
int writer_fault(struct weir_writer *writer, int error, const char *what);
/* Writes what the buffer holds, also of a writer that collects. */
int writer_finish(struct weir_writer *writer);

#endif
