/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How long a callback may go on. The check's process says in a shared page where it is; another one
 * watches, and counts its own time only: that for which it ran or slept, but not that for which it
 * waited for a CPU or a disk, as on a machine with other things to do.
 */
#ifndef CONFORM_PATIENCE_H
#define CONFORM_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The callback that is being called. */
struct call {
	char name[16];
	uint64_t allowed_ns;
};

struct progress {
	uint32_t turn; /* counts up when one begins or ends */
	struct call call;
};

/* A page for this process and those that it forks; NULL: no memory. */
struct progress *progress_new(void);
void progress_free(struct progress *progress); /* NULL is allowed */

/* Returns what was called before, which called this one, for progress_leave(). */
struct call progress_enter(struct progress *progress, const char *name, uint64_t allowed_ns);
void progress_leave(struct progress *progress, const struct call *before);

/*
 * Waits for the process, which keeps the other end of the pipe open until it ends, and ends it when
 * its patience is over. *status is as waitpid() has it. True when it was ended: progress->call tells
 * where.
 */
bool patience_wait(pid_t pid, int pipe, const struct progress *progress, int *status);

#endif
