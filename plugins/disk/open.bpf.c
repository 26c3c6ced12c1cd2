/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells of each call that opens a file, when it comes back. What was opened is told by the file
 * itself, however it was found: by name, by a link, by a handle. Only what failed is told by the
 * name that was asked for and the directory that it starts from; names are read now, as the call
 * itself has brought their page into memory.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/events.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/kernel_file.h>
#include <weir/bpf/system_call.h>
#include <weir/bpf/task.h>
#include <weir/bpf/thread_words.h>

#include "open_event.h"

#define AT_FDCWD (-100)

#define O_CREAT_WRONLY_TRUNC 01101

#define RESOLVE_IN_ROOT 0x10

/* 2^THREADS_LOG sets of threads. */
#define THREADS_LOG 9

/* A path of OPEN_PATH_MAX bytes has no more names; mounts come on top. */
#define STEPS_MAX 4096

/* Set by the user side before load. */
const volatile __u32 open_numbers[OPEN_CALLS] = {}; /* of the system calls */
const volatile __u32 only_failed = 0;
const volatile __u32 timed = 0; /* begins of calls are seen, too */

__u64 calls_full = 0; /* calls whose begin was not noted: too many at a time */

/* Threads in a call, and since when. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << THREADS_LOG);
	__type(key, __u32);
	__type(value, struct weir_thread_words);
} opening SEC(".maps");

/* An event in the making, which is too large for the stack. */
struct scratch {
	struct open_event event;
	char text[OPEN_PATH_MAX + OPEN_NAME_MAX];
};

/* One for each CPU: no program interrupts itself there. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

static __always_inline struct scratch *scratch_get(void)
{
	__u32 only = 0;

	return bpf_map_lookup_elem(&scratches, &only);
}

/* A call's arguments, which is what struct open_how has for openat2. */
struct call {
	__u64 name;
	int folder; /* descriptor, or AT_FDCWD */
};

struct open_how {
	__u64 flags;
	__u64 mode;
	__u64 resolve;
};

/* From a file up to the root that the task has. */
struct walk {
	struct scratch *scratch;
	struct dentry *dentry;
	struct vfsmount *mount;
	struct dentry *mount_root;
	struct dentry *root;
	struct vfsmount *root_mount;
};

/* At the root of a mounted file system: goes on where it is mounted. 1 ends the loop. */
static __always_inline long cross_mount(struct walk *walk)
{
	struct mount *mount = weir_mount_of(walk->mount);
	struct weir_mount at = {};
	struct mount *parent;

	weir_mount_read(&at, mount);
	parent = at.parent;
	if (parent == mount) {
		walk->scratch->event.marks |= OPEN_OUTSIDE;
		return 1;
	}
	walk->dentry = at.point;
	walk->mount = &parent->mnt;
	walk->mount_root = BPF_CORE_READ(parent, mnt.mnt_root);
	return 0;
}

/* Adds one name to the path, or crosses a mount. 1 ends the loop. */
static long step_up(__u32 i, struct walk *walk)
{
	struct scratch *scratch = walk->scratch;
	struct dentry *dentry = walk->dentry;
	struct weir_dentry at = {};
	__u32 length;
	long added;

	if (dentry == walk->root && walk->mount == walk->root_mount)
		return 1;
	if (dentry == walk->mount_root)
		return cross_mount(walk);
	weir_dentry_read(&at, dentry);
	length = scratch->event.path_length;
	if (at.parent == dentry || length > OPEN_PATH_MAX - 256) {
		scratch->event.marks |= at.parent == dentry ? OPEN_NOWHERE : OPEN_CUT;
		return 1;
	}
	if (i == 0 && !at.hashed)
		scratch->event.marks |= OPEN_DELETED;
	added = bpf_probe_read_kernel_str(scratch->text + length, 256, at.name);
	if (added > 0)
		scratch->event.path_length = length + added;
	walk->dentry = at.parent;
	return 0;
}

static __always_inline void walk_up(struct scratch *scratch, struct task_struct *task,
				    const struct path *path)
{
	struct fs_struct *fs = BPF_CORE_READ(task, fs);
	struct weir_path from, root;
	struct walk walk;

	weir_path_read(&from, path);
	weir_path_read(&root, &fs->root);
	walk.scratch = scratch;
	walk.dentry = weir_path_dentry(&from);
	walk.mount = weir_path_mount(&from);
	bpf_core_read(&walk.mount_root, sizeof(walk.mount_root), &weir_path_mount(&from)->mnt_root);
	walk.root = weir_path_dentry(&root);
	walk.root_mount = weir_path_mount(&root);
	scratch->event.marks |= OPEN_WALKED;
	if (bpf_loop(STEPS_MAX, step_up, &walk, 0) == STEPS_MAX)
		scratch->event.marks |= OPEN_CUT;
}

