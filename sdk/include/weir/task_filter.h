/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options by which every tracing source chooses tasks (--pid --comm --user --cgroup), and how
 * they reach its BPF program. The program includes bpf/task.h.
 */
#ifndef WEIR_TASK_FILTER_H
#define WEIR_TASK_FILTER_H

#include <pwd.h>
#include <signal.h>

#include "cgroup.h"
#include "option.h"

/* A member of the source's struct of options. */
struct weir_task_conf {
	uint32_t pid;
	const char *comm;
	const char *user;
	const char *cgroup;
};

/* True when nothing is chosen: all tasks are meant. */
static inline int weir_task_conf_is_all(const struct weir_task_conf *conf)
{
	return !conf->pid && !conf->comm[0] && !conf->user[0] && !conf->cgroup[0];
}

/* The rows of the option table, for a member `filter` of that type. */
#define WEIR_OPT_TASK_FILTER(type_)                                                                \
	{ "pid",                                                                                   \
	  "only this process; 0: all",                                                             \
	  "0",                                                                                     \
	  NULL,                                                                                    \
	  NULL,                                                                                    \
	  WEIR_OPTION_UINT,                                                                        \
	  (uint32_t)offsetof(type_, filter.pid),                                                   \
	  4,                                                                                       \
	  0,                                                                                       \
	  0,                                                                                       \
	  4194304 },                                                                               \
		{ "comm",                                                                          \
		  "only threads of this name",                                                     \
		  "",                                                                              \
		  NULL,                                                                            \
		  NULL,                                                                            \
		  WEIR_OPTION_TEXT,                                                                \
		  (uint32_t)offsetof(type_, filter.comm),                                          \
		  sizeof(char *),                                                                  \
		  0,                                                                               \
		  0,                                                                               \
		  0 },                                                                             \
		{ "user",                                                                          \
		  "only this user, by name or number",                                             \
		  "",                                                                              \
		  NULL,                                                                            \
		  NULL,                                                                            \
		  WEIR_OPTION_TEXT,                                                                \
		  (uint32_t)offsetof(type_, filter.user),                                          \
		  sizeof(char *),                                                                  \
		  0,                                                                               \
		  0,                                                                               \
		  0 },                                                                             \
	{                                                                                          \
		"cgroup", "only this cgroup and those below it", "", NULL, NULL, WEIR_OPTION_TEXT, \
			(uint32_t)offsetof(type_, filter.cgroup), sizeof(char *), 0, 0, 0          \
	}

/* A user's number from a name or a number; false: there is none. */
static inline int weir_user_id(const char *user, uint32_t *uid)
{
	const struct passwd *entry;
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(user, &end, 10);
	if (user[0] >= '0' && user[0] <= '9' && !*end && !errno && number < UINT32_MAX) {
		*uid = (uint32_t)number;
		return 1;
	}
	entry = getpwnam(user);
	if (entry)
		*uid = entry->pw_uid;
	return entry != NULL;
}

static inline int weir_task_filter_cgroup(struct weir_ctx *ctx, const struct weir_task_conf *conf,
					  struct weir_task_filter *filter,
					  struct weir_cgroup_names *names)
{
	struct weir_cgroup_mounts mounts;
	int err = weir_cgroup_mounts_read(ctx, &mounts);

	/* A recorded tree may not have it: then there are no cgroups to choose or to name. */
	if (err && (err != -ENOENT || conf->cgroup[0]))
		return weir_fail(ctx, err, "read /proc/self/mountinfo");
	filter->hierarchy = weir_cgroup_hierarchy(&mounts);
	if (conf->cgroup[0]) {
		if (weir_cgroup_find(ctx, &mounts, conf->cgroup, filter))
			return weir_fail_option(ctx, "cgroup", -ENOENT, "no cgroup \"%s\"",
						conf->cgroup);
		filter->by |= WEIR_TASK_BY_CGROUP;
	}
	snprintf(filter->controller, sizeof(filter->controller), "%s",
		 weir_cgroup_controller(filter->hierarchy));
	memcpy(names->folder, mounts.folder[filter->hierarchy], sizeof(names->folder));
	return 0;
}

