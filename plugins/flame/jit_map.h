/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Perf maps: /tmp/perf-PID.map, to which a run time appends "START SIZE NAME" for each piece of code
 * it makes (Linux, tools/perf/Documentation/jit-interface.txt). Numbers are hexadecimal, with or
 * without 0x; the name is the rest of the line.
 */
#ifndef FLAME_JIT_MAP_H
#define FLAME_JIT_MAP_H

#include <stdbool.h>

#include "jit_code.h"

enum { JIT_MAP_TAIL = 64 };

/* All zero: nothing read. */
struct jit_map {
	struct jit_codes codes;
	uint64_t offset;         /* in the file, of the next line */
	char tail[JIT_MAP_TAIL]; /* what stood before it: a file may be written anew in place */
	uint64_t inode;
	uint64_t device;
	uint64_t bad_lines;
	bool full; /* more than is kept */
};

/*
 * Reads the lines that the file has got since the last call; all of it where it is another file or
 * was begun anew. `whole`: nobody writes to it any more, so that what stands behind the last
 * newline is a line too. 0 or a negative errno.
 */
int jit_map_read(struct jit_map *map, int fd, bool whole);

/* One line without its newline. 0, -EBADMSG, or what jit_codes_add() says. */
int jit_map_line(struct jit_codes *codes, const char *line, size_t length);

void jit_map_clear(struct jit_map *map);

#endif
