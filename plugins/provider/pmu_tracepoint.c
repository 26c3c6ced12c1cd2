/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu.kernel: tracepoints, and what is counted by one of them under certain conditions. */
#include <dirent.h>
#include <stdio.h>

#include "pmu_kernel.h"

/*
 * What the kernel counts as a task's own decision, and what not, is the state in which it was switched
 * away; 0x100 stands for preempted (TASK_REPORT_MAX, since Linux 4.14).
 */
static const struct pmu_filtered {
	const char *name, *tracepoint, *filter, *doc;
} pmu_filtered[] = {
	{ "voluntary-switches", "sched:sched_switch", "prev_state != 0 && prev_state != 256",
	  "changes to another task because this one waits" },
	{ "involuntary-switches", "sched:sched_switch", "prev_state == 0 || prev_state == 256",
	  "changes to another task though this one could run on" },
};

#define PMU_FILTERED (sizeof(pmu_filtered) / sizeof(pmu_filtered[0]))

int pmu_tracefs(struct weir_ctx *ctx)
{
	int fd = weir_tracefs_find(ctx);

	return fd == -ENOENT ? weir_tracefs_mount() : fd;
}

static int pmu_tracefs_why(struct weir_ctx *ctx, struct weir_pmu_event *event, int err)
{
	if (err == -EACCES || err == -EPERM)
		return weir_pmu_why(event, pmu_reason(ctx), -EACCES, "only root may read tracefs");
	return weir_pmu_why(event, pmu_reason(ctx), -ENODEV, "there is no tracefs: %s",
			    strerror(-err));
}

static int pmu_tracepoint_id(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	char path[WEIR_TRACEPOINT_NAME_MAX];
	int tracefs, id;

	event->type = PERF_TYPE_TRACEPOINT;
	event->kind = "tracepoint";
	event->pmu = "tracepoint";
	if (snprintf(path, sizeof(path), "%s", name) >= (int)sizeof(path))
		return -ENOENT;
	*strchr(path, ':') = '/';
	tracefs = pmu_tracefs(ctx);
	if (tracefs < 0)
		return pmu_tracefs_why(ctx, event, tracefs);
	id = weir_tracepoint_id(tracefs, path);
	close(tracefs);
	if (id == -EACCES || id == -EPERM)
		return pmu_tracefs_why(ctx, event, id);
	event->config = (uint64_t)id;
	return id < 0 ? -ENOENT : 0;
}

int pmu_tracepoint_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	const char *colon = strchr(name, ':');
	int err;

	for (size_t i = 0; i < PMU_FILTERED; i++)
		if (strcmp(pmu_filtered[i].name, name) == 0) {
			event->filter = pmu_filtered[i].filter;
			event->doc = pmu_filtered[i].doc;
			err = pmu_tracepoint_id(ctx, pmu_filtered[i].tracepoint, event);
			return err == -ENOENT ? -ENODEV : err;
		}
	if (!colon || colon == name || !colon[1] || strchr(name, '/') || strstr(name, "..") ||
	    strchr(colon + 1, ':'))
		return -ENOENT;
	return pmu_tracepoint_id(ctx, name, event);
}

int pmu_each(const struct pmu_list *list, const char *folder, pmu_entry_fn *one)
{
	struct dirent *entry;
	DIR *dir;
	int fd, err = 0;

	fd = openat(list->root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* a plain file, or gone */
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while (!err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			err = one(list, folder, entry->d_name);
	closedir(dir);
	return err;
}

/* `folder` ends with the group. Plain files of the folder, "enable" and "filter", are no events. */
static int pmu_tracepoint_show(const struct pmu_list *list, const char *folder, const char *name)
{
	char path[1024], full[512];
	const struct weir_pmu_event event = {
		.size = sizeof(event), .name = full, .kind = "tracepoint", .pmu = "tracepoint"
	};

	if (snprintf(path, sizeof(path), "%s/%s/id", folder, name) >= (int)sizeof(path) ||
	    faccessat(list->root, path, F_OK, 0) < 0)
		return 0;
	snprintf(full, sizeof(full), "%.250s:%.250s", strrchr(folder, '/') + 1, name);
	return list->see(&event, list->with);
}

static int pmu_tracepoint_group(const struct pmu_list *list, const char *folder, const char *name)
{
	char path[512];

	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
		return 0;
	return pmu_each(list, path, pmu_tracepoint_show);
}

int pmu_tracepoint_list(const struct pmu_list *all)
{
	struct weir_pmu_event event = { .size = sizeof(event),
					.kind = "tracepoint",
					.pmu = "tracepoint" };
	int tracefs = pmu_tracefs(all->ctx);
	struct pmu_list list = *all;
	int err = 0;

	if (tracefs < 0) {
		event.name = "*";
		pmu_tracefs_why(list.ctx, &event, tracefs);
		return list.see(&event, list.with);
	}
	for (size_t i = 0; !err && i < PMU_FILTERED; i++) {
		event.name = pmu_filtered[i].name;
		event.doc = pmu_filtered[i].doc;
		err = list.see(&event, list.with);
	}
	list.root = tracefs;
	if (!err)
		err = pmu_each(&list, "events", pmu_tracepoint_group);
	close(tracefs);
	return err;
}
