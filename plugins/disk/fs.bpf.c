/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times the system calls that read, write, open and flush files, on the raw tracepoints of all
 * calls: some 200 ns for each other call, 500 for each of ours. The tracepoints of these calls
 * alone cost others 80 ns, but there are 38 of them, and the kernel waits for a grace period at
 * the end of each: seconds on a busy machine, in which nobody else can attach to any.
 *
 * What a call worked on is looked up when it ends: by its descriptor where nobody else can have
 * closed that meanwhile, else by the file that it was when the call began.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/events.h>
#include <weir/bpf/histogram.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/kernel_file.h>
#include <weir/bpf/path.h>
#include <weir/bpf/slots.h>
#include <weir/bpf/system_call.h>
#include <weir/bpf/task.h>
#include <weir/bpf/thread_words.h>

#include "fs_event.h"
#include "open_call.h"

#define O_APPEND 02000

#define S_IFMT  0170000
#define S_IFDIR 0040000
#define S_IFREG 0100000

/* 2^THREADS_LOG sets of threads: room for 16384 that are in a call, many of them in sockets. */
#define THREADS_LOG 11

/* A kind of call on a file system that is not wanted: a slot that is none. */
#define NOT_WANTED (~0u)

/* Set by the user side before load; the verifier then drops what is not wanted. */
const volatile __u32 report = 0;
const volatile __u32 by_pid = 0;
const volatile __u32 by_dev = 0;
const volatile __u32 only_dev = 0; /* whole disk: major << 20 | minor; 0: all */
const volatile __u32 slot_count = FS_SLOTS;
const volatile __u64 min_latency_ns = 0;
const volatile struct fs_call fs_calls[FS_NUMBERS] = {};
const volatile __u32 fs_name_count = 0;
const volatile __u32 fs_names_wanted = 0; /* 1: only these file systems; 0: all but these */
const volatile struct {
	__u64 word[2];
} fs_names[FS_NAMES_MAX] = {};

struct fs_totals totals = {};
struct weir_slot_pool slot_pool = {};

/* What a call began with, where others may close the file meanwhile. */
struct held {
	__u64 file; /* 0: nobody else can */
	__u64 inode;
};

struct calls {
	struct weir_thread_words began; /* stamps */
	struct held held[WEIR_THREAD_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << THREADS_LOG);
	__type(key, __u32);
	__type(value, struct calls);
} calls SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, FS_SLOTS);
	__type(key, struct fs_key);
	__type(value, __u32);
} slot_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, FS_SLOTS);
	__type(key, __u32);
	__type(value, struct fs_slot);
} slots SEC(".maps");

/* An event in the making, which is too large for the stack. */
struct scratch {
	struct fs_event event;
	struct weir_path_text path;
};

/* One for each CPU: no program interrupts itself there. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct scratch);
} scratches SEC(".maps");

/* A call that has ended. */
struct ended {
	__u64 now;
	__u64 latency_ns;
	long result;
	struct fs_call call;
	struct held held;
	__u64 args[WEIR_CALL_ARGS];
};

/* What a file says of itself. */
struct look {
	struct inode *inode;
	struct super_block *sb;
	struct weir_super_block super;
};

static __always_inline struct calls *calls_of(__u32 tid)
{
	__u32 set = tid & ((1u << THREADS_LOG) - 1);

	return bpf_map_lookup_elem(&calls, &set);
}

/* Notes that the current thread begins a call. Where it is noted; NULL: there is no room. */
static __always_inline struct held *call_begin(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct calls *set = calls_of(tid);
	__u64 stamp;
	__u32 way;

	if (!set) {
		__sync_fetch_and_add(&totals.full, 1);
		return 0;
	}
	stamp = weir_thread_stamp(tid, bpf_ktime_get_ns());
	way = weir_thread_way(&set->began, tid);
	if (way < WEIR_THREAD_WAYS)
		set->began.word[weir_thread_way_index(way)] = stamp;
	else
		way = weir_thread_way_take(&set->began, stamp);
	if (way >= WEIR_THREAD_WAYS) {
		__sync_fetch_and_add(&totals.full, 1);
		return 0;
	}
	return &set->held[weir_thread_way_index(way)];
}

/* The file that a call worked on or opened, or NULL. */
static __always_inline struct file *file_of(const struct ended *ended)
{
	struct file *file = (struct file *)ended->held.file;
	int fd = ended->call.op == FS_OPEN ? ended->result : (int)ended->args[0];

	if (!file)
		return weir_task_file((struct task_struct *)bpf_get_current_task(), fd);
	/* The call has let it go: who closed it has freed it, and it may be another one by now. */
	if ((__u64)BPF_CORE_READ(file, f_inode) == ended->held.inode)
		return file;
	__sync_fetch_and_add(&totals.gone, 1);
	return 0;
}

