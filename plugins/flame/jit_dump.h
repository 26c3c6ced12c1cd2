/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Jitdump files: what a run time tells of the code it makes, with times, so that an address that is
 * used again has the right name at each moment (Linux, tools/perf/Documentation/jitdump-specification.txt).
 */
#ifndef FLAME_JIT_DUMP_H
#define FLAME_JIT_DUMP_H

#include <stdbool.h>

#include "jit_code.h"

/* All zero: nothing read. */
struct jit_dump {
	struct jit_codes codes;
	uint64_t offset; /* in the file, of the next record; 0: the header was not read yet */
	bool swapped;    /* written with the other byte order */
	bool untimed;    /* its times are of the CPU's own clock: the youngest code has the name */
	bool bad;        /* what stands at `offset` is no record: nothing is read after it */
	bool full;       /* more than is kept */
};

/*
 * Reads the records that the file has got since the last call; a last one that is not whole yet is
 * left for the next. 0 or a negative errno, -EBADMSG where it is no jitdump.
 */
int jit_dump_read(struct jit_dump *dump, int fd);

void jit_dump_clear(struct jit_dump *dump);

#endif
