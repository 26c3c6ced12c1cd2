/* SPDX-License-Identifier: BSD-2-Clause */
/* See owner_filter.h. */
#include "owner_filter.h"

int owner_filter_set(struct weir_ctx *ctx, const struct weir_task_conf *conf,
		     struct owner_filter *filter)
{
	filter->cgroup = conf->cgroup;
	return weir_task_filter_set(ctx, conf, &filter->task, &filter->names);
}

static bool owner_has_user(struct owner_filter *filter, int process)
{
	const char *line;

	if (weir_read_at(process, "status", &filter->buffer) < 0)
		return false;
	line = strstr(filter->buffer.bytes, "\nUid:");
	return line && strtoul(line + strlen("\nUid:"), NULL, 10) == filter->task.uid;
}

static bool owner_is_in_cgroup(struct owner_filter *filter, int process)
{
	const char *path;

	if (weir_read_at(process, "cgroup", &filter->buffer) < 0)
		return false;
	path = weir_cgroup_of_process(filter->buffer.bytes,
				      weir_cgroup_controller(filter->task.hierarchy));
	return weir_cgroup_is_below(path, filter->cgroup, filter->names.folder);
}

bool owner_filter_wants(struct owner_filter *filter, int process, uint32_t pid, const char *comm)
{
	const struct weir_task_filter *task = &filter->task;

	if (task->by & WEIR_TASK_BY_PID && pid != task->pid)
		return false;
	if (task->by & WEIR_TASK_BY_COMM && strncmp(comm, task->comm, task->comm_length) != 0)
		return false;
	if (task->by & WEIR_TASK_BY_UID && !owner_has_user(filter, process))
		return false;
	return !(task->by & WEIR_TASK_BY_CGROUP) || owner_is_in_cgroup(filter, process);
}

void owner_filter_release(struct owner_filter *filter)
{
	weir_cgroup_names_release(&filter->names);
	weir_buffer_release(&filter->buffer);
}
