/* SPDX-License-Identifier: BSD-2-Clause */
/* weir-conform: runs the table of checks over plugin files. Exit status 1 when one failed. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../core/plugin_parts.h"
#include "arguments.h"

#define PATIENCE_S 20

static const struct check {
	const char *name;
	void (*run)(struct subject *subject);
	struct life life; /* instead of run */
} checks[] = {
	{ .name = "descriptor", .run = check_descriptor },
	{ .name = "probe without state", .run = check_probe },
	{ .name = "options: defaults", .run = check_defaults },
	{ .name = "options: limits", .run = check_limits },
	{ .name = "options: random texts", .run = check_random_options },
	{ .life = { "life: create, destroy", "c", 1, 0 } },
	{ .life = { "life: create, bind, destroy", "cb", 1, 0 } },
	{ .life = { "life: start, stop at once", "cbs", 1, 0 } },
	{ .life = { "life: start, drain at once", "cbsd", 1, 0 } },
	{ .life = { "life: rows, stop without drain", "cbstp", 1, 0 } },
	{ .life = { "life: rows, drain, stop", "cbstpd", 1, 0 } },
	{ .life = { "life: rows after rows", "cbstptpd", 1, 0 } },
	{ .life = { "life: two at once", "cbstpd", 2, 0 } },
	{ .life = { "life: three half-made at once", "cb", 3, 0 } },
	{ .life = { "life: a deadline that is past", "cbstpd", 1, HARD_LATE } },
	{ .life = { "life: rows that nobody may write", "cbstpd", 1, HARD_READ_ONLY } },
	{ .life = { "life: a host that refuses all", "cbstpd", 1, HARD_REFUSED } },
	{ .life = { "life: a host short of memory", "cbstpd", 1, HARD_PRESSURE } },
	{ .life = { "life: a newer host", "cbstpd", 1, HARD_NEWER } },
	{ .life = { "life: no more files", "cbstpd", 1, HARD_FILES } },
	{ .life = { "life: an ordinary user", "cbstpd", 1, HARD_RIGHTS } },
	{ .life = { "life: a kernel without BTF", "cbstpd", 1, HARD_BPF } },
	{ .life = { "life: no perf events", "cbstpd", 1, HARD_PMU } },
};

static void WEIR_PRINTF(2, 0) add_line(struct subject *subject, const char *format, va_list args)
{
	fputs("    ", stdout);
	vprintf(format, args);
	fputc('\n', stdout);
	subject->faults++;
}

void subject_fault(struct subject *subject, const char *format, ...)
{
	va_list args;

	/* The same fault comes with each row: the first ones tell. */
	if (subject->faults >= 10) {
		subject->faults++;
		return;
	}
	va_start(args, format);
	add_line(subject, format, args);
	va_end(args);
}

void subject_note(struct subject *subject, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(subject->note, sizeof(subject->note), format, args);
	va_end(args);
}

uint64_t subject_patience_ns(const struct subject *subject)
{
	return (uint64_t)subject->patience_s * WEIR_SECOND;
}

static const char *check_name(const struct check *check)
{
	return check->run ? check->name : check->life.name;
}

/* The forked side. Its faults are lines; the parent adds the verdict. */
static void run_here(const struct check *check, struct subject *subject, int note)
{
	if (check->run)
		check->run(subject);
	else
		check_life(subject, &check->life);
	fflush(stdout);
	if (write(note, subject->note, strlen(subject->note)) < 0)
		_exit(2);
	_exit(subject->faults > 0);
}

static void read_note(int fd, char *note, size_t size)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	ssize_t n = poll(&poll_fd, 1, 0) == 1 ? read(fd, note, size - 1) : 0;

	note[n > 0 ? n : 0] = '\0';
}

/* How the check's process ended. */
struct end {
	int status;     /* as waitpid() has it */
	bool too_long;  /* it was ended */
	char note[256]; /* the subject's */
};

/* Where it was when it was ended. */
static void print_too_long(const struct subject *subject)
{
	const struct call *call = &subject->progress->call;

	if (!*call->name)
		printf(": took more than %u s", subject->patience_s);
	else
		printf(": %s() did not end: it took more than %.1f s%s", call->name,
		       (double)call->allowed_ns / WEIR_SECOND,
		       strcmp(call->name, "drain") == 0 ? ", its deadline included" : "");
}

