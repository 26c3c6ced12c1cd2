/* SPDX-License-Identifier: BSD-2-Clause */
/* Files, directories and mounts, as far as weir's BPF programs read them: see kernel.h. */
#ifndef WEIR_BPF_KERNEL_FILE_H
#define WEIR_BPF_KERNEL_FILE_H

#include <linux/types.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <weir/bpf/kernel.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct qstr {
	const unsigned char *name;
};

struct hlist_bl_node {
	struct hlist_bl_node **pprev; /* NULL in a dentry: the name was removed */
};

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent; /* itself at the root of a file system */
	struct qstr d_name;
};

struct vfsmount { /* always one of a struct mount */
	struct dentry *mnt_root;
};

struct mount {
	struct mount *mnt_parent; /* itself at the root of all */
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct super_block {
	__u32 s_dev;                 /* major << 20 | minor; without a disk, a number of its own */
	const char **s_type;         /* a struct file_system_type, whose name comes first in it */
	struct block_device *s_bdev; /* NULL: lies on none, or on many */
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_flags; /* O_... */
	long long f_pos;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	atomic_t count;      /* threads that share it, and who looks at it for a moment */
	struct fdtable *fdt; /* fdtab, until a task has more than 64 files */
	struct fdtable fdtab;
};

struct fs_struct {
	struct path root;
	struct path pwd;
};

#pragma clang attribute pop

/* The mount that a struct vfsmount is part of. */
static __always_inline struct mount *weir_mount_of(struct vfsmount *vfsmount)
{
	return (struct mount *)((char *)vfsmount - bpf_core_field_offset(struct mount, mnt));
}

/* Each reading of kernel memory costs some 20 ns: what lies side by side is read at once. */

/*
 * To save the kernel searches through its types (see bdev_inode in kernel.h), the tables of files and
 * the paths are described as what other structures have inside.
 */

/* An open file of a task, or NULL. */
static __always_inline struct file *weir_task_file(struct task_struct *task, int fd)
{
	char *table = (char *)BPF_CORE_READ(task, files, fdt);
	__u64 begin = bpf_core_field_offset(struct files_struct, fdtab);
	__u64 most = bpf_core_field_offset(struct files_struct, fdtab.max_fds) - begin;
	__u64 files = bpf_core_field_offset(struct files_struct, fdtab.fd) - begin;
	struct file *file = 0;
	struct {
		__u32 max_fds;
		__u32 gap;
		struct file **fd;
	} copy = {};

	if (files == most + 8) {
		bpf_probe_read_kernel(&copy, sizeof(copy), table + most);
	} else {
		bpf_probe_read_kernel(&copy.max_fds, sizeof(copy.max_fds), table + most);
		bpf_probe_read_kernel(&copy.fd, sizeof(copy.fd), table + files);
	}
	if (fd >= 0 && (__u32)fd < copy.max_fds)
		bpf_probe_read_kernel(&file, sizeof(file), copy.fd + fd);
	return file;
}

/* True if no other task can close the current one's files during a system call. */
static __always_inline int weir_current_files_unshared(void)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	return BPF_CORE_READ(task, files, count.counter) == 1;
}

/* What a look at a file begins with. */
struct weir_inode {
	__u16 mode;
	__u16 gap[3];
	__u64 between[4];
	struct super_block *sb;
};

static __always_inline void weir_inode_read(struct weir_inode *copy, struct inode *inode)
{
	__u64 begin = bpf_core_field_offset(struct bdev_inode, vfs_inode);

	if (bpf_core_field_offset(struct bdev_inode, vfs_inode.i_mode) == begin &&
	    bpf_core_field_offset(struct bdev_inode, vfs_inode.i_sb) ==
		    begin + __builtin_offsetof(struct weir_inode, sb)) {
		bpf_probe_read_kernel(copy, sizeof(*copy), inode);
		return;
	}
	copy->mode = BPF_CORE_READ(weir_inode_in(inode), vfs_inode.i_mode);
	copy->sb = BPF_CORE_READ(weir_inode_in(inode), vfs_inode.i_sb);
}

