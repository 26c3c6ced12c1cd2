/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: the whole path of a file, as a task sees it, by walking up from it to the task's root
 * and across mounts. It is the end of an event (path_event.h):
 *
 *	struct scratch {
 *		struct tool_event event;
 *		struct weir_path_text path;
 *	};
 *
 *	weir_path_begin(&scratch->path);
 *	weir_path_walk(&scratch->path, task, &file->f_path);
 *	weir_path_send(scratch, sizeof(scratch->event), &scratch->path);
 *
 * Call the walk from one place only: the verifier walks up once more for each.
 */
#ifndef WEIR_BPF_PATH_H
#define WEIR_BPF_PATH_H

#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <weir/bpf/events.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/kernel_file.h>
#include <weir/bpf/path_event.h>

/* A path of WEIR_PATH_MAX bytes has no more names; mounts come on top. */
#define WEIR_PATH_STEPS 4096

/* Too large for the stack: lies in a map's value. */
struct weir_path_text {
	struct weir_path_head head;
	char bytes[WEIR_PATH_MAX + WEIR_PATH_NAME_MAX];
};

/* From a file up to the root that the task has. */
struct weir_path_walk {
	struct weir_path_text *text;
	struct dentry *dentry;
	struct vfsmount *mount;
	struct dentry *mount_root;
	struct dentry *root;
	struct vfsmount *root_mount;
};

static __always_inline void weir_path_begin(struct weir_path_text *text)
{
	__builtin_memset(&text->head, 0, sizeof(text->head));
}

/* At the root of a mounted file system: goes on where it is mounted. 1 ends the loop. */
static __always_inline long weir_path_cross(struct weir_path_walk *walk)
{
	struct mount *mount = weir_mount_of(walk->mount);
	struct weir_mount at = {};
	struct mount *parent;

	weir_mount_read(&at, mount);
	parent = at.parent;
	if (parent == mount) {
		walk->text->head.marks |= WEIR_PATH_OUTSIDE;
		return 1;
	}
	walk->dentry = at.point;
	walk->mount = &parent->mnt;
	walk->mount_root = BPF_CORE_READ(parent, mnt.mnt_root);
	return 0;
}

/* Adds one name to the path, or crosses a mount. 1 ends the loop. */
static long weir_path_step(__u32 i, struct weir_path_walk *walk)
{
	struct weir_path_text *text = walk->text;
	struct dentry *dentry = walk->dentry;
	struct weir_dentry at = {};
	__u32 length;
	long added;

	if (dentry == walk->root && walk->mount == walk->root_mount)
		return 1;
	if (dentry == walk->mount_root)
		return weir_path_cross(walk);
	weir_dentry_read(&at, dentry);
	length = text->head.path_length;
	if (at.parent == dentry || length > WEIR_PATH_MAX - 256) {
		text->head.marks |= at.parent == dentry ? WEIR_PATH_NOWHERE : WEIR_PATH_CUT;
		return 1;
	}
	if (i == 0 && !at.hashed)
		text->head.marks |= WEIR_PATH_DELETED;
	added = bpf_probe_read_kernel_str(text->bytes + length, 256, at.name);
	if (added > 0)
		text->head.path_length = length + added;
	walk->dentry = at.parent;
	return 0;
}

static __always_inline void weir_path_walk(struct weir_path_text *text, struct task_struct *task,
					   const struct path *path)
{
	struct fs_struct *fs = BPF_CORE_READ(task, fs);
	struct weir_path from, root;
	struct weir_path_walk walk;
	struct mount *mount;

	weir_path_read(&from, path);
	weir_path_read(&root, &fs->root);
	walk.text = text;
	walk.dentry = weir_path_dentry(&from);
	walk.mount = weir_path_mount(&from);
	mount = weir_mount_of(walk.mount);
	walk.mount_root = BPF_CORE_READ(mount, mnt.mnt_root);
	walk.root = weir_path_dentry(&root);
	walk.root_mount = weir_path_mount(&root);
	text->head.marks |= WEIR_PATH_WALKED;
	if (bpf_loop(WEIR_PATH_STEPS, weir_path_step, &walk, 0) == WEIR_PATH_STEPS)
		text->head.marks |= WEIR_PATH_CUT;
}

/* A name in the memory of the current process, behind the path. */
static __always_inline void weir_path_add_name(struct weir_path_text *text, const void *name)
{
	__u32 path = text->head.path_length;
	long length;

	if (path > WEIR_PATH_MAX)
		return;
	length = bpf_probe_read_user_str(text->bytes + path, WEIR_PATH_NAME_MAX, name);
	if (length > 0)
		text->head.name_length = length;
	else
		text->head.marks |= WEIR_PATH_NAMELESS;
}

/* Sends an event, of `before` bytes and the path behind them. */
static __always_inline void weir_path_send(void *event, __u64 before,
					   const struct weir_path_text *text)
{
	__u32 path = text->head.path_length;
	__u32 name = text->head.name_length;

	if (path > WEIR_PATH_MAX || name > WEIR_PATH_NAME_MAX)
		return;
	if (bpf_ringbuf_output(&events, event, before + sizeof(text->head) + path + name,
			       BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&events_lost, 1);
}

#endif
