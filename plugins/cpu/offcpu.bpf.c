/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times how long threads are blocked, from the switch away to the wakeup, and adds it up by their
 * stack. What waits for a CPU is not blocked. The stack is walked where the thread leaves the CPU,
 * of threads only that do not want to run.
 *
 * The events of one thread follow one another, as the kernel holds a lock of the thread or of its
 * run queue at each; those locks are why nothing here allocates or waits.
 */
#include <linux/bpf.h>

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/slots.h>
#include <weir/bpf/task.h>
#include <weir/bpf/thread_words.h>

#include "offcpu_event.h"
#include "offcpu_walk.bpf.h"

/* Set by the user side before load; the verifier then drops what is not wanted. */
const volatile __u32 states = ~0u; /* enum offcpu_state */
const volatile bool by_thread = false;
const volatile bool with_waker = false;
const volatile __u32 slot_count = 2;
const volatile __u64 min_ns = 0;
const volatile __u64 max_ns = 0;

_Static_assert(OFFCPU_WAYS == WEIR_THREAD_WAYS, "the user side has other sets");

struct offcpu_totals totals = {};
struct weir_slot_pool slot_pool = {};
__u32 own_pid = 0; /* of weir, which is not reported */

/* Threads that are blocked. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1 << OFFCPU_SETS_LOG);
	__type(key, __u32);
	__type(value, struct offcpu_threads);
} blocked SEC(".maps");

struct slot_key {
	__u64 hash[2];
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 2);
	__type(key, struct slot_key);
	__type(value, __u32);
} slot_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct offcpu_slot);
} slots SEC(".maps");

/* What the kernel says a thread is in, as a bit. */
static __always_inline __u32 state_bit(__u32 state)
{
	if (state & WEIR_TASK_UNINTERRUPTIBLE)
		return state & WEIR_TASK_NOLOAD ? OFFCPU_IDLE : OFFCPU_UNINTERRUPTIBLE;
	if (state & WEIR_TASK_INTERRUPTIBLE)
		return OFFCPU_INTERRUPTIBLE;
	if (state & WEIR_TASK_STOPPED)
		return OFFCPU_STOPPED;
	if (state & WEIR_TASK_TRACED)
		return OFFCPU_TRACED;
	return state & WEIR_TASK_PARKED ? OFFCPU_PARKED : OFFCPU_OTHER;
}

static __always_inline struct offcpu_slot *slot_at(__u32 index)
{
	return bpf_map_lookup_elem(&slots, &index);
}

/* What a slot tells of itself, before its key leads to it. */
static __always_inline void slot_fill(struct offcpu_slot *slot, const struct offcpu_walk *walk,
				      __u32 state, __u32 of)
{
	slot->key[0] = walk->hash[0];
	slot->key[1] = walk->hash[1];
	slot->known = 1;
	slot->of = of;
	slot->state = state;
	slot->flags = walk->flags;
	weir_task_fill(&slot->task, (struct task_struct *)walk->task);
	if (!by_thread && !of)
		slot->task.tid = 0;
	slot->kernel_count = (__u16)walk->kernel_count;
	slot->user_count = (__u16)walk->user_count;
	bpf_probe_read_kernel(slot->kernel, sizeof(slot->kernel), walk->kernel);
	bpf_probe_read_kernel(slot->user, sizeof(slot->user), walk->user);
}

/* A slot for what is seen for the first time; 0: none is left. Not static: verified once. */
__noinline __u32 slot_new(struct offcpu_walk *walk, __u32 state, __u32 of)
{
	__u32 index = weir_slot_take(&slot_pool, slot_count);
	struct offcpu_slot *slot = slot_at(index);
	struct slot_key key;
	__u32 *first;
	long err;

	if (!walk || !index || !slot) {
		__sync_fetch_and_add(&slot_pool.full, 1);
		return 0;
	}
	slot_fill(slot, walk, state, of);
	key.hash[0] = walk->hash[0];
	key.hash[1] = walk->hash[1];
	err = bpf_map_update_elem(&slot_index, &key, &index, BPF_NOEXIST);
	if (!err)
		return index;
	/* Should two CPUs see it at once, one slot stays empty, and is given back. */
	slot->known = 0;
	first = bpf_map_lookup_elem(&slot_index, &key);
	if (!first)
		__sync_fetch_and_add(&totals.busy, 1);
	return first ? *first : 0;
}

