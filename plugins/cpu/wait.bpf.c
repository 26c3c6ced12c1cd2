/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keeps account of each thread's time: on a CPU, waiting for one, blocked, asleep. Each event ends
 * one state and begins the next, so that no time is left out and none counted twice.
 *
 * The events of one thread follow one another, as the kernel holds a lock of the thread or of its
 * run queue at each; those locks are why nothing here allocates or waits. A switch costs some
 * 100 ns: what the current task holds is read without a call, and what is rare is not inlined.
 */
#include <linux/bpf.h>

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/slots.h>
#include <weir/bpf/system_call.h>
#include <weir/bpf/task.h>
#include <weir/bpf/thread_words.h>

#include "wait_event.h"

/* Set by the user side before load. */
const volatile __u32 slot_count = 0;
const volatile __u32 sets_log = 0;

/*
 * Threads born from this moment on are met by their events, those before by the iterator, so that
 * none is met twice. At first nobody's; then, before the iterator runs, the moment by which all
 * programs were attached; and 0 after it.
 */
__u64 met_from = ~0ULL;

struct wait_totals totals = {};
struct weir_slot_pool pool = {};

/* Which of `tasks` a thread has: the value of its word. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct weir_thread_words);
} task_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wait_cpu);
} cpus SEC(".maps");

#define JOURNALS_LOG 6

/* The disk that each thread of a journal has last written to, also of those that are not wanted. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << JOURNALS_LOG);
	__type(key, __u32);
	__type(value, struct weir_thread_words);
} journal_disks SEC(".maps");

/* The slot of a thread; 0: it has none. */
static __always_inline __u32 index_of(__u32 tid)
{
	struct weir_thread_words *words = weir_thread_words(&task_index, tid, sets_log);
	__u32 way;

	if (!words)
		return 0;
	way = weir_thread_way(words, tid);
	return way < WEIR_THREAD_WAYS ? (__u32)weir_thread_word_value(words->word[way]) : 0;
}

static __always_inline struct wait_task *slot_of(__u32 index)
{
	return index ? bpf_map_lookup_elem(&tasks, &index) : NULL;
}

static __always_inline void charge(struct wait_task *slot, __u32 state, __u64 ns)
{
	if (state == WAIT_AWAY)
		state = WAIT_SLEEP;
	if (state < WAIT_SUMS)
		slot->sum_ns[state] += ns;
}

/* The clocks of two CPUs may differ by a little: no time is negative. */
static __always_inline __u64 not_before(__u64 mark, __u64 now)
{
	__u64 since = wait_mark_since(mark);

	return now < since ? since : now;
}

static __always_inline void note_longest(struct wait_task *slot, __u32 state, __u64 ns)
{
	__u64 wait = wait_mark(ns, state);

	if (wait > slot->longest)
		slot->longest = wait;
}

/*
 * An event does not follow from what is known of the thread, as one before it was not shown, which
 * was at `moment`; 0: half way, for want of knowledge. What is known lasted until then, and `next`
 * from then on. Not static, as others below, so that the verifier need not follow it from each call.
 */
__noinline int split_unseen(struct wait_task *slot, __u64 now, __u32 next, __u64 moment)
{
	__u64 since;

	if (!slot)
		return 0;
	since = wait_mark_since(slot->mark);
	if (moment < since || moment > now)
		moment = since + (now - since) / 2;
	charge(slot, wait_mark_state(slot->mark), moment - since);
	charge(slot, next, now - moment);
	__sync_fetch_and_add(&totals.unseen, 1);
	return 0;
}

static __always_inline __u32 blocked_state(__u32 state, bool in_iowait)
{
	if (!(state & WEIR_TASK_UNINTERRUPTIBLE) || state & WEIR_TASK_NOLOAD)
		return WAIT_SLEEP;
	return in_iowait ? WAIT_DEVICE : WAIT_KERNEL;
}

