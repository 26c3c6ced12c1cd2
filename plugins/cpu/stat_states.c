/* SPDX-License-Identifier: BSD-2-Clause */
/* See stat_states.h. */
#include "stat_states.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>

#include <weir/host.h>
#include <weir/number.h>

#define STATES_PARTS 100 /* see weir_pace_end() */

struct states_task {
	char state;
	uint64_t threads;
};

/* A name may hold blanks, brackets and new lines: the last bracket of the file ends it. */
static bool states_parse(const char *text, struct states_task *task)
{
	enum { BEHIND_STATE = 16 }; /* numbers between the state and that of threads */
	const char *at = strrchr(text, ')');
	uint64_t number;

	if (!at || at[1] != ' ' || !at[2])
		return false;
	task->state = at[2];
	at += 3;
	for (int i = 0; i <= BEHIND_STATE; i++) {
		at += strspn(at, " ");
		at += *at == '-';
		if (!weir_take_number(&at, &number))
			return false;
	}
	task->threads = number;
	return true;
}

static bool states_read(struct weir_ctx *ctx, const char *folder, const char *name,
			struct weir_buffer *buffer, struct states_task *task)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/%.20s/stat", folder, name);
	return weir_read_file(ctx, path, buffer) == 0 && states_parse(buffer->bytes, task);
}

static DIR *states_open(struct weir_ctx *ctx, const char *path)
{
	int fd = openat(ctx->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);

	if (!stream && fd >= 0)
		close(fd);
	return stream;
}

/* What ends meanwhile is left out. */
static uint32_t states_count_threads(struct weir_ctx *ctx, const char *process,
				     struct weir_buffer *buffer)
{
	struct states_task task;
	struct dirent *entry;
	uint32_t count = 0;
	char path[64];
	DIR *stream;

	snprintf(path, sizeof(path), "proc/%.20s/task", process);
	stream = states_open(ctx, path);
	while (stream && (entry = readdir(stream)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    states_read(ctx, path, entry->d_name, buffer, &task))
			count += task.state == 'D';
	if (stream)
		closedir(stream);
	return count;
}

void stat_states_update(struct weir_ctx *ctx, struct stat_states *states,
			struct weir_buffer *buffer)
{
	struct states_task task;
	struct dirent *entry;
	DIR *proc;

	states->count = WEIR_ABSENT_U32;
	if (!weir_pace_begin(ctx, &states->pace))
		return;
	proc = states_open(ctx, "proc");
	if (!proc)
		return;
	states->count = 0;
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !states_read(ctx, "proc", entry->d_name, buffer, &task))
			continue;
		if (task.threads > 1)
			states->count += states_count_threads(ctx, entry->d_name, buffer);
		else
			states->count += task.state == 'D';
	}
	closedir(proc);
	weir_pace_end(ctx, &states->pace, STATES_PARTS);
}