/* True for a regular file, and for a directory that is opened or flushed. */
static __always_inline int look_at(struct look *look, struct file *file, __u32 op)
{
	struct weir_inode inode = {};

	look->inode = BPF_CORE_READ(file, f_inode);
	weir_inode_read(&inode, look->inode);
	if ((inode.mode & S_IFMT) != S_IFREG &&
	    ((inode.mode & S_IFMT) != S_IFDIR || (op != FS_OPEN && op != FS_SYNC)))
		return 0;
	look->sb = inode.sb;
	weir_super_block_read(&look->super, look->sb);
	return 1;
}

/* Not static, as below: the verifier then checks the loop by itself. */
__noinline int fs_name_wanted(__u64 first, __u64 second)
{
	__u64 differs;
	__u32 i;

	for (i = 0; i < FS_NAMES_MAX; i++) {
		if (i >= fs_name_count)
			break;
		differs = (fs_names[i].word[0] ^ first) | (fs_names[i].word[1] ^ second);
		/* One branch: else the verifier goes on with each name that the first may be. */
		barrier_var(differs);
		if (!differs)
			return fs_names_wanted;
	}
	return !fs_names_wanted;
}

/* Names a file system and its disk. True if that is one that the user asked for. */
static __always_inline int fs_wanted(const struct look *look, char *fs, char *disk)
{
	const char *name = 0;
	__u32 dev;

	bpf_probe_read_kernel(&name, sizeof(name), look->super.type_name);
	bpf_probe_read_kernel_str(fs, FS_NAME_LENGTH, name);
	if (!fs_name_wanted(((__u64 *)fs)[0], ((__u64 *)fs)[1]))
		return 0;
	dev = weir_super_block_disk(look->sb, disk, FS_DISK_LENGTH);
	return !only_dev || dev == only_dev;
}

/* The slot of what is seen for the first time. */
static __noinline __u32 slot_new(const struct look *look, const struct fs_key *key)
{
	struct fs_key unwanted = { .type = key->type, .dev = key->dev, .op = FS_OPS };
	char fs[FS_NAME_LENGTH] = {}, disk[FS_DISK_LENGTH] = {};
	struct fs_slot *slot;
	__u32 index = 0;
	__u32 *first;

	if (bpf_map_lookup_elem(&slot_index, &unwanted))
		return NOT_WANTED;
	if (!fs_wanted(look, fs, disk)) {
		bpf_map_update_elem(&slot_index, &unwanted, &index, BPF_ANY);
		return NOT_WANTED;
	}
	index = weir_slot_take(&slot_pool, slot_count);
	slot = bpf_map_lookup_elem(&slots, &index);
	if (!index || !slot)
		return 0;
	/* Should two CPUs see it at once, one slot stays empty, and is given back. */
	if (bpf_map_update_elem(&slot_index, key, &index, BPF_NOEXIST)) {
		first = bpf_map_lookup_elem(&slot_index, key);
		return first ? *first : 0;
	}
	slot->key = *key;
	__builtin_memcpy(slot->fs, fs, sizeof(fs));
	__builtin_memcpy(slot->disk, disk, sizeof(disk));
	slot->known = 1;
	return index;
}

static __always_inline void count(const struct look *look, const struct ended *ended)
{
	struct fs_key key = { .type = (__u64)look->super.type_name, .op = ended->call.op };
	struct fs_slot *slot;
	__u32 *known;
	__u32 index;

	if (by_dev)
		key.dev = look->super.dev;
	if (by_pid)
		key.pid = bpf_get_current_pid_tgid() >> 32;
	known = bpf_map_lookup_elem(&slot_index, &key);
	index = known ? *known : slot_new(look, &key);
	if (index == NOT_WANTED)
		return;
	if (!index)
		__sync_fetch_and_add(&slot_pool.full, 1);
	slot = bpf_map_lookup_elem(&slots, &index);
	if (!slot)
		return;
	/* Each time, as exec gives a process another name. */
	if (by_pid)
		weir_current_process_comm(slot->comm);
	if (ended->result < 0)
		__sync_fetch_and_add(&slot->errors, 1);
	else if (ended->call.op == FS_READ || ended->call.op == FS_WRITE)
		__sync_fetch_and_add(&slot->bytes, ended->result);
	weir_histogram_add(&slot->latency, ended->latency_ns, FS_FIRST);
}

/* Where in its file a call worked; ~0: not known. */
static __always_inline __u64 offset_of(const struct ended *ended, struct file *file)
{
	__u64 position;

	if (ended->call.place == FS_PLACE_SECOND)
		return ended->args[1];
	/* Such a write goes to the end, whatever it was told. */
	if (ended->call.place == FS_PLACE_ARGUMENT && ended->args[3] != ~0ULL)
		return ended->call.op == FS_WRITE && BPF_CORE_READ(file, f_flags) & O_APPEND
			       ? ~0ULL
			       : ended->args[3];
	if (ended->call.place == FS_PLACE_NONE)
		return ~0ULL;
	position = BPF_CORE_READ(file, f_pos);
	return ended->result > 0 ? position - ended->result : position;
}