/* libbpf's macros calculate with pointers to void. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpointer-arith"
static __always_inline bool waits_for_device(struct task_struct *task)
{
	return BPF_CORE_READ_BITFIELD(task, in_iowait) != 0;
}
#pragma clang diagnostic pop

/* What a task that the kernel trusts us with does now. */
static __always_inline __u32 state_of(struct task_struct *task)
{
	__u32 state = task->__state;

	if (task->on_cpu)
		return WAIT_RUN;
	return state ? blocked_state(state, waits_for_device(task)) : WAIT_RUNNABLE;
}

static __always_inline bool is_journal(const char *comm)
{
	/* Five bytes of eight. */
	union {
		char text[8];
		__u64 word;
	} name = { "jbd2/" };

	return (*(const __u64 *)comm & 0xffffffffffULL) == (name.word & 0xffffffffffULL);
}

/* Of a task that the kernel trusts us with. */
static __always_inline bool is_journal_thread(struct task_struct *task)
{
	return task->flags & WEIR_PF_KTHREAD && is_journal(task->comm);
}

/* Fills a slot that was taken for a thread. Not static: verified once. */
__noinline int slot_fill(struct wait_task *slot, __u64 address, __u32 state)
{
	struct task_struct *task = (struct task_struct *)address;
	__u64 now = bpf_ktime_get_ns();

	if (!slot)
		return 0;
	__builtin_memset(slot, 0, sizeof(*slot));
	weir_task_fill(&slot->id, task);
	slot->born_ns = now;
	if (BPF_CORE_READ(task, flags) & WEIR_PF_KTHREAD)
		slot->kind = is_journal(slot->id.comm) ? WAIT_JBD2 : WAIT_KTHREAD;
	slot->mark = wait_mark(now, state);
	return 0;
}

/*
 * A slot for the thread whose task_struct is at `address`; 0: there is none, or it is not wanted.
 */
__noinline __u32 task_meet(__u64 address, __u32 state)
{
	struct task_struct *task = (struct task_struct *)address;
	struct weir_thread_words *words;
	struct wait_task *slot;
	__u32 tid, index = 0;

	if (!weir_task_wanted(task))
		return 0;
	tid = BPF_CORE_READ(task, pid);
	words = weir_thread_words(&task_index, tid, sets_log);
	if (words && weir_thread_way(words, 0) < WEIR_THREAD_WAYS)
		index = weir_slot_take(&pool, slot_count);
	slot = slot_of(index);
	if (slot) {
		slot_fill(slot, address, state);
		if (weir_thread_word_add(words, weir_thread_word(tid, index)))
			return index;
		slot->mark = 0;
	}
	__sync_fetch_and_add(&pool.full, 1);
	return 0;
}

/* The thread of an event, which has no slot. */
__noinline __u32 task_meet_by_event(__u64 address, __u32 state)
{
	struct task_struct *task = (struct task_struct *)address;

	return BPF_CORE_READ(task, start_time) >= met_from ? task_meet(address, state) : 0;
}

/* Once for each task there is, before anything is told to the user. */
SEC("iter/task")
int task_listed(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wait_task *slot;
	__u64 now, address = 0;
	__u32 state;

	if (!task || task->exit_state || task->start_time >= met_from)
		return 0;
	/* As a number, which the verifier lets go to other functions. */
	bpf_core_read(&address, sizeof(address), &ctx->task);
	slot = slot_of(task_meet(address, state_of(task)));
	if (!slot)
		return 0;
	/* Until now its events passed it by. */
	state = state_of(task);
	if (state != wait_mark_state(slot->mark)) {
		now = bpf_ktime_get_ns();
		slot->born_ns = now;
		slot->mark = wait_mark(now, state);
	}
	return 0;
}

/*
 * The CPU's last thread was another one than the one that leaves now: takes it to have left half
 * way. Returns when; 0: not known.
 */
