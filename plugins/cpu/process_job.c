/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which job of cron, anacron or at a process belongs to, by its ancestors: where systemd does not run,
 * no unit tells that. It costs some files for each process, so that only young ones are looked at: what
 * has run for long is not why something has just become slow.
 */
#include <stdio.h>

#include "process_details.h"
#include "process_parse.h"

#define JOB_YOUNG (600 * WEIR_SECOND)
#define JOB_DEPTH 16 /* ancestors at most */

static bool job_read(struct weir_ctx *ctx, uint32_t pid, struct process_stat *stat)
{
	struct process_state *st = ctx->state;
	char path[64];

	snprintf(path, sizeof(path), "proc/%u/stat", pid);
	return weir_read_file(ctx, path, &st->buffer) == 0 && st->buffer.bytes &&
	       process_parse_stat(st->buffer.bytes, st->buffer.size, stat);
}

static bool job_is_starter(const struct process_conf *conf, const char *comm)
{
	for (uint32_t i = 0; i < conf->starters.count; i++)
		if (strcmp(comm, conf->starters.items[i]) == 0)
			return true;
	return false;
}

/* The process that `starter` has started, from `pid` upwards. 0: none of them has. */
static uint32_t job_find(struct weir_ctx *ctx, uint32_t pid, struct process_stat *starter)
{
	uint32_t child = 0;

	for (uint32_t depth = 0; depth < JOB_DEPTH && pid > 1; depth++) {
		if (!job_read(ctx, pid, starter))
			return 0;
		if (job_is_starter(ctx->options, starter->comm))
			return child;
		child = pid;
		pid = starter->ppid;
	}
	return 0;
}

/* "sh -c 'backup --all'" is "backup --all". */
static const char *job_command(const char *command)
{
	const char *option = strchr(command, ' ');

	return option && strncmp(option, " -c ", 4) == 0 ? option + 4 : command;
}

int process_add_job(struct weir_ctx *ctx, struct weir_batch *batch, const struct process_task *task,
		    uint64_t started, struct weir_text *job)
{
	struct process_stat starter;
	char text[256];
	uint32_t pid;
	int length;

	if (started == WEIR_ABSENT_U64 || weir_now(ctx) - started > JOB_YOUNG)
		return 0;
	pid = job_find(ctx, task->pid, &starter);
	if (!pid || !process_read_command(ctx, pid))
		return 0;
	length = snprintf(text, sizeof(text), "%s job: %s", starter.comm,
			  job_command(((struct process_state *)ctx->state)->buffer.bytes));
	if (length >= (int)sizeof(text))
		length = sizeof(text) - 1;
	return weir_add_text(ctx, batch, text, (size_t)length, job);
}
