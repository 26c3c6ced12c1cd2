/* SPDX-License-Identifier: BSD-2-Clause */
/* What only the rows that are sent need: command line, open files, cgroup. */
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include "process_details.h"
#include "process_proc.h"

static const char *details_read_cgroup(struct weir_ctx *ctx, uint32_t pid)
{
	struct process_state *st = ctx->state;
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/cgroup", pid);
	if (weir_read_file(ctx, path, &st->buffer) < 0)
		return "";
	return weir_cgroup_of_process(st->buffer.bytes,
				      weir_cgroup_controller(st->filter.hierarchy));
}

bool process_proc_in_cgroup(struct weir_ctx *ctx, const char *cgroup)
{
	struct process_state *st = ctx->state;
	uint32_t pid = (uint32_t)strtoul(st->proc->path, NULL, 10);

	return weir_cgroup_is_below(details_read_cgroup(ctx, pid), cgroup, st->names.folder);
}

int process_add_cgroup(struct weir_ctx *ctx, struct weir_batch *batch,
		       const struct process_task *task, struct weir_text *cgroup,
		       struct weir_text *container)
{
	struct process_state *st = ctx->state;
	const char *path = st->bpf ? weir_cgroup_path(ctx, &st->names, task->about.cgroup)
				   : details_read_cgroup(ctx, task->pid);
	char name[128];
	int err;

	weir_container_name(path, name, sizeof(name));
	err = weir_add_text(ctx, batch, path, strlen(path), cgroup);
	return err ? err : weir_add_text(ctx, batch, name, strlen(name), container);
}

size_t process_read_command(struct weir_ctx *ctx, uint32_t pid)
{
	struct process_state *st = ctx->state;
	char path[64];
	size_t length;

	snprintf(path, sizeof(path), "proc/%u/cmdline", pid);
	if (weir_read_file(ctx, path, &st->buffer) < 0)
		return 0;
	for (length = st->buffer.size; length && !st->buffer.bytes[length - 1];)
		length--;
	for (size_t i = 0; i < length; i++)
		if (!st->buffer.bytes[i])
			st->buffer.bytes[i] = ' ';
	return length;
}

int process_add_command(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t pid,
			struct weir_text *command)
{
	const struct process_state *st = ctx->state;
	size_t length = process_read_command(ctx, pid);

	return length ? weir_add_text(ctx, batch, st->buffer.bytes, length, command) : 0;
}

uint32_t process_count_fds(struct weir_ctx *ctx, uint32_t pid)
{
	struct process_state *st = ctx->state;
	struct process_listing list;
	uint32_t fd, count = 0;
	struct stat status;
	char path[64];
	int err;

	snprintf(path, sizeof(path), "%u/fd", pid);
	/* Since Linux 6.2 the size of the kernel's own folder is the number of its files. */
	if (st->bpf && fstatat(st->proc_fd, path, &status, 0) == 0 && status.st_size > 0)
		return (uint32_t)status.st_size;
	err = process_list_open(&list, st->proc_fd, path);
	while (!err && process_list_next(&list, &fd))
		count++;
	process_list_close(&list);
	return err ? WEIR_ABSENT_U32 : count;
}

/*
 * By /proc: in ticks since the boot, while the machine slept included; so is a recorded tree's clock.
 * Reading a sample takes its time, so that both clocks of a live one are asked now.
 */
uint64_t process_started(const struct process_state *st, const struct process_task *task)
{
	uint64_t clock = st->now.clock, now = st->now.now;
	struct timespec boot, monotonic;
	uint64_t start, age;

	if (st->bpf)
		return task->start;
	if (st->proc->live && clock_gettime(CLOCK_BOOTTIME, &boot) == 0 &&
	    clock_gettime(CLOCK_MONOTONIC, &monotonic) == 0) {
		clock = (uint64_t)boot.tv_sec * 1000000000u + (uint64_t)boot.tv_nsec;
		now = (uint64_t)monotonic.tv_sec * 1000000000u + (uint64_t)monotonic.tv_nsec;
	}
	start = task->start * st->proc->tick_ns;
	age = clock > start ? clock - start : 0;
	return now > age ? now - age : WEIR_ABSENT_U64;
}