__noinline __u64 left_unseen(__u32 index, __u64 now)
{
	struct wait_task *slot = slot_of(index);
	__u64 since, moment;

	if (!slot || wait_mark_state(slot->mark) != WAIT_RUN)
		return 0;
	since = wait_mark_since(slot->mark);
	if (now < since)
		return 0;
	moment = since + (now - since) / 2;
	slot->sum_ns[WAIT_RUN] += moment - since;
	slot->mark = wait_mark(moment, WAIT_AWAY);
	return moment;
}

static __always_inline void keep_identity(struct wait_task *slot, struct task_struct *task)
{
	/* Each time, as exec gives it another name, and setuid another user. */
	((__u64 *)slot->id.comm)[0] = *(__u64 *)&task->comm[0];
	((__u64 *)slot->id.comm)[1] = *(__u64 *)&task->comm[8];
	slot->id.uid = (__u32)bpf_get_current_uid_gid();
}

/* Its number may go to another thread from now on. */
__noinline int task_ended(__u32 tid)
{
	weir_thread_word_remove(weir_thread_words(&task_index, tid, sets_log), tid);
	__sync_fetch_and_add(&totals.ended, 1);
	return 0;
}

#define CALL_FUTEX_X86   202
#define CALL_FUTEX_ARM64 98

/* Operations of futex(), but for the flag that says that no other process is concerned. */
#define FUTEX_WAIT        0
#define FUTEX_LOCK_PI     6
#define FUTEX_WAIT_BITSET 9
#define FUTEX_LOCK_PI2    13
#define FUTEX_PRIVATE     128u

/* The word of a lock that is held and waited for, for glibc, Go and Rust. */
#define FUTEX_CONTENDED 2

/*
 * By operation and value, as different libraries use them. Idle workers wait for conditions: glibc's
 * with FUTEX_WAIT_BITSET by the clock of real time, which no lock uses, Rust's with another value.
 */
static __always_inline bool is_lock(__u32 operation, __u32 value, __u64 timeout)
{
	switch (operation & ~FUTEX_PRIVATE) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	case FUTEX_WAIT: /* musl: the owner's tid and the highest bit */
		return value == FUTEX_CONTENDED || (value >> 31 && value != ~0u);
	case FUTEX_WAIT_BITSET: /* Rust */
		return value == FUTEX_CONTENDED && !timeout;
	default:
		return false;
	}
}

/* True when the current thread, which falls asleep, does so for a lock. */
__noinline int waits_for_lock(void)
{
	__u64 args[WEIR_CALL_ARGS];

	if (weir_call_number() != (weir_is_x86() ? CALL_FUTEX_X86 : CALL_FUTEX_ARM64) ||
	    weir_call_is_compat())
		return 0;
	weir_call_args(args);
	return is_lock((__u32)args[1], (__u32)args[2], args[3]);
}

/* Why a thread leaves the CPU: who is preempted on its way to sleep stays queued. */
static __always_inline __u32 state_at_switch(struct task_struct *prev, bool preempt)
{
	__u32 state = preempt ? 0 : prev->__state;

	if (!state)
		return WAIT_RUNNABLE;
	if (state & WEIR_TASK_DEAD)
		return WAIT_ENDED;
	state = blocked_state(state, waits_for_device(prev));
	if (state == WAIT_SLEEP && !(prev->flags & WEIR_PF_KTHREAD) && waits_for_lock())
		return WAIT_LOCK;
	return state;
}

static __always_inline void task_leaves(struct wait_task *slot, struct task_struct *prev,
					__u32 state, __u64 now, __u64 came)
{
	__u64 mark = slot->mark;

	now = not_before(mark, now);
	if (wait_mark_state(mark) == WAIT_RUN)
		slot->sum_ns[WAIT_RUN] += now - wait_mark_since(mark);
	else
		split_unseen(slot, now, WAIT_RUN, came);
	slot->mark = wait_mark(now, state);
	/* What it waits for next need not be what it read before it slept. */
	if (state >= WAIT_SLEEP)
		slot->dev = 0;
	keep_identity(slot, prev);
}