/* The slot of a task with the stack that was walked. Not static: verified once. */
__noinline __u32 slot_of(struct offcpu_walk *walk, __u32 state, __u32 of)
{
	struct task_struct *task;
	struct slot_key key;
	__u64 comm[2] = {};
	__u32 tid = 0;
	__u32 *known;

	if (!walk)
		return 0;
	task = (struct task_struct *)walk->task;
	key.hash[0] = walk->hash[0];
	key.hash[1] = walk->hash[1];
	if (by_thread || of)
		tid = BPF_CORE_READ(task, pid);
	bpf_core_read(comm, sizeof(comm), &task->comm);
	hash_word(&key.hash[0], &key.hash[1], (__u64)BPF_CORE_READ(task, tgid) << 32 | tid);
	hash_word(&key.hash[0], &key.hash[1], comm[0]);
	hash_word(&key.hash[0], &key.hash[1], comm[1]);
	/* Another program under the same number has another one. */
	hash_word(&key.hash[0], &key.hash[1], (__u64)BPF_CORE_READ(task, mm));
	hash_word(&key.hash[0], &key.hash[1], (__u64)of << 32 | state);
	walk->hash[0] = key.hash[0];
	walk->hash[1] = key.hash[1];
	known = bpf_map_lookup_elem(&slot_index, &key);
	return known ? *known : slot_new(walk, state, of);
}

static __always_inline struct offcpu_threads *threads_of(__u32 tid)
{
	/* The words of a set come first in it. */
	return (struct offcpu_threads *)weir_thread_words(&blocked, tid, OFFCPU_SETS_LOG);
}

/* Notes that a thread is blocked from now on. The way, or WEIR_THREAD_WAYS: there is no room. */
static __always_inline __u32 block_begin(struct offcpu_threads *threads, __u32 tid, __u32 slot,
					 __u64 now)
{
	struct weir_thread_words *words = (struct weir_thread_words *)threads;
	__u32 way = weir_thread_way(words, tid);

	if (way < WEIR_THREAD_WAYS) {
		__sync_fetch_and_add(&totals.unseen, 1);
		words->word[way & (WEIR_THREAD_WAYS - 1)] = weir_thread_stamp(tid, now);
	} else {
		if (weir_thread_word_add(words, weir_thread_stamp(tid, now)))
			way = weir_thread_way(words, tid);
		if (way >= WEIR_THREAD_WAYS) {
			__sync_fetch_and_add(&totals.full, 1);
			return way;
		}
	}
	asm volatile("" : "+r"(way));
	way &= WEIR_THREAD_WAYS - 1;
	threads->place[way] = slot + 1;
	threads->waker[way] = 0;
	return way;
}

/* The last switch of a thread: its number may go to another one. */
static __always_inline void thread_ended(__u32 tid)
{
	if (weir_thread_word_remove((struct weir_thread_words *)threads_of(tid), tid))
		__sync_fetch_and_add(&totals.unseen, 1);
}

static __always_inline bool state_wanted(__u32 state)
{
	return state && !(state & WEIR_TASK_DEAD) && state_bit(state) & states;
}

SEC("raw_tp/sched_switch")
int BPF_PROG(offcpu_switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	/* Who is preempted on its way to sleep stays queued, whatever its state says. */
	__u32 state = preempt ? 0 : BPF_CORE_READ(prev, __state);
	__u32 tid = BPF_CORE_READ(prev, pid);
	struct offcpu_threads *threads;
	struct offcpu_walk *walk;
	struct offcpu_slot *slot;
	__u32 index;

	if (!tid || !state)
		return 0;
	if (state & WEIR_TASK_DEAD)
		thread_ended(tid);
	if (!state_wanted(state) || !weir_task_wanted(prev) ||
	    (__u32)BPF_CORE_READ(prev, tgid) == own_pid)
		return 0;
	threads = threads_of(tid);
	walk = walk_begin(WALK_EVENT, prev);
	if (!threads || !walk)
		return 0;
	if (walk_kernel)
		walk->kernel_count =
			walk_count(walk, bpf_get_stack(ctx, walk->kernel, sizeof(walk->kernel), 0),
				   OFFCPU_KERNEL_LOST);
	if (walk_user && BPF_CORE_READ(prev, mm))
		walk->user_count = walk_count(
			walk, bpf_get_stack(ctx, walk->user, sizeof(walk->user), BPF_F_USER_STACK),
			OFFCPU_USER_LOST);
	if (walk->flags & OFFCPU_KERNEL_LOST)
		__sync_fetch_and_add(&totals.kernel_lost, 1);
	if (walk->flags & OFFCPU_USER_LOST)
		__sync_fetch_and_add(&totals.user_lost, 1);
	walk_name(walk);
	index = slot_of(walk, state_bit(state), 0);
	slot = slot_at(index);
	if (slot) {
		__u64 now = bpf_ktime_get_ns();

		slot->seen_ns = now;
		block_begin(threads, tid, index, now);
	}
	return 0;
}

