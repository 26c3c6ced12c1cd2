/* SPDX-License-Identifier: BSD-2-Clause */
/* A walk through /proc in steps. */
#include "process_walk.h"

#include <stdlib.h>
#include <sys/timerfd.h>

#include "process_scan.h"

#define WALK_PERIOD_NS 20000000

void process_walk_init(struct process_walk *walk)
{
	walk->dir = NULL;
	walk->timer = -1;
}

void process_walk_clear(struct process_walk *walk)
{
	if (walk->dir)
		closedir(walk->dir);
	if (walk->timer >= 0)
		close(walk->timer);
	process_walk_init(walk);
}

static int walk_timer(struct process_walk *walk)
{
	const struct timespec period = { 0, WALK_PERIOD_NS };
	const struct itimerspec often = { period, period };

	walk->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (walk->timer < 0 || timerfd_settime(walk->timer, 0, &often, NULL) < 0)
		return -errno;
	return 0;
}

int process_walk_begin(struct weir_ctx *ctx, struct process_walk *walk)
{
	int fd = openat(ctx->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	walk->dir = fdopendir(fd);
	if (!walk->dir) {
		close(fd);
		return -ENOMEM;
	}
	return walk_timer(walk);
}

int process_walk_step(struct weir_ctx *ctx, struct process_walk *walk, struct process_table *table,
		      bool watched, uint64_t until)
{
	struct dirent *entry;

	while ((entry = readdir(walk->dir))) {
		char *end;
		unsigned long pid = strtoul(entry->d_name, &end, 10);

		if (*end || pid == 0 || pid > INT32_MAX ||
		    process_table_whole(table, (uint32_t)pid, weir_now(ctx)))
			continue;
		if (process_scan(ctx, table, (uint32_t)pid, watched) == -ENOMEM)
			return -ENOMEM;
		if (weir_now(ctx) >= until)
			return 1;
	}
	return 0;
}
