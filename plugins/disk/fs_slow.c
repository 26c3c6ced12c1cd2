/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of slow calls on files: see fs.h. */
#include <stdio.h>

#include <weir/path_text.h>

#include "fs.h"

struct fs_slow_row {
	uint64_t time;
	struct weir_task_columns task;
	char fs[FS_NAME_LENGTH];
	char disk[FS_DISK_LENGTH];
	char op[8];
	char call[20];
	int32_t fd;
	char error[16];
	uint64_t offset;
	uint64_t bytes;
	uint64_t latency;
	uint64_t inode;
	struct weir_text path;
};

static const struct weir_field fs_slow_fields[] = {
	WEIR_FIELD_TIME(struct fs_slow_row, time, WEIR_EVENT, "when the call came back"),
	WEIR_TASK_COLUMNS(struct fs_slow_row),
	WEIR_FIELD_WITH(struct fs_slow_row, fs, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"file system's type; none of what could not be opened"),
	WEIR_FIELD_WITH(struct fs_slow_row, disk, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"whole disk that the file system lies on, if there is one"),
	WEIR_FIELD(struct fs_slow_row, op, WEIR_NONE, WEIR_KEY, "read, write, open or fsync"),
	WEIR_FIELD_WITH(struct fs_slow_row, call, WEIR_NONE, WEIR_EVENT, WEIR_QUIET,
			"the system call"),
	WEIR_FIELD_WITH(struct fs_slow_row, fd, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL | WEIR_QUIET,
			"the descriptor"),
	WEIR_FIELD_WITH(struct fs_slow_row, offset, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"where in the file, in bytes"),
	WEIR_FIELD_WITH(struct fs_slow_row, bytes, WEIR_BYTES, WEIR_EVENT, WEIR_OPTIONAL,
			"read or written"),
	WEIR_FIELD_WITH(struct fs_slow_row, inode, WEIR_NONE, WEIR_EVENT,
			WEIR_OPTIONAL | WEIR_QUIET, "the file's number in its file system"),
	WEIR_FIELD_DURATION(struct fs_slow_row, latency, WEIR_EVENT, 0, "how long the call took"),
	WEIR_FIELD_WITH(struct fs_slow_row, error, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"why it failed"),
	WEIR_FIELD_WITH(struct fs_slow_row, path, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"the file, from the root of the task on"),
};

WEIR_SCHEMA(fs_slow_rows_schema, "slow calls on files", struct fs_slow_row, fs_slow_fields);

const struct weir_schema *const fs_slow_schema = &fs_slow_rows_schema;

static void fs_slow_result(struct fs_slow_row *row, const struct fs_event *event, uint32_t op)
{
	const char *name;

	row->bytes = WEIR_ABSENT_U64;
	row->fd = (int32_t)event->fd < 0 ? WEIR_ABSENT_I32 : (int32_t)event->fd;
	if (event->result >= 0) {
		if (op == FS_READ || op == FS_WRITE)
			row->bytes = (uint64_t)event->result;
		return;
	}
	name = strerrorname_np((int)-event->result);
	if (name)
		snprintf(row->error, sizeof(row->error), "%s", name);
	else
		snprintf(row->error, sizeof(row->error), "%d", (int)-event->result);
}

static void fs_slow_fill(struct fs_slow_row *row, const struct fs_event *event)
{
	const struct fs_system_call *call = &fs_system_calls[event->call - 1];

	row->time = event->time_ns;
	row->latency = event->latency_ns;
	row->offset = event->offset;
	row->inode = event->inode ? event->inode : WEIR_ABSENT_U64;
	snprintf(row->fs, sizeof(row->fs), "%.*s", FS_NAME_LENGTH - 1, event->fs);
	snprintf(row->disk, sizeof(row->disk), "%.*s", FS_DISK_LENGTH - 1, event->disk);
	snprintf(row->op, sizeof(row->op), "%s", fs_op_name(call->op));
	snprintf(row->call, sizeof(row->call), "%s", call->name);
	fs_slow_result(row, event, call->op);
}

int fs_slow_add(struct weir_ctx *ctx, struct weir_batch *batch, struct weir_cgroup_names *cgroups,
		const void *bytes, uint32_t size)
{
	const struct fs_event *event = bytes;
	const struct weir_path_head *path = weir_path_of(event, size, sizeof(*event));
	struct fs_slow_row row = { 0 }, *added;
	char text[WEIR_PATH_TEXT_MAX];
	size_t length;

	if (!path || !event->call || event->call > FS_CALLS)
		return -EBADMSG;
	fs_slow_fill(&row, event);
	length = weir_path_write(text, path, event->result);
	if (weir_task_columns_fill(ctx, batch, cgroups, &event->task, &row.task) ||
	    weir_add_text(ctx, batch, text, length, &row.path))
		return -ENOMEM;
	added = weir_add_row(ctx, batch);
	if (!added)
		return -ENOMEM;
	*added = row;
	return 0;
}
