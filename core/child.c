/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command. Two pipes: the child waits on one for the word to go (its end of file means that
 * weir has died), and tells on the other, which exec closes, why exec failed.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
	char *const *argv;
	atomic_int pid;
	int go;    /* write end; -1: released */
	int error; /* read end */
	int status;
	atomic_bool ended; /* signals may be watched on another thread */
};

/*
 * The forked side: only calls that are safe after fork(). The first finds signals as weir found them,
 * which changes its own only later.
 */
static void child_become(char *const *argv, int go, int error, const struct child_signals *signals)
{
	ssize_t got;
	char word;
	int err;

	if (signals) {
		sigaction(SIGPIPE, &signals->pipe, NULL);
		sigaction(SIGURG, &signals->urgent, NULL);
		pthread_sigmask(SIG_SETMASK, &signals->mask, NULL);
	}
	do
		got = read(go, &word, 1);
	while (got < 0 && errno == EINTR);
	if (got != 1)
		_exit(125);
	execvp(argv[0], argv);
	err = errno;
	if (write(error, &err, sizeof(err)) < 0)
		_exit(126);
	_exit(err == ENOENT ? 127 : 126);
}

static int child_fork(struct child *child, const int go[2], const int error[2],
		      const struct child_signals *signals)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (pid == 0) {
		/* Else the child's own copy would keep the pipe open after weir's death. */
		close(go[1]);
		child_become(child->argv, go[0], error[1], signals);
	}
	child->pid = pid;
	child->ended = false;
	child->go = go[1];
	child->error = error[0];
	close(go[0]);
	close(error[1]);
	return 0;
}

static int child_hold(struct child *child, const struct child_signals *signals)
{
	int go[2] = { -1, -1 }, error[2] = { -1, -1 }, err = 0;

	if (pipe2(go, O_CLOEXEC) < 0 || pipe2(error, O_CLOEXEC) < 0)
		err = -errno;
	if (!err)
		err = child_fork(child, go, error, signals);
	for (int i = 0; err && i < 2; i++) {
		if (go[i] >= 0)
			close(go[i]);
		if (error[i] >= 0)
			close(error[i]);
	}
	return err;
}

int child_start(char *const *argv, struct child **started)
{
	struct child *child = calloc(1, sizeof(*child));
	int err;

	*started = child;
	if (!child)
		return -ENOMEM;
	child->argv = argv;
	child->go = child->error = -1;
	child->pid = -1;
	err = child_hold(child, NULL);
	if (!err)
		return 0;
	child_free(child);
	*started = NULL;
	return err;
}

int child_again(struct child *child, const struct child_signals *signals)
{
	if (!child_ended(child))
		return -EBUSY;
	if (child->pid > 0)
		waitpid(child->pid, NULL, 0);
	child->pid = -1;
	child->status = 0;
	return child_hold(child, signals);
}

pid_t child_pid(const struct child *child)
{
	return child->pid;
}

static int child_close(int *fd)
{
	int open_fd = *fd;

	*fd = -1;
	return open_fd < 0 ? 0 : close(open_fd);
}

int child_release(struct child *child)
{
	int err = 0;
	ssize_t got;

	if (child->go < 0)
		return -EALREADY;
	/* One that was killed while it waited has closed its end: child_ended() tells. */
	if (write(child->go, "g", 1) < 0 && errno != EPIPE)
		err = -errno;
	child_close(&child->go);
	do
		got = read(child->error, &err, sizeof(err));
	while (got < 0 && errno == EINTR);
	child_close(&child->error);
	if (got == (ssize_t)sizeof(err)) {
		err = -err;
		child_kill(child);
		child->status = err == -ENOENT ? 127 : 126;
	}
	return err;
}

/* It is reaped by child_free() only: until then, sources can read what /proc says of it. */
static bool child_wait(struct child *child, int flags)
{
	siginfo_t info = { .si_pid = 0 };
	int got;

	if (child->ended || child->pid <= 0)
		return true;
	do
		got = waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | flags);
	while (got < 0 && errno == EINTR);
	if (got == 0 && info.si_pid == 0)
		return false;
	child->status = 125;
	if (got == 0)
		child->status = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
	child->ended = true;
	return true;
}

bool child_ended(struct child *child)
{
	return child_wait(child, WNOHANG);
}

int child_status(const struct child *child)
{
	return child->ended ? child->status : -1;
}

void child_signal(struct child *child, int signal)
{
	if (child->pid > 0 && !child->ended)
		kill(child->pid, signal);
}

void child_kill(struct child *child)
{
	child_signal(child, SIGKILL);
	child_wait(child, 0);
}

void child_free(struct child *child)
{
	if (!child)
		return;
	if (!child->ended && child->pid > 0)
		child_kill(child);
	if (child->pid > 0)
		waitpid(child->pid, NULL, WNOHANG);
	child_close(&child->go);
	child_close(&child->error);
	free(child);
}