/* Everything that an event says of a file. False if nobody asked for it. */
static __always_inline int fill_file(struct fs_event *event, const struct ended *ended,
				     struct file *file)
{
	struct look look = {};
	struct inode *inode;

	if (!look_at(&look, file, ended->call.op) || !fs_wanted(&look, event->fs, event->disk))
		return 0;
	inode = look.inode;
	event->inode = BPF_CORE_READ(weir_inode_in(inode), vfs_inode.i_ino);
	event->offset = offset_of(ended, file);
	return 1;
}

static __always_inline void fill(struct fs_event *event, const struct ended *ended)
{
	weir_task_fill_current(&event->task);
	event->time_ns = ended->now;
	event->latency_ns = ended->latency_ns;
	event->result = ended->result;
	event->fd = ended->call.op == FS_OPEN ? ended->result : (int)ended->args[0];
	event->call = ended->call.index;
}

/*
 * The path of a file, or, of one that was not opened (`file` is 0), where its name starts from, and
 * the name. Not static: verified once, whatever has led here.
 */
__noinline int read_path(struct scratch *scratch, __u64 file, __u32 call)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	struct open_args args = { .call = call };
	const struct path *path;

	if (!scratch)
		return 0;
	weir_path_begin(&scratch->path);
	if (file) {
		path = &((struct file *)file)->f_path;
	} else {
		open_args_read(&args);
		path = open_path_from(&scratch->path, task, &args, -1);
	}
	if (path)
		weir_path_walk(&scratch->path, task, path);
	if (!file && call != OPEN_HANDLE)
		weir_path_add_name(&scratch->path, (const void *)args.name);
	return 0;
}

/* Tells of a slow call on a file, or of one that opened none (`file` is NULL). */
static __always_inline void tell(const struct ended *ended, struct file *file)
{
	struct scratch *scratch;
	__u32 only = 0;

	scratch = bpf_map_lookup_elem(&scratches, &only);
	if (!scratch)
		return;
	__builtin_memset(&scratch->event, 0, sizeof(scratch->event));
	scratch->event.offset = ~0ULL;
	if (file && !fill_file(&scratch->event, ended, file))
		return;
	fill(&scratch->event, ended);
	read_path(scratch, (__u64)file, ended->call.open);
	weir_path_send(scratch, sizeof(scratch->event), &scratch->path);
}

/* The call that the current thread has ended. False if its beginning was not seen or wanted. */
static __always_inline int call_end(struct ended *ended)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid();
	struct calls *set = calls_of(tid);
	__u32 way = set ? weir_thread_way(&set->began, tid) : WEIR_THREAD_WAYS;

	if (!set || way >= WEIR_THREAD_WAYS)
		return 0;
	way = weir_thread_way_index(way);
	ended->now = bpf_ktime_get_ns();
	ended->latency_ns = weir_thread_stamp_age(set->began.word[way], ended->now);
	ended->held = set->held[way];
	set->began.word[way] = 0;
	return 1;
}

/* First, as whatever begins must be seen to end: else it would stay noted. */
SEC("raw_tp/sys_exit")
int fs_exit(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 number = weir_call_number();
	struct ended ended = {};
	struct look look = {};
	struct file *file;
	int slow;

	if (number >= FS_NUMBERS || !fs_calls[number].index || !call_end(&ended))
		return 0;
	slow = report & FS_SLOW && ended.latency_ns >= min_latency_ns;
	if (!slow && !(report & FS_LATENCY))
		return 0;
	ended.call = *(struct fs_call *)&fs_calls[number];
	ended.result = ctx->args[1];
	weir_call_args(ended.args);
	file = file_of(&ended);
	if (report & FS_LATENCY && file && look_at(&look, file, ended.call.op))
		count(&look, &ended);
	/* What was not opened lies on a file system that nobody knows. */
	if (slow && (file || (ended.call.op == FS_OPEN && ended.result < 0 && !fs_names_wanted &&
			      !only_dev)))
		tell(&ended, file);
	return 0;
}

SEC("raw_tp/sys_enter")
int fs_enter(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 number = ctx->args[1];
	__u64 args[WEIR_CALL_ARGS];
	struct file *file;
	struct held *held;

	if (number >= FS_NUMBERS || !fs_calls[number].index || weir_call_is_compat() ||
	    !weir_current_wanted())
		return 0;
	held = call_begin();
	if (!held)
		return 0;
	held->file = 0;
	if (fs_calls[number].op == FS_OPEN || weir_current_files_unshared())
		return 0;
	weir_call_args(args);
	file = weir_task_file((struct task_struct *)bpf_get_current_task(), (int)args[0]);
	held->inode = file ? (__u64)BPF_CORE_READ(file, f_inode) : 0;
	held->file = (__u64)file;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