/* Reads flags, mode and the way of a name. */
static __always_inline void read_call(struct open_event *event, struct call *call)
{
	__u64 args[WEIR_CALL_ARGS];
	struct open_how how = {};
	int from_folder = event->call >= OPEN_OPENAT;

	weir_call_args(args);
	call->folder = from_folder ? (int)args[0] : AT_FDCWD;
	call->name = from_folder ? args[1] : args[0];
	how.flags = from_folder ? args[2] : args[1];
	how.mode = from_folder ? args[3] : args[2];
	if (event->call == OPEN_CREAT) {
		how.mode = how.flags;
		how.flags = O_CREAT_WRONLY_TRUNC;
	}
	if (event->call == OPEN_OPENAT2) {
		const void *from = (const void *)how.flags;

		how.flags = how.mode = 0;
		bpf_probe_read_user(&how, sizeof(how), from);
	}
	event->flags = how.flags;
	event->mode = how.mode;
	event->resolve = how.resolve;
}

/* The name, behind the path. */
static __always_inline void read_name(struct scratch *scratch, const struct call *call)
{
	__u32 path = scratch->event.path_length;
	long length;

	if (path > OPEN_PATH_MAX)
		return;
	length = bpf_probe_read_user_str(scratch->text + path, OPEN_NAME_MAX,
					 (const void *)call->name);
	if (length > 0)
		scratch->event.name_length = length;
	else
		scratch->event.marks |= OPEN_NAMELESS;
}

/* True if the name of a file that was not opened says all. */
static __always_inline int starts_at_root(const struct open_event *event, const struct call *call)
{
	char first = '/';

	return event->call == OPEN_HANDLE ||
	       bpf_probe_read_user(&first, 1, (const void *)call->name) ||
	       (first == '/' && !(event->resolve & RESOLVE_IN_ROOT));
}

/*
 * The path that was opened, or the one that the name of what was not starts from. One way through
 * it for both: the verifier walks up for each place that does.
 */
static __always_inline void read_path(struct scratch *scratch, struct task_struct *task,
				      const struct call *call)
{
	struct open_event *event = &scratch->event;
	int fd = event->result;
	const struct path *path;

	if (fd < 0) {
		if (starts_at_root(event, call))
			return;
		event->marks |= OPEN_BASE;
		fd = call->folder;
	}
	if (fd == AT_FDCWD) {
		struct fs_struct *fs = BPF_CORE_READ(task, fs);

		path = &fs->pwd;
	} else {
		struct file *file = weir_task_file(task, fd);

		if (!file)
			return;
		path = &file->f_path;
	}
	walk_up(scratch, task, path);
}

static __always_inline void send(struct scratch *scratch)
{
	__u32 path = scratch->event.path_length;
	__u32 name = scratch->event.name_length;

	if (path > OPEN_PATH_MAX || name > OPEN_NAME_MAX)
		return;
	if (bpf_ringbuf_output(&events, scratch, sizeof(scratch->event) + path + name,
			       BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&events_lost, 1);
}

/* Which call it is, by its number; OPEN_CALLS: none. */
static __always_inline __u32 call_of(__u32 number)
{
	__u32 call;

	for (call = 0; call < OPEN_CALLS; call++)
		if (open_numbers[call] == number)
			break;
	return call;
}

static __always_inline __u64 latency_of(__u64 now)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	__u64 stamp;

	if (!timed)
		return 0;
	stamp = weir_thread_word_remove(weir_thread_words(&opening, tid, THREADS_LOG), tid);
	return stamp ? weir_thread_stamp_age(stamp, now) : 0;
}

/* Attached to the beginning of all calls, if they are timed. */
SEC("tp/syscalls/sys_enter_openat")
int open_enter(struct trace_event_raw_sys_enter *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct weir_thread_words *words;

	if (!timed || !weir_task_wanted(task))
		return 0;
	words = weir_thread_words(&opening, tid, THREADS_LOG);
	weir_thread_word_remove(words, tid);
	if (!weir_thread_word_add(words, weir_thread_stamp(tid, bpf_ktime_get_ns())))
		__sync_fetch_and_add(&calls_full, 1);
	return 0;
}

/* Attached to the end of all calls. */
SEC("tp/syscalls/sys_exit_openat")
int open_exit(struct trace_event_raw_sys_exit *ctx)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u32 kind = call_of(ctx->id);
	long result = ctx->ret;
	struct scratch *scratch;
	struct call call = {};
	__u64 now, latency;

	if (kind >= OPEN_CALLS || !weir_task_wanted(task))
		return 0;
	now = bpf_ktime_get_ns();
	latency = latency_of(now);
	scratch = scratch_get();
	if (!scratch || (only_failed && result >= 0))
		return 0;

	__builtin_memset(&scratch->event, 0, sizeof(scratch->event));
	scratch->event.call = kind;
	scratch->event.time_ns = now;
	scratch->event.latency_ns = latency;
	scratch->event.result = result;
	weir_task_fill_current(&scratch->event.task);
	read_call(&scratch->event, &call);
	read_path(scratch, task, &call);
	if (scratch->event.call != OPEN_HANDLE)
		read_name(scratch, &call);
	send(scratch);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