static __always_inline void task_arrives(struct wait_task *slot, __u64 now)
{
	__u64 mark = slot->mark;
	__u32 state = wait_mark_state(mark);
	__u64 ns;

	now = not_before(mark, now);
	ns = now - wait_mark_since(mark);
	if (state == WAIT_RUNNABLE || state == WAIT_AWAY) {
		slot->sum_ns[WAIT_RUNNABLE] += ns;
		note_longest(slot, WAIT_RUNNABLE, ns);
	} else {
		/* Its wakeup, or its leaving, was not shown. */
		split_unseen(slot, now, state == WAIT_RUN ? WAIT_RUNNABLE : state, 0);
	}
	slot->switches++;
	slot->mark = wait_mark(now, WAIT_RUN);
}

SEC("raw_tp/sched_switch")
int BPF_PROG(task_switched, bool preempt, struct task_struct *prev_, struct task_struct *next)
{
	/* The one that leaves is still the current one, and may be read without calls. */
	struct task_struct *prev = (struct task_struct *)bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns();
	__u32 next_tid = BPF_CORE_READ(next, pid);
	__u32 left = prev->pid ? index_of(prev->pid) : 0;
	__u32 arrived = next_tid ? index_of(next_tid) : 0;
	__u32 state, id = bpf_get_smp_processor_id();
	struct wait_cpu *cpu = bpf_map_lookup_elem(&cpus, &id);
	struct wait_task *slot;
	__u64 came = 0;

	if (!cpu)
		return 0;
	if (cpu->slot && cpu->slot != left)
		came = left_unseen(cpu->slot, now);
	cpu->slot = arrived;
	slot = slot_of(left);
	if (slot) {
		state = state_at_switch(prev, preempt);
		task_leaves(slot, prev, state, now, came);
		if (state == WAIT_ENDED)
			task_ended(prev->pid);
	} else if (prev->pid) {
		state = state_at_switch(prev, preempt);
		if (state != WAIT_ENDED)
			task_meet_by_event((__u64)prev_, state);
	}
	slot = slot_of(arrived);
	if (slot)
		task_arrives(slot, now);
	return 0;
}

/* Where a thread's dealings with a disk are counted; NULL: it has too many of them. */
static __always_inline struct wait_disk *disk_of(struct wait_task *slot, __u32 dev)
{
	int i;

#pragma unroll
	for (i = 0; i < WAIT_DISKS; i++) {
		struct wait_disk *disk = &slot->disk[i];

		if (dev && (disk->dev == dev || !disk->dev)) {
			disk->dev = dev;
			return disk;
		}
	}
	return NULL;
}

static __always_inline void disk_waited(struct wait_task *slot, __u32 dev, __u64 ns)
{
	struct wait_disk *disk = disk_of(slot, dev);

	if (disk)
		disk->wait_ns += ns;
}

/* The end of a wait in D state. */
__noinline int block_ended(struct wait_task *slot, __u32 state, __u64 ns)
{
	if (!slot)
		return 0;
	note_longest(slot, state, ns);
	if (state == WAIT_DEVICE)
		disk_waited(slot, slot->dev, ns);
	if (state == WAIT_JOURNAL)
		disk_waited(slot, slot->journal_dev, ns);
	return 0;
}

/* The end of the thread that had this number before was not shown. */
__noinline int task_replace(__u64 address, __u32 index)
{
	struct wait_task *slot = slot_of(index);

	if (!slot || BPF_CORE_READ((struct task_struct *)address, start_time) <= slot->born_ns)
		return 0;
	slot_fill(slot, address, WAIT_RUNNABLE);
	__sync_fetch_and_add(&totals.unseen, 1);
	return 1;
}

