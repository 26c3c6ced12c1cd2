/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: whether a task is one that the user asked for, and what an event says of it. The
 * filter is constant from before the load on, so that the verifier drops what is not asked for.
 */
#ifndef WEIR_BPF_TASK_H
#define WEIR_BPF_TASK_H

#include <bpf/bpf_helpers.h>
#include <linux/types.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/task_event.h>

/* Filled by weir_task_filter_set() of task_filter.h. */
const volatile struct weir_task_filter task_filter = {};

/*
 * The place of a cgroup's member. struct cgroup shares its hash (see bdev_inode in kernel.h) with
 * struct file, and is read as what the root of a hierarchy has in it; but a program that uses one of
 * pageflags, blk_flush_queue and socket_alloc, which share theirs with struct cgroup_root, defines
 * WEIR_CGROUP_ALONE.
 */
#ifdef WEIR_CGROUP_ALONE
#define WEIR_CGROUP_MEMBER(cgroup_, member_) (&((struct cgroup *)(cgroup_))->member_)
#else
#define WEIR_CGROUP_MEMBER(cgroup_, member_)                                                       \
	(&((struct cgroup_root *)((char *)(cgroup_)-bpf_core_field_offset(struct cgroup_root,      \
									  cgrp)))                  \
		  ->cgrp.member_)
#endif

/* More than there are controllers. */
#define WEIR_CONTROLLERS_MAX 16

/* 1 + the position of the user side's controller among all; 0: not looked for yet. */
int weir_controller = 0;

/*
 * The state that the tasks of a css_set have in a controller. The array of them comes first in it,
 * and is read as such, as struct css_set shares its hash with several. A state is described as that
 * which a cgroup begins with.
 */
static __always_inline struct cgroup_subsys_state *weir_css(__u64 css_set, int position)
{
	struct cgroup_subsys_state *state = 0;

	bpf_probe_read_kernel(&state, sizeof(state),
			      (struct cgroup_subsys_state **)css_set + position);
	return state;
}

/* Where the search for a controller has got to. */
struct weir_controller_search {
	__u64 css_set;
	int found;
};

static __always_inline struct cgroup *weir_css_cgroup(struct cgroup_subsys_state *state)
{
	struct cgroup *cgroup = 0;

	if (state)
		bpf_core_read(&cgroup, sizeof(cgroup), WEIR_CGROUP_MEMBER(state, self.cgroup));
	return cgroup;
}

static long weir_controller_step(__u32 i, struct weir_controller_search *search)
{
	struct cgroup_subsys_state *state = weir_css(search->css_set, i);
	char name[WEIR_CONTROLLER_LENGTH] = {};
	struct cgroup_subsys *controller = 0;

	bpf_core_read(&controller, sizeof(controller), WEIR_CGROUP_MEMBER(state, self.ss));
	bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(controller, name));
	if (*(__u64 *)name != *(const volatile __u64 *)task_filter.controller)
		return 0;
	search->found = i + 1;
	return 1;
}

/*
 * Finds that position by name in any task's css_set: the kernel's enum of controllers would be one
 * more type to be searched for. Not static, and no loop, which the verifier walks through.
 */
__noinline int weir_controller_find(__u64 css_set)
{
	struct weir_controller_search search = { css_set, 0 };

	bpf_loop(WEIR_CONTROLLERS_MAX, weir_controller_step, &search, 0);
	return search.found;
}

/* The task's cgroup in the hierarchy of version 1 that the user side chose, or NULL. */
static __always_inline struct cgroup *weir_task_cgroup_v1(struct task_struct *task)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	int controller = weir_controller;

	if (!controller)
		controller = weir_controller = weir_controller_find((__u64)set);
	if (controller <= 0)
		return 0;
	return weir_css_cgroup(weir_css((__u64)set, controller - 1));
}

/* The task's cgroup in the hierarchy that the user side chose, or NULL. */
static __always_inline struct cgroup *weir_task_cgroup(struct task_struct *task)
{
	if (task_filter.hierarchy == WEIR_CGROUP_V2)
		return BPF_CORE_READ(task, cgroups, dfl_cgrp);
	return weir_task_cgroup_v1(task);
}

static __always_inline __u64 weir_cgroup_id(struct cgroup *cgroup)
{
	struct kernfs_node *node = 0;

	if (!cgroup)
		return 0;
	bpf_core_read(&node, sizeof(node), WEIR_CGROUP_MEMBER(cgroup, kn));
	return BPF_CORE_READ(node, id);
}