static void print_verdict(const struct subject *subject, const struct check *check,
			  const struct end *end)
{
	bool ok = WIFEXITED(end->status) && WEXITSTATUS(end->status) == 0;

	printf("%s %s: %s", ok ? "ok  " : "FAIL", subject->plugin->component.name,
	       check_name(check));
	if (end->too_long)
		print_too_long(subject);
	else if (WIFSIGNALED(end->status))
		printf(": killed by signal %d (%s)", WTERMSIG(end->status),
		       strsignal(WTERMSIG(end->status)));
	else if (!ok && WEXITSTATUS(end->status) > 1)
		printf(": the process ended with status %d", WEXITSTATUS(end->status));
	else if (*end->note)
		printf(" (%s)", end->note);
	putchar('\n');
	fflush(stdout);
}

/* 1 when it failed. */
static uint32_t run_check(const struct check *check, struct subject *subject)
{
	struct end end = { .status = 1 << 8 };
	int fds[2] = { -1, -1 };
	pid_t pid;

	fflush(stdout);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return 1;
	progress_enter(subject->progress, "", subject_patience_ns(subject));
	pid = fork();
	if (pid == 0)
		run_here(check, subject, fds[1]);
	close(fds[1]);
	if (pid > 0)
		end.too_long = patience_wait(pid, fds[0], subject->progress, &end.status);
	else
		printf("    cannot run the check: %s\n", strerror(errno));
	if (!end.too_long)
		read_note(fds[0], end.note, sizeof(end.note));
	close(fds[0]);
	print_verdict(subject, check, &end);
	return end.status != 0;
}

static uint32_t conform(const char *path, struct subject *subject)
{
	struct plugin *plugin = NULL;
	uint32_t failed = 0;
	char error[1024];

	if (plugin_load_unlinted(path, &plugin, error, sizeof(error)) < 0) {
		printf("FAIL %s\n", error);
		return 1;
	}
	subject->plugin = plugin;
	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		if (subject->only && strcmp(subject->only, check_name(&checks[i])) != 0)
			continue;
		failed += run_check(&checks[i], subject);
		/* With a broken descriptor the rest would only tell the same again. */
		if (i == 0 && failed)
			break;
	}
	plugin_free(plugin);
	return failed;
}

/* Loading runs the file's constructors: in a process of its own, too. 1 when something failed. */
static uint32_t conform_apart(const char *path, struct subject *subject)
{
	int status = 1 << 8;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		uint32_t failed = conform(path, subject);

		fflush(stdout);
		_exit(failed > 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		printf("FAIL %s: cannot run the checks: %s\n", path, strerror(errno));
	else if (WIFSIGNALED(status))
		printf("FAIL %s: killed by signal %d while it was loaded\n", path,
		       WTERMSIG(status));
	else if (WEXITSTATUS(status) > 1)
		printf("FAIL %s: the process ended with status %d while it was loaded\n", path,
		       WEXITSTATUS(status));
	return status != 0;
}

/*
 * mallinfo2() takes what lies in malloc's thread cache for used, so that memory would seem to
 * leak. The cache can only be switched off before the process begins.
 */
static void switch_off_cache(char **argv)
{
	static const char name[] = "GLIBC_TUNABLES";

	if (getenv(name) || setenv(name, "glibc.malloc.tcache_count=0", 1) < 0)
		return;
	execv("/proc/self/exe", argv);
}

int main(int argc, char **argv)
{
	struct arguments arguments = { .patience_s = PATIENCE_S };
	struct subject subject = { NULL };
	uint32_t failed = 0;

	switch_off_cache(argv);
	if (!arguments_read(argc, argv, &arguments))
		return arguments_usage();
	subject.settings = arguments.settings;
	subject.setting_count = arguments.setting_count;
	subject.patience_s = arguments.patience_s;
	subject.only = arguments.only;
	subject.progress = progress_new();
	subject.plugins = plugins_new(arguments.folders, arguments.folder_count);
	if (!subject.plugins || !subject.progress)
		return 1;
	for (int i = arguments.files; i < argc; i++)
		failed += conform_apart(argv[i], &subject);
	plugins_free(subject.plugins);
	progress_free(subject.progress);
	if (failed)
		printf("%u of %d plugins failed\n", failed, argc - arguments.files);
	return failed > 0;
}