/* Attached to sched_wakeup_new, too. */
SEC("raw_tp/sched_wakeup")
int BPF_PROG(task_woken, struct task_struct *task)
{
	__u32 state, index = index_of(BPF_CORE_READ(task, pid));
	struct wait_task *slot = slot_of(index);
	__u64 mark, now;

	if (!slot) {
		task_meet_by_event((__u64)task, WAIT_RUNNABLE);
		return 0;
	}
	mark = slot->mark;
	state = wait_mark_state(mark);
	/* Woken before it could sleep. */
	if (state == WAIT_RUNNABLE || (state == WAIT_RUN && BPF_CORE_READ(task, on_cpu)))
		return 0;
	if (state == WAIT_AWAY && task_replace((__u64)task, index))
		return 0;
	now = not_before(mark, bpf_ktime_get_ns());
	if (state == WAIT_RUN)
		split_unseen(slot, now, WAIT_SLEEP, 0);
	else
		charge(slot, state, now - wait_mark_since(mark));
	if (state >= WAIT_DEVICE && state < WAIT_SLEEP)
		block_ended(slot, state, now - wait_mark_since(mark));
	slot->mark = wait_mark(now, WAIT_RUNNABLE);
	return 0;
}

/* A journal's thread is about to wake a thread that has waited for it. */
__noinline int journal_wakes(__u64 address, __u32 journal_tid)
{
	struct task_struct *task = (struct task_struct *)address;
	struct wait_task *slot = slot_of(index_of(BPF_CORE_READ(task, pid)));
	struct weir_thread_words *words =
		weir_thread_words(&journal_disks, journal_tid, JOURNALS_LOG);
	__u32 way = weir_thread_way(words, journal_tid);
	__u32 dev = 0;

	if (words && way < WEIR_THREAD_WAYS)
		dev = (__u32)weir_thread_word_value(words->word[way]);

	/* Who has just sent to another disk may have been woken by an interrupt of that one. */
	if (!slot || wait_mark_state(slot->mark) != WAIT_KERNEL ||
	    (slot->dev && dev && slot->dev != dev))
		return 0;
	slot->journal_dev = dev;
	slot->mark = wait_mark(wait_mark_since(slot->mark), WAIT_JOURNAL);
	return 0;
}

/* Here, as sched_wakeup may come on another CPU, where the waker is not known. */
SEC("raw_tp/sched_waking")
int BPF_PROG(task_waking, struct task_struct *task)
{
	struct task_struct *waker = (struct task_struct *)bpf_get_current_task_btf();

	if (is_journal_thread(waker))
		journal_wakes((__u64)task, waker->pid);
	return 0;
}

__noinline int journal_writes(__u32 tid, __u32 dev)
{
	struct weir_thread_words *words = weir_thread_words(&journal_disks, tid, JOURNALS_LOG);
	__u32 way = weir_thread_way(words, tid);

	if (words && way < WEIR_THREAD_WAYS)
		words->word[way] = weir_thread_word(tid, dev);
	else
		weir_thread_word_add(words, weir_thread_word(tid, dev));
	return 0;
}

SEC("raw_tp/block_bio_queue")
int BPF_PROG(bio_queued, struct bio *bio)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	struct wait_task *slot = slot_of(index_of(task->pid));
	bool journal = is_journal_thread(task);
	struct wait_disk *counted;
	struct block_device *device;
	struct gendisk *disk;
	__u32 dev;

	if (!slot && !journal)
		return 0;
	device = BPF_CORE_READ(bio, bi_bdev);
	disk = BPF_CORE_READ(weir_device_in(device), bdev.bd_disk);
	dev = (__u32)BPF_CORE_READ(disk, major) << 20 | (__u32)BPF_CORE_READ(disk, first_minor);
	if (journal)
		journal_writes(task->pid, dev);
	if (!slot)
		return 0;
	slot->dev = dev;
	counted = disk_of(slot, dev);
	if (counted)
		counted->sectors += BPF_CORE_READ(bio, bi_iter.bi_size) >> 9;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
