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

/* More than there are controllers. */
#define WEIR_CONTROLLERS_MAX 16

/* 1 + the position of the user side's controller among all; 0: not looked for yet. */
int weir_controller = 0;

/*
 * Finds that position by name in any task's css_set. Not by the kernel's enum of controllers: a
 * kernel that relocates a program remembers one type of each hash, css_set and that enum share
 * one, and each change from one to the other costs a search of all types, 8 ms in a tool of five
 * programs. Not static, so that the verifier checks the loop once.
 */
__noinline int weir_controller_find(__u64 css_set)
{
	struct css_set *set = (struct css_set *)css_set;
	int i;

	for (i = 0; i < WEIR_CONTROLLERS_MAX; i++) {
		struct cgroup_subsys_state *state = 0;
		char name[WEIR_CONTROLLER_LENGTH] = {};

		bpf_probe_read_kernel(&state, sizeof(state), &set->subsys[0] + i);
		bpf_probe_read_kernel_str(name, sizeof(name), BPF_CORE_READ(state, ss, name));
		if (*(__u64 *)name == *(const volatile __u64 *)task_filter.controller)
			return i + 1;
	}
	return 0;
}

/* The task's cgroup in the hierarchy that the user side chose, or NULL. */
static __always_inline struct cgroup *weir_task_cgroup(struct task_struct *task)
{
	struct css_set *set = BPF_CORE_READ(task, cgroups);
	struct cgroup_subsys_state *state = 0;
	int controller = weir_controller;

	if (task_filter.hierarchy == WEIR_CGROUP_V2)
		return BPF_CORE_READ(set, dfl_cgrp);
	if (!controller)
		controller = weir_controller = weir_controller_find((__u64)set);
	if (controller <= 0)
		return 0;
	bpf_probe_read_kernel(&state, sizeof(state), &set->subsys[0] + (controller - 1));
	return state ? BPF_CORE_READ(state, cgroup) : 0;
}

static __always_inline __u64 weir_cgroup_id(struct cgroup *cgroup)
{
	return cgroup ? BPF_CORE_READ(cgroup, kn, id) : 0;
}

/* True in the filter's cgroup and in those below it: its ancestor of that depth is the filter's. */
static __always_inline int weir_task_in_cgroup(struct task_struct *task)
{
	struct cgroup *cgroup = weir_task_cgroup(task);
	struct cgroup *above = 0;

	if (!cgroup || BPF_CORE_READ(cgroup, level) < (int)task_filter.cgroup_level)
		return 0;
	bpf_probe_read_kernel(&above, sizeof(above),
			      &cgroup->ancestors[0] + task_filter.cgroup_level);
	return weir_cgroup_id(above) == task_filter.cgroup;
}

/* True for a task that the user asked for. */
static __always_inline int weir_task_wanted(struct task_struct *task)
{
	if (task_filter.by & WEIR_TASK_BY_PID &&
	    (__u32)BPF_CORE_READ(task, tgid) != task_filter.pid)
		return 0;
	if (task_filter.by & WEIR_TASK_BY_UID &&
	    BPF_CORE_READ(task, cred, uid.val) != task_filter.uid)
		return 0;
	if (task_filter.by & WEIR_TASK_BY_COMM) {
		char comm[WEIR_COMM_LENGTH] = {};
		int i;

		bpf_core_read_str(comm, sizeof(comm), &task->comm);
		for (i = 0; i < WEIR_COMM_LENGTH; i++)
			if (comm[i] != task_filter.comm[i] && i < (int)task_filter.comm_length)
				return 0;
	}
	return !(task_filter.by & WEIR_TASK_BY_CGROUP) || weir_task_in_cgroup(task);
}

/* Everything that an event says of a task. Some 150 ns: only where an event is sent. */
static __always_inline void weir_task_fill(struct weir_task_id *id, struct task_struct *task)
{
	id->cgroup = weir_cgroup_id(weir_task_cgroup(task));
	id->pid = BPF_CORE_READ(task, tgid);
	id->tid = BPF_CORE_READ(task, pid);
	id->ppid = BPF_CORE_READ(task, real_parent, tgid);
	id->uid = BPF_CORE_READ(task, cred, uid.val);
	bpf_core_read_str(id->comm, sizeof(id->comm), &task->comm);
}

/* The same of the current task, with half the calls: what it holds itself needs none. */
static __always_inline void weir_task_fill_current(struct weir_task_id *id)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();

	id->cgroup = weir_cgroup_id(weir_task_cgroup(task));
	id->pid = task->tgid;
	id->tid = task->pid;
	id->ppid = BPF_CORE_READ(task, real_parent, tgid);
	id->uid = (__u32)bpf_get_current_uid_gid();
	((__u64 *)id->comm)[0] = *(__u64 *)&task->comm[0];
	((__u64 *)id->comm)[1] = *(__u64 *)&task->comm[8];
}

/* The name of the current process: that of its first thread. */
static __always_inline void weir_current_process_comm(char *comm)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct task_struct *leader = task->group_leader;

	((__u64 *)comm)[0] = *(__u64 *)&leader->comm[0];
	((__u64 *)comm)[1] = *(__u64 *)&leader->comm[8];
}

#endif
