/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Starts programs, fails to, and ends processes, in known numbers.
 *
 *	exec_cases exec N              N times /bin/true
 *	exec_cases fail N              N attempts with execve and N with execveat on what is not there
 *	exec_cases many N              /bin/true with N arguments besides its name
 *	exec_cases long BYTES          /bin/true, one argument of so many bytes, and "end"
 *	exec_cases unfaulted FILE      /bin/true, its name in a page of FILE that was never touched
 *	exec_cases unreadable FILE     an attempt that fails, with such a page, and with no page at all
 *	exec_cases thread              a thread that is not the first one becomes /bin/true
 *	exec_cases threads N           N processes whose eight threads all end at once, the first with
 *	                               code 7; prints how many processes had that code
 *	exec_cases leader              a process whose first thread ends long before the last one, with
 *	                               code 5; prints the process's code
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The system call itself: only its wrapper wants arguments that can be written to. */
static void become(const char *path, const char *const *args)
{
	syscall(SYS_execve, path, args, environ);
}

static void run(const char *const *args)
{
	pid_t pid = fork();

	if (pid == 0) {
		become("/bin/true", args);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

static void run_exec(const char *number)
{
	const char *args[] = { "/bin/true", NULL };

	for (long i = strtol(number, NULL, 10); i > 0; i--)
		run(args);
}

static void run_fail(const char *number)
{
	const char *args[] = { "no", "such thing", NULL };

	for (long i = strtol(number, NULL, 10); i > 0; i--) {
		become("/nonexistent/program", args);
		syscall(SYS_execveat, AT_FDCWD, "/nonexistent/program", args, environ, 0);
	}
}

static void run_many(const char *number)
{
	static char texts[1000][16];
	const char *args[1000 + 2] = { "true" };
	long count = strtol(number, NULL, 10);

	for (long i = 1; i <= count && i <= 1000; i++) {
		snprintf(texts[i - 1], sizeof(texts[0]), "argument%ld", i);
		args[i] = texts[i - 1];
	}
	run(args);
}

static void run_long(const char *number)
{
	static char argument[100000];
	const char *args[] = { "true", argument, "end", NULL };
	size_t size = strtoul(number, NULL, 10);

	if (size < sizeof(argument))
		memset(argument, 'x', size);
	run(args);
}

/* A page with a text which this process has not touched, and which is not in memory. */
static char *cold_page(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	char page[4096] = "from a cold page";
	void *cold;

	if (fd < 0 || write(fd, page, sizeof(page)) != sizeof(page) || fsync(fd) < 0)
		exit(1);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	cold = mmap(NULL, sizeof(page), PROT_READ, MAP_PRIVATE, fd, 0);
	if (cold == MAP_FAILED)
		exit(1);
	return cold;
}

static void run_unfaulted(const char *path)
{
	const char *args[] = { cold_page(path), "warm", NULL };

	become("/bin/true", args);
}

static void run_unreadable(const char *path)
{
	const char *args[] = { "warm", cold_page(path), "warm again", (const char *)8, NULL };

	become("/nonexistent/program", args);
}

static void *become_true(void *unused)
{
	const char *args[] = { "true", "of a thread", NULL };

	(void)unused;
	become("/bin/true", args);
	return NULL;
}

static void run_thread(const char *unused)
{
	pthread_t thread;

	(void)unused;
	if (pthread_create(&thread, NULL, become_true, NULL) == 0)
		pthread_join(thread, NULL);
}

static void *end_together(void *barrier)
{
	pthread_barrier_wait(barrier);
	return NULL;
}

static void end_all(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 8);
	for (int i = 0; i < 7; i++)
		pthread_create(&thread, NULL, end_together, &barrier);
	pthread_barrier_wait(&barrier);
	syscall(SYS_exit, 7);
}

static void run_threads(const char *number)
{
	int sevens = 0;
	int status;

	for (long i = strtol(number, NULL, 10); i > 0; i--) {
		pid_t pid = fork();

		if (pid == 0)
			end_all();
		waitpid(pid, &status, 0);
		sevens += WEXITSTATUS(status) == 7;
	}
	printf("%d\n", sevens);
}

static void *end_late(void *unused)
{
	usleep(300000);
	return unused;
}

static void run_leader(const char *unused)
{
	pid_t pid = fork();
	pthread_t thread;
	int status;

	(void)unused;
	if (pid == 0 && pthread_create(&thread, NULL, end_late, NULL) == 0)
		syscall(SYS_exit, 5);
	waitpid(pid, &status, 0);
	printf("%d\n", WEXITSTATUS(status));
}

static const struct {
	const char *name;
	void (*run)(const char *argument);
} cases[] = {
	{ "exec", run_exec },     { "fail", run_fail },           { "many", run_many },
	{ "long", run_long },     { "unfaulted", run_unfaulted }, { "unreadable", run_unreadable },
	{ "thread", run_thread }, { "threads", run_threads },     { "leader", run_leader },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (argc > 1 && strcmp(argv[1], cases[i].name) == 0) {
			cases[i].run(argc > 2 ? argv[2] : "0");
			return 0;
		}
	return 2;
}