/* Which file system it is. */
struct weir_super_block {
	__u32 dev;
	__u32 gap;
	__u64 between[2];
	const char **type_name; /* as s_type */
};

static __always_inline void weir_super_block_read(struct weir_super_block *copy,
						  struct super_block *sb)
{
	__u64 dev = bpf_core_field_offset(struct super_block, s_dev);

	if (bpf_core_field_offset(struct super_block, s_type) ==
	    dev + __builtin_offsetof(struct weir_super_block, type_name)) {
		bpf_probe_read_kernel(copy, sizeof(*copy), (char *)sb + dev);
		return;
	}
	copy->dev = BPF_CORE_READ(sb, s_dev);
	copy->type_name = BPF_CORE_READ(sb, s_type);
}

/* The number, and the name if there is room for it, of the whole disk that a file system lies on. */
static __always_inline __u32 weir_super_block_disk(struct super_block *sb, char *name, __u32 size)
{
	struct block_device *device = BPF_CORE_READ(sb, s_bdev);
	struct gendisk *disk = device ? BPF_CORE_READ(weir_device_in(device), bdev.bd_disk) : 0;

	if (!disk)
		return 0;
	bpf_core_read_str(name, size, &disk->disk_name);
	return (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
}

/* A copy of a struct path, in whichever order its two members are. */
struct weir_path {
	__u64 word[2];
};

static __always_inline struct vfsmount *weir_path_mount(const struct weir_path *path)
{
	__u64 begin = bpf_core_field_offset(struct fs_struct, root);

	return (struct vfsmount *)
		path->word[bpf_core_field_offset(struct fs_struct, root.mnt) != begin];
}

static __always_inline struct dentry *weir_path_dentry(const struct weir_path *path)
{
	__u64 begin = bpf_core_field_offset(struct fs_struct, root);

	return (struct dentry *)
		path->word[bpf_core_field_offset(struct fs_struct, root.dentry) != begin];
}

static __always_inline void weir_path_read(struct weir_path *copy, const struct path *path)
{
	if (bpf_probe_read_kernel(copy, sizeof(*copy), path))
		copy->word[0] = copy->word[1] = 0;
}

/* What a way up takes of a dentry. */
struct weir_dentry {
	__u64 hashed; /* 0: the name was removed */
	struct dentry *parent;
	__u64 name_hash;
	const unsigned char *name;
};

static __always_inline void weir_dentry_read(struct weir_dentry *copy, struct dentry *dentry)
{
	__u64 hashed = bpf_core_field_offset(struct dentry, d_hash.pprev);
	__u64 parent = bpf_core_field_offset(struct dentry, d_parent);
	__u64 name = bpf_core_field_offset(struct dentry, d_name.name);

	if (parent == hashed + 8 && name == parent + 16) {
		bpf_probe_read_kernel(copy, sizeof(*copy), (char *)dentry + hashed);
		return;
	}
	copy->hashed = (__u64)BPF_CORE_READ(dentry, d_hash.pprev);
	copy->parent = BPF_CORE_READ(dentry, d_parent);
	copy->name = BPF_CORE_READ(dentry, d_name.name);
}

/* Where a file system is mounted. */
struct weir_mount {
	struct mount *parent;
	struct dentry *point;
};

static __always_inline void weir_mount_read(struct weir_mount *copy, struct mount *mount)
{
	__u64 parent = bpf_core_field_offset(struct mount, mnt_parent);
	__u64 point = bpf_core_field_offset(struct mount, mnt_mountpoint);

	if (point == parent + 8) {
		bpf_probe_read_kernel(copy, sizeof(*copy), (char *)mount + parent);
		return;
	}
	copy->parent = BPF_CORE_READ(mount, mnt_parent);
	copy->point = BPF_CORE_READ(mount, mnt_mountpoint);
}

#endif