/* In the context of the waker, before the thread can run. Attached only where wakers are wanted. */
SEC("raw_tp/sched_waking")
int BPF_PROG(offcpu_waking, struct task_struct *task)
{
	struct task_struct *waker = (struct task_struct *)bpf_get_current_task();
	__u32 tid = BPF_CORE_READ(task, pid);
	struct offcpu_threads *threads = threads_of(tid);
	struct offcpu_walk *walk;
	__u32 of, way;

	if (!with_waker || !threads)
		return 0;
	way = weir_thread_way((struct weir_thread_words *)threads, tid);
	if (way >= WEIR_THREAD_WAYS)
		return 0;
	asm volatile("" : "+r"(way));
	way &= WEIR_THREAD_WAYS - 1;
	walk = walk_begin(WALK_EVENT, waker);
	if (!walk || !threads->place[way])
		return 0;
	walk->kernel_count =
		walk_count(walk, bpf_get_stack(ctx, walk->kernel, sizeof(walk->kernel), 0),
			   OFFCPU_KERNEL_LOST);
	walk_name(walk);
	of = threads->place[way] - 1;
	if (of)
		threads->waker[way] = slot_of(walk, 0, of);
	return 0;
}

static __always_inline void slot_add(struct offcpu_slot *slot, __u64 ns)
{
	__sync_fetch_and_add(&slot->time_ns, ns);
	__sync_fetch_and_add(&slot->count, 1);
	/* A longer one of another CPU may get lost to ours only while both are noted at once. */
	if (ns > slot->max_ns)
		slot->max_ns = ns;
	if (~ns > slot->min_inverted)
		slot->min_inverted = ~ns;
}

SEC("raw_tp/sched_wakeup")
int BPF_PROG(offcpu_woken, struct task_struct *task)
{
	__u32 tid = BPF_CORE_READ(task, pid);
	struct offcpu_threads *threads = threads_of(tid);
	struct offcpu_slot *slot;
	__u32 index, way;
	__u64 ns;

	if (!threads)
		return 0;
	way = weir_thread_way((struct weir_thread_words *)threads, tid);
	if (way >= WEIR_THREAD_WAYS)
		return 0;
	asm volatile("" : "+r"(way));
	way &= WEIR_THREAD_WAYS - 1;
	ns = weir_thread_stamp_age(threads->word[way], bpf_ktime_get_ns());
	index = threads->place[way] - 1;
	if (with_waker && threads->waker[way])
		index = threads->waker[way];
	threads->place[way] = 0;
	threads->word[way] = 0;
	slot = slot_at(index);
	if (slot && ns >= min_ns && (!max_ns || ns <= max_ns))
		slot_add(slot, ns);
	return 0;
}

/* A thread that was blocked before us; its numbers of switches tell whether it still is. */
static __always_inline void begin_before(struct task_struct *task, struct offcpu_walk *walk,
					 __u32 state)
{
	__u64 switches = BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw);
	__u32 tid = BPF_CORE_READ(task, pid);
	struct offcpu_threads *threads = threads_of(tid);
	struct weir_thread_words *words = (struct weir_thread_words *)threads;
	__u64 now = bpf_ktime_get_ns();
	struct offcpu_slot *slot;
	__u32 index, way;

	if (!threads || weir_thread_way(words, tid) < WEIR_THREAD_WAYS)
		return;
	walk_name(walk);
	index = slot_of(walk, state_bit(state), 0);
	slot = slot_at(index);
	if (!slot)
		return;
	slot->seen_ns = now;
	way = block_begin(threads, tid, index, now);
	if (way >= WEIR_THREAD_WAYS)
		return;
	if (BPF_CORE_READ(task, __state) == state &&
	    BPF_CORE_READ(task, nvcsw) + BPF_CORE_READ(task, nivcsw) == switches)
		return;
	/* It was woken meanwhile, before it could be seen: this is not its block, unless it is. */
	__sync_val_compare_and_swap(&threads->word[way], weir_thread_stamp(tid, now), 0);
}

SEC("iter/task")
int offcpu_before(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct offcpu_walk *walk;
	__u32 state;

	own_pid = bpf_get_current_pid_tgid() >> 32;
	if (!task)
		return 0;
	state = BPF_CORE_READ(task, __state);
	if (BPF_CORE_READ(task, on_rq) || !state_wanted(state) || !weir_task_wanted(task) ||
	    (__u32)BPF_CORE_READ(task, tgid) == own_pid)
		return 0;
	walk = walk_begin(WALK_ITERATOR, task);
	if (!walk)
		return 0;
	walk->flags = OFFCPU_BEFORE;
	if (walk_kernel)
		walk->kernel_count = walk_count(
			walk, bpf_get_task_stack(task, walk->kernel, sizeof(walk->kernel), 0),
			OFFCPU_KERNEL_LOST);
	begin_before(task, walk, state);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
