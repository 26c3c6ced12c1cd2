/* SPDX-License-Identifier: BSD-2-Clause */
/* Patience with a callback counts what it did itself, not what it waited for. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../../sdk/conform/patience.h"

#define ALLOWED_NS UINT64_C(1000000000)

/* Ends a process like that of a check: it holds one end of the pipe. */
static bool watch(struct progress *progress, void (*body)(void), pid_t *pid, int *status)
{
	int fds[2];
	bool ended;

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	progress_enter(progress, "start", ALLOWED_NS);
	*pid = fork();
	assert_true(*pid >= 0);
	if (*pid == 0) {
		body();
		_exit(7);
	}
	close(fds[1]);
	ended = patience_wait(*pid, fds[0], progress, status);
	close(fds[0]);
	return ended;
}

static void sleep_for_ever(void)
{
	for (;;)
		pause();
}

/* Another process lets it go on, after twice the time that it may take. */
static void be_stopped(void)
{
	pid_t stopped = getpid(), other = fork();

	if (other == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (other == 0) {
		sleep(2);
		kill(stopped, SIGCONT);
	}
	raise(SIGSTOP);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
}

static void who_sleeps_for_ever_is_ended(void **state)
{
	struct progress *progress = progress_new();
	int status = 0;
	pid_t pid;

	(void)state;
	assert_non_null(progress);
	assert_true(watch(progress, sleep_for_ever, &pid, &status));
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	assert_string_equal(progress->call.name, "start");
	progress_free(progress);
}

static void time_that_it_waited_is_not_its_own(void **state)
{
	struct progress *progress = progress_new();
	int status = 0;
	pid_t pid;

	(void)state;
	assert_non_null(progress);
	assert_false(watch(progress, be_stopped, &pid, &status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	progress_free(progress);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_sleeps_for_ever_is_ended),
		cmocka_unit_test(time_that_it_waited_is_not_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
