/* SPDX-License-Identifier: BSD-2-Clause */
/* The page, and who watches it. */
#include "patience.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 50

struct progress *progress_new(void)
{
	void *page = mmap(NULL, sizeof(struct progress), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return page == MAP_FAILED ? NULL : page;
}

void progress_free(struct progress *progress)
{
	if (progress)
		munmap(progress, sizeof(*progress));
}

static void progress_set(struct progress *progress, const struct call *call)
{
	progress->call = *call;
	__atomic_add_fetch(&progress->turn, 1, __ATOMIC_RELEASE);
}

struct call progress_enter(struct progress *progress, const char *name, uint64_t allowed_ns)
{
	struct call before = progress->call, call = { .allowed_ns = allowed_ns };

	snprintf(call.name, sizeof(call.name), "%s", name);
	progress_set(progress, &call);
	return before;
}

void progress_leave(struct progress *progress, const struct call *before)
{
	progress_set(progress, before);
}

/* What a process has had, so far as it is known. */
struct watched {
	pid_t pid;
	uint32_t turn;
	uint64_t seen_ns;  /* when it was looked at last */
	uint64_t delay_ns; /* for which it has waited for a CPU, in all */
	uint64_t own_ns;   /* its own time in this turn */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The kernel may be built without: then all time is taken for its own. */
static uint64_t cpu_delay_ns(pid_t pid)
{
	unsigned long long delay = 0;
	char path[40];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*u %llu", &delay) != 1)
		delay = 0;
	fclose(file);
	return delay;
}

/* True while it waits for a disk, is stopped, or has ended. */
static bool is_held_up(pid_t pid)
{
	char path[40], line[512] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		line[0] = '\0';
	fclose(file);
	state = strrchr(line, ')');
	return state && state[1] == ' ' && strchr("DTtZX", state[2]);
}

/* Adds what it has had since the last look; begins anew where it has got on. */
static void look(struct watched *watched, const struct progress *progress)
{
	uint32_t turn = __atomic_load_n(&progress->turn, __ATOMIC_ACQUIRE);
	uint64_t now = now_ns(), delay = cpu_delay_ns(watched->pid);
	uint64_t waited = delay > watched->delay_ns ? delay - watched->delay_ns : 0;
	uint64_t passed = now - watched->seen_ns;

	if (turn != watched->turn)
		watched->own_ns = 0;
	else if (!is_held_up(watched->pid) && passed > waited)
		watched->own_ns += passed - waited;
	watched->turn = turn;
	watched->seen_ns = now;
	watched->delay_ns = delay;
}

/* True when it ends by itself. What it forked may keep the pipe open. */
static bool ends(pid_t pid, int pipe, int *status)
{
	struct pollfd poll_fd = { .fd = pipe };

	bool closed = poll(&poll_fd, 1, LOOK_MS) == 1;

	if (waitpid(pid, status, WNOHANG) == pid)
		return true;
	if (closed)
		usleep(1000);
	return false;
}

bool patience_wait(pid_t pid, int pipe, const struct progress *progress, int *status)
{
	struct watched watched = { .pid = pid, .seen_ns = now_ns() };

	while (!ends(pid, pipe, status)) {
		look(&watched, progress);
		if (watched.own_ns <= progress->call.allowed_ns)
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, status, 0);
		return true;
	}
	return false;
}
