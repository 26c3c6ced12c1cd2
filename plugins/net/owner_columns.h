/* SPDX-License-Identifier: BSD-2-Clause */
/* The columns of a connection's owner, for a member `task`: those of a task, but absent if unknown. */
#ifndef OWNER_COLUMNS_H
#define OWNER_COLUMNS_H

#include <weir/task_filter.h>

#define OWNER_COLUMNS(type_)                                                                       \
	WEIR_TASK_COLUMN(type_, pid, WEIR_TYPE_UINT, WEIR_OPTIONAL, "process that owns it"),       \
		WEIR_TASK_COLUMN(type_, tid, WEIR_TYPE_UINT, WEIR_OPTIONAL | WEIR_QUIET,           \
				 "thread"),                                                        \
		WEIR_TASK_COLUMN(type_, ppid, WEIR_TYPE_UINT, WEIR_OPTIONAL | WEIR_QUIET,          \
				 "parent process"),                                                \
		WEIR_TASK_COLUMN(type_, uid, WEIR_TYPE_UINT, WEIR_OPTIONAL | WEIR_QUIET,           \
				 "real user"),                                                     \
		WEIR_TASK_COLUMN(type_, comm, WEIR_TYPE_CHARS, WEIR_OPTIONAL,                      \
				 "name of the thread"),                                            \
		WEIR_TASK_COLUMN(type_, cgroup, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,        \
				 "control group"),                                                 \
		WEIR_TASK_COLUMN(type_, container, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,     \
				 "container")

/* Fills them; `id` is NULL where the owner is not known. 0 or -ENOMEM. */
static inline int owner_columns_fill(struct weir_ctx *ctx, struct weir_batch *batch,
				     struct weir_cgroup_names *names, const struct weir_task_id *id,
				     struct weir_task_columns *task)
{
	if (id)
		return weir_task_columns_fill(ctx, batch, names, id, task);
	task->pid = task->tid = task->ppid = task->uid = UINT32_MAX;
	return 0;
}

#endif