/* True if there is no such process, neither below the root nor, where /proc hides it, in the kernel. */
static inline int weir_task_is_nobody(struct weir_ctx *ctx, uint32_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "proc/%u", pid);
	return faccessat(ctx->root, path, F_OK, 0) && kill((pid_t)pid, 0) && errno == ESRCH;
}

/*
 * start(): fills the program's task_filter (skeleton->rodata->task_filter, not yet loaded) from
 * the options, and prepares `names` for the ids that its events will carry. 0 or negative errno.
 */
static inline int weir_task_filter_set(struct weir_ctx *ctx, const struct weir_task_conf *conf,
				       struct weir_task_filter *filter,
				       struct weir_cgroup_names *names)
{
	memset(filter, 0, sizeof(*filter));
	if (conf->pid) {
		if (weir_task_is_nobody(ctx, conf->pid))
			return weir_fail_option(ctx, "pid", -ESRCH, "no process %u", conf->pid);
		filter->by |= WEIR_TASK_BY_PID;
		filter->pid = conf->pid;
	}
	if (conf->comm[0]) {
		size_t length = strlen(conf->comm);

		/* The kernel keeps 15 bytes of a name. */
		if (length > WEIR_COMM_LENGTH - 1)
			length = WEIR_COMM_LENGTH - 1;
		filter->by |= WEIR_TASK_BY_COMM;
		memcpy(filter->comm, conf->comm, length);
		filter->comm_length = (uint32_t)length + 1;
	}
	if (conf->user[0]) {
		if (!weir_user_id(conf->user, &filter->uid))
			return weir_fail_option(ctx, "user", -ENOENT, "no user \"%s\"", conf->user);
		filter->by |= WEIR_TASK_BY_UID;
	}
	return weir_task_filter_cgroup(ctx, conf, filter, names);
}

/* The columns that every row about a task begins with, for a member `task` of this type. */
struct weir_task_columns {
	uint32_t pid;
	uint32_t tid;
	uint32_t ppid;
	uint32_t uid;
	char comm[WEIR_COMM_LENGTH];
	struct weir_text cgroup;
	struct weir_text container;
};

#define WEIR_TASK_COLUMN(type_, member_, kind_, flags_, doc_)                                      \
	{                                                                                          \
#member_, doc_, WEIR_NONE, kind_, WEIR_KEY,                                        \
			(uint32_t)offsetof(type_, task.member_),                                   \
			(uint32_t)sizeof(((type_ *)0)->task.member_), flags_, 0, NULL, NULL        \
	}
#define WEIR_TASK_COLUMNS(type_)                                                                   \
	WEIR_TASK_COLUMN(type_, pid, WEIR_TYPE_UINT, 0, "process"),                                \
		WEIR_TASK_COLUMN(type_, tid, WEIR_TYPE_UINT, WEIR_QUIET, "thread"),                \
		WEIR_TASK_COLUMN(type_, ppid, WEIR_TYPE_UINT, WEIR_QUIET, "parent process"),       \
		WEIR_TASK_COLUMN(type_, uid, WEIR_TYPE_UINT, WEIR_QUIET, "real user"),             \
		WEIR_TASK_COLUMN(type_, comm, WEIR_TYPE_CHARS, 0, "name of the thread"),           \
		WEIR_TASK_COLUMN(type_, cgroup, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,        \
				 "control group"),                                                 \
		WEIR_TASK_COLUMN(type_, container, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,     \
				 "container")

/* Fills those columns; texts go into the batch's arena. 0 or -ENOMEM. */
static inline int weir_task_columns_fill(struct weir_ctx *ctx, struct weir_batch *batch,
					 struct weir_cgroup_names *names,
					 const struct weir_task_id *id,
					 struct weir_task_columns *columns)
{
	const char *cgroup = weir_cgroup_path(ctx, names, id->cgroup);
	char container[128];

	columns->pid = id->pid;
	columns->tid = id->tid;
	columns->ppid = id->ppid;
	columns->uid = id->uid;
	memcpy(columns->comm, id->comm, sizeof(columns->comm));
	weir_container_name(cgroup, container, sizeof(container));
	if (weir_add_text(ctx, batch, cgroup, strlen(cgroup), &columns->cgroup))
		return -ENOMEM;
	return weir_add_text(ctx, batch, container, strlen(container), &columns->container);
}

#endif
