/* SPDX-License-Identifier: BSD-2-Clause */
/* What goes wrong on the machines of others: a life must end in order under each. */
#ifndef CONFORM_HARDSHIP_H
#define CONFORM_HARDSHIP_H

#include <stdint.h>
#include <sys/resource.h>

enum hardship {
	HARD_REFUSED = 1 << 0,   /* every call of the host that can fail does */
	HARD_PRESSURE = 1 << 1,  /* every other loan is refused, as where memory is short */
	HARD_READ_ONLY = 1 << 2, /* rows lie where a write ends the process */
	HARD_LATE = 1 << 3,      /* drain's deadline is past */
	HARD_NEWER = 1 << 4,     /* the host's structs have members of later */
	HARD_FILES = 1 << 5,     /* two more files may be opened: EMFILE */
	/* Of the process, for the rest of its life: */
	HARD_RIGHTS = 1 << 6, /* an ordinary user, without capabilities: EPERM */
	HARD_BPF = 1 << 7,    /* no BTF of the kernel: it loads no program, EINVAL */
	HARD_PMU = 1 << 8,    /* no perf event of any sort, ENOENT */
};

/* Puts the process under those that last. 0, or negative errno: it cannot be done here. */
int hardship_begin(uint32_t hardships);

/* HARD_FILES, until the limit is set back to what it was: *before. */
int hardship_few_files(struct rlimit *before);

#endif