/* The same of the current task, for which version 2 has a call that needs no types. */
static __always_inline __u64 weir_current_cgroup_id(void)
{
	if (task_filter.hierarchy == WEIR_CGROUP_V2)
		return bpf_get_current_cgroup_id();
	return weir_cgroup_id(weir_task_cgroup_v1((struct task_struct *)bpf_get_current_task()));
}

/* True for the filter's cgroup and those below it: its ancestor of that depth is the filter's. */
static __always_inline int weir_cgroup_wanted(struct cgroup *cgroup)
{
	struct cgroup *above = 0;
	int level = -1;

	if (!cgroup)
		return 0;
	bpf_core_read(&level, sizeof(level), WEIR_CGROUP_MEMBER(cgroup, level));
	if (level < (int)task_filter.cgroup_level)
		return 0;
	bpf_probe_read_kernel(&above, sizeof(above),
			      WEIR_CGROUP_MEMBER(cgroup, ancestors[0]) + task_filter.cgroup_level);
	return weir_cgroup_id(above) == task_filter.cgroup;
}

static __always_inline int weir_current_in_cgroup(void)
{
	if (task_filter.hierarchy == WEIR_CGROUP_V2)
		return bpf_get_current_ancestor_cgroup_id(task_filter.cgroup_level) ==
		       task_filter.cgroup;
	return weir_cgroup_wanted(
		weir_task_cgroup_v1((struct task_struct *)bpf_get_current_task()));
}

static __always_inline __u32 weir_task_uid(struct task_struct *task)
{
	return BPF_CORE_READ(task, cred, uid.val);
}

static __always_inline __u32 weir_current_uid(void)
{
	return (__u32)bpf_get_current_uid_gid();
}

/*
 * True for a task that the user asked for, as far as it is no user or cgroup that he asked for: of
 * the current task the kernel tells those by calls, for which no types are searched.
 */
static __always_inline int weir_task_named(struct task_struct *task)
{
	if (task_filter.by & WEIR_TASK_BY_PID &&
	    (__u32)BPF_CORE_READ(task, tgid) != task_filter.pid)
		return 0;
	if (task_filter.by & WEIR_TASK_BY_COMM) {
		char comm[WEIR_COMM_LENGTH] = {};
		int i;

		bpf_core_read_str(comm, sizeof(comm), &task->comm);
		for (i = 0; i < WEIR_COMM_LENGTH; i++)
			if (comm[i] != task_filter.comm[i] && i < (int)task_filter.comm_length)
				return 0;
	}
	return 1;
}

/* True for a task that the user asked for. */
static __always_inline int weir_task_wanted(struct task_struct *task)
{
	return weir_task_named(task) &&
	       (!(task_filter.by & WEIR_TASK_BY_UID) || weir_task_uid(task) == task_filter.uid) &&
	       (!(task_filter.by & WEIR_TASK_BY_CGROUP) ||
		weir_cgroup_wanted(weir_task_cgroup(task)));
}

/* The same of the current task. */
static __always_inline int weir_current_wanted(void)
{
	return weir_task_named((struct task_struct *)bpf_get_current_task()) &&
	       (!(task_filter.by & WEIR_TASK_BY_UID) || weir_current_uid() == task_filter.uid) &&
	       (!(task_filter.by & WEIR_TASK_BY_CGROUP) || weir_current_in_cgroup());
}

/* Everything that an event says of a task. Some 150 ns: only where an event is sent. */
static __always_inline void weir_task_fill(struct weir_task_id *id, struct task_struct *task)
{
	id->cgroup = weir_cgroup_id(weir_task_cgroup(task));
	id->pid = BPF_CORE_READ(task, tgid);
	id->tid = BPF_CORE_READ(task, pid);
	id->ppid = BPF_CORE_READ(task, real_parent, tgid);
	id->uid = weir_task_uid(task);
	bpf_core_read_str(id->comm, sizeof(id->comm), &task->comm);
}

/*
 * The same of the current task, with half the calls: what it holds itself needs none. Pointers are
 * not followed so: to learn whether to trust one, the verifier searches all types four times.
 */
static __always_inline void weir_task_fill_current(struct weir_task_id *id)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();

	id->cgroup = weir_current_cgroup_id();
	id->pid = task->tgid;
	id->tid = task->pid;
	id->ppid = BPF_CORE_READ(task, real_parent, tgid);
	id->uid = weir_current_uid();
	((__u64 *)id->comm)[0] = *(__u64 *)&task->comm[0];
	((__u64 *)id->comm)[1] = *(__u64 *)&task->comm[8];
}

/* The name of the current process: that of its first thread. */
static __always_inline void weir_current_process_comm(char *comm)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct task_struct *leader = BPF_CORE_READ(task, group_leader);

	bpf_core_read(comm, WEIR_COMM_LENGTH, &leader->comm);
}

#endif
