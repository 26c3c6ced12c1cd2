/* SPDX-License-Identifier: BSD-2-Clause */
/* The system calls that disk.fs times, and the file systems that it looks at: see fs.h. */
#include <stdio.h>
#include <sys/syscall.h>

#include "fs.h"
#include "open_event.h"

/* What this architecture does not have. */
#ifndef SYS_open
#define SYS_open  FS_NUMBERS
#define SYS_creat FS_NUMBERS
#endif

#define CALL(name_, op_, place_, open_)                                                            \
	{                                                                                          \
#name_, SYS_##name_, FS_PLACE_##place_, FS_##op_, open_                            \
	}

const struct fs_system_call fs_system_calls[FS_CALLS] = {
	CALL(read, READ, POSITION, 0),
	CALL(pread64, READ, ARGUMENT, 0),
	CALL(readv, READ, POSITION, 0),
	CALL(preadv, READ, ARGUMENT, 0),
	CALL(preadv2, READ, ARGUMENT, 0),
	CALL(write, WRITE, POSITION, 0),
	CALL(pwrite64, WRITE, ARGUMENT, 0),
	CALL(writev, WRITE, POSITION, 0),
	CALL(pwritev, WRITE, ARGUMENT, 0),
	CALL(pwritev2, WRITE, ARGUMENT, 0),
	CALL(open, OPEN, NONE, OPEN_OPEN),
	CALL(creat, OPEN, NONE, OPEN_CREAT),
	CALL(openat, OPEN, NONE, OPEN_OPENAT),
	CALL(openat2, OPEN, NONE, OPEN_OPENAT2),
	CALL(open_by_handle_at, OPEN, NONE, OPEN_HANDLE),
	CALL(fsync, SYNC, NONE, 0),
	CALL(fdatasync, SYNC, NONE, 0),
	CALL(syncfs, SYNC, NONE, 0),
	CALL(sync_file_range, SYNC, SECOND, 0),
};

const char *fs_op_name(uint32_t op)
{
	static const char *const names[FS_OPS] = {
		[FS_READ] = "read",
		[FS_WRITE] = "write",
		[FS_OPEN] = "open",
		[FS_SYNC] = "fsync",
	};

	return op < FS_OPS ? names[op] : "other";
}

/* Their files are the kernel's own words, or no files at all. */
static const char *const fs_pseudo[] = {
	"proc",      "sysfs",       "cgroup",     "cgroup2", "devpts",       "debugfs",
	"tracefs",   "securityfs",  "bpf",        "pstore",  "configfs",     "fusectl",
	"mqueue",    "binfmt_misc", "autofs",     "sockfs",  "anon_inodefs", "pipefs",
	"efivarfs",  "selinuxfs",   "rpc_pipefs", "nsfs",    "pidfs",        "devtmpfs",
	"secretmem", "guest_memfd", "dax",        "aio",     "resctrl",      "nfsd",
};

#define FS_PSEUDO (sizeof(fs_pseudo) / sizeof(fs_pseudo[0]))

_Static_assert(FS_PSEUDO <= FS_NAMES_MAX, "more names than the BPF program has room for");

static int fs_name_set(struct weir_ctx *ctx, const char *text, struct fs_name *name)
{
	size_t length = strlen(text);

	if (!length || length >= sizeof(name->text))
		return weir_fail_option(ctx, "fs", -EINVAL, "no file system has the name \"%s\"",
					text);
	memset(name, 0, sizeof(*name));
	memcpy(name->text, text, length);
	return 0;
}

/* What is not known now may come with a module: a warning will do. */
static void fs_names_check(struct weir_ctx *ctx, const struct weir_texts *fs)
{
	struct weir_buffer known = { 0 };

	if (weir_read_file(ctx, "proc/filesystems", &known) == 0 && known.bytes) {
		for (uint32_t i = 0; i < fs->count; i++) {
			char line[FS_NAME_LENGTH + 4];

			snprintf(line, sizeof(line), "\t%s\n", fs->items[i]);
			if (!strstr(known.bytes, line))
				weir_log(ctx, WEIR_LOG_WARNING,
					 "this kernel has no file system \"%s\" now: see "
					 "/proc/filesystems",
					 fs->items[i]);
		}
	}
	weir_buffer_release(&known);
}

static int fs_names_any(struct fs_name *names)
{
	for (size_t i = 0; i < FS_PSEUDO; i++)
		snprintf(names[i].text, sizeof(names[i].text), "%s", fs_pseudo[i]);
	return (int)FS_PSEUDO;
}

int fs_names_set(struct weir_ctx *ctx, const struct weir_texts *fs, struct fs_name *names,
		 uint32_t *wanted)
{
	uint32_t count = 0;
	int err = 0;

	*wanted = 0;
	if (!fs->count || (fs->count == 1 && strcmp(fs->items[0], "any") == 0))
		return fs_names_any(names);
	for (uint32_t i = 0; i < fs->count && !err; i++) {
		/* Version 4 of nfs has a name of its own, which people do not say. */
		int nfs = strcmp(fs->items[i], "nfs") == 0;

		if (count + 1 + (uint32_t)nfs > FS_NAMES_MAX)
			return weir_fail_option(ctx, "fs", -E2BIG, "more than %d file systems",
						FS_NAMES_MAX);
		err = fs_name_set(ctx, fs->items[i], &names[count++]);
		if (!err && nfs)
			err = fs_name_set(ctx, "nfs4", &names[count++]);
	}
	if (err)
		return err;
	fs_names_check(ctx, fs);
	*wanted = 1;
	return (int)count;
}
