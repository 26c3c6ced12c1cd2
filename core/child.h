/* SPDX-License-Identifier: BSD-2-Clause */
/* The pipeline's `-- COMMAND`: forked and held, released when all sources are ready. */
#ifndef CORE_CHILD_H
#define CORE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct child;

/* What of signals a command is to have: as they were before weir changed its own. */
struct child_signals {
	sigset_t mask;
	struct sigaction pipe;
	struct sigaction urgent;
};

/*
 * Forks a process that waits before it becomes argv, which must outlive it. 0, or a negative errno.
 * The caller owns *started and ends it with child_free(), which kills and reaps what was never
 * released.
 */
int child_start(char *const *argv, struct child **started);
void child_free(struct child *child); /* NULL is allowed */

pid_t child_pid(const struct child *child);

/* Lets it run. 0, or the negative errno by which exec failed: child_status() is then 127 or 126. */
int child_release(struct child *child);

/*
 * Once more: reaps the one that has ended, and forks another, held as the first was. 0, or a negative
 * errno: -EBUSY where it has not ended.
 */
int child_again(struct child *child, const struct child_signals *signals);

/* Looks whether it has ended. It is reaped by child_free() and child_again(). */
bool child_ended(struct child *child);
/* Its exit status as shells give it: 128 + signal when it was killed. -1: it still runs. */
int child_status(const struct child *child);

void child_signal(struct child *child, int signal); /* nothing when it has ended */
/* Ends it now: SIGKILL, and waits for it. */
void child_kill(struct child *child);

#endif
