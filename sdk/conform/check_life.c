/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks of the life of instances: whatever the order, nothing may be left behind. */
#include <dirent.h>
#include <malloc.h>
#include <string.h>
#include <unistd.h>

#include "mock_host.h"

#define INSTANCES_MAX 4
#define WARM_UP       2 /* what a process keeps for good, it gets in its first lives */
#define MEASURED      4

/* Of LeakSanitizer, where it is linked in: 1 when it has found and told leaks. */
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* What a process holds. */
struct holdings {
	uint32_t fds;
	uint32_t threads;
	size_t bytes;
};

static uint32_t count_entries(const char *path)
{
	DIR *dir = opendir(path);
	uint32_t count = 0;

	while (dir && readdir(dir))
		count++;
	if (dir)
		closedir(dir);
	return count;
}

static void hold(struct holdings *holdings)
{
	holdings->fds = count_entries("/proc/self/fd");
	holdings->threads = count_entries("/proc/self/task");
	holdings->bytes = mallinfo2().uordblks;
}

/* One letter for all instances. */
static void live_step(struct mock **mocks, bool *going, uint32_t count, char letter)
{
	for (uint32_t i = 0; i < count; i++)
		if (going[i])
			going[i] = mock_step(mocks[i], letter);
}

static void live(struct subject *subject, const struct life *life)
{
	struct mock *mocks[INSTANCES_MAX] = { NULL };
	bool going[INSTANCES_MAX] = { false };

	for (uint32_t i = 0; i < life->instances; i++) {
		mocks[i] = mock_new(subject, &subject->plugin->component, life->hardships);
		going[i] = mocks[i] != NULL;
	}
	for (const char *letter = life->steps; *letter; letter++)
		live_step(mocks, going, life->instances, *letter);
	for (uint32_t i = 0; i < life->instances; i++) {
		if (mocks[i])
			mock_end(mocks[i]);
		mock_free(mocks[i]);
	}
}

/* The limit of files holds for the life alone, as its check opens some. */
static void live_hard(struct subject *subject, const struct life *life)
{
	struct rlimit files;

	if (!(life->hardships & HARD_FILES) || hardship_few_files(&files) < 0) {
		live(subject, life);
		return;
	}
	live(subject, life);
	setrlimit(RLIMIT_NOFILE, &files);
}

void check_life(struct subject *subject, const struct life *life)
{
	struct holdings before, after;
	uint32_t grown = 0;
	int err = hardship_begin(life->hardships);

	if (err < 0) {
		subject_note(subject, "not checked: %s", strerror(-err));
		return;
	}
	for (int i = 0; i < WARM_UP; i++)
		live_hard(subject, life);
	for (int i = 0; i < MEASURED && subject->faults == 0; i++) {
		hold(&before);
		live_hard(subject, life);
		hold(&after);
		if (after.fds > before.fds)
			subject_fault(subject, "%u file descriptors are left open",
				      after.fds - before.fds);
		if (after.threads > before.threads)
			subject_fault(subject, "%u threads are left running",
				      after.threads - before.threads);
		grown += after.bytes > before.bytes;
	}
	/* One life may have filled a cache; when each one takes more, it is a leak. */
	if (grown == MEASURED)
		subject_fault(subject, "%zu bytes are not freed", after.bytes - before.bytes);
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check())
		subject_fault(subject, "memory is not freed: see above");
}
