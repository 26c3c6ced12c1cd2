/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: what a call that opens a file was asked for, and the path of what it opened. What was
 * opened is told by the file itself, however it was found: by name, by a link, by a handle. Only
 * what failed is told by the name that was asked for and the directory that it starts from; names
 * are read when the call ends, as the call itself has brought their page into memory.
 */
#ifndef OPEN_CALL_H
#define OPEN_CALL_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/kernel_file.h>
#include <weir/bpf/path.h>
#include <weir/bpf/system_call.h>

#include "open_event.h"

#define AT_FDCWD (-100)

#define O_CREAT_WRONLY_TRUNC 01101

#define RESOLVE_IN_ROOT 0x10

struct open_how {
	__u64 flags;
	__u64 mode;
	__u64 resolve;
};

/* A call's arguments, which is what struct open_how has for openat2. */
struct open_args {
	struct open_how how;
	__u64 name;
	__u32 call; /* enum open_call */
	int folder; /* descriptor, or AT_FDCWD */
};

/* Reads flags, mode and the way of a name; `call` is set. */
static __always_inline void open_args_read(struct open_args *open)
{
	int from_folder = open->call >= OPEN_OPENAT;
	__u64 args[WEIR_CALL_ARGS];

	weir_call_args(args);
	open->folder = from_folder ? (int)args[0] : AT_FDCWD;
	open->name = from_folder ? args[1] : args[0];
	open->how.flags = from_folder ? args[2] : args[1];
	open->how.mode = from_folder ? args[3] : args[2];
	open->how.resolve = 0;
	if (open->call == OPEN_CREAT) {
		open->how.mode = open->how.flags;
		open->how.flags = O_CREAT_WRONLY_TRUNC;
	}
	if (open->call == OPEN_OPENAT2) {
		const void *from = (const void *)open->how.flags;

		open->how.flags = open->how.mode = 0;
		bpf_probe_read_user(&open->how, sizeof(open->how), from);
	}
}

/* True if the name of a file that was not opened says all. */
static __always_inline int open_starts_at_root(const struct open_args *open)
{
	char first = '/';

	return open->call == OPEN_HANDLE ||
	       bpf_probe_read_user(&first, 1, (const void *)open->name) ||
	       (first == '/' && !(open->how.resolve & RESOLVE_IN_ROOT));
}

/*
 * Where the path of what was opened as `fd` is to be read, or where that which the name of what
 * was not starts from: then marked so. NULL: there is none.
 */
static __always_inline const struct path *open_path_from(struct weir_path_text *text,
							 struct task_struct *task,
							 const struct open_args *open, int fd)
{
	struct file *file;

	if (fd < 0) {
		if (open_starts_at_root(open))
			return 0;
		text->head.marks |= WEIR_PATH_BASE;
		fd = open->folder;
	}
	if (fd == AT_FDCWD) {
		struct fs_struct *fs = BPF_CORE_READ(task, fs);

		return &fs->pwd;
	}
	file = weir_task_file(task, fd);
	return file ? &file->f_path : 0;
}

#endif
