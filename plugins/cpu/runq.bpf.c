/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times how long threads wait for a CPU: from the wakeup, or from the switch that took the CPU away
 * from them, until they run. Per report: a histogram, an event for each long wait, and what each
 * thread did.
 *
 * The events of one thread follow one another, as the kernel holds a lock of the thread or of its
 * run queue at each; those locks are why nothing here allocates or waits.
 */
#include <linux/bpf.h>

#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/events.h>
#include <weir/bpf/histogram.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/slots.h>
#include <weir/bpf/task.h>
#include <weir/bpf/thread_words.h>

#include "runq_event.h"

/* Set by the user side before load; the verifier then drops what is not wanted. */
const volatile __u32 report = 0;
const volatile __u32 by = 0;
const volatile __u32 slot_count = RUNQ_SLOTS;
const volatile __u64 min_wait_ns = 0;

struct runq_totals totals = {};
struct weir_slot_pool slot_pool = {};
struct weir_slot_pool task_pool = {};
__u32 window = 0;      /* counted up by the user side */
__u64 attached_ns = 0; /* when sched_switch was; set by the user side */

/* When threads that wait began to: stamps. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << RUNQ_SETS_LOG);
	__type(key, __u32);
	__type(value, struct weir_thread_words);
} waiting SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, RUNQ_SLOTS);
	__type(key, __u64);
	__type(value, __u32);
} slot_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RUNQ_SLOTS);
	__type(key, __u32);
	__type(value, struct runq_slot);
} slots SEC(".maps");

/* Which of `tasks` a thread has: the value of its word. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1 << RUNQ_SETS_LOG);
	__type(key, __u32);
	__type(value, struct weir_thread_words);
} task_index SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, RUNQ_TASK_SLOTS);
	__type(key, __u32);
	__type(value, struct runq_task);
} tasks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct runq_cpu);
} cpus SEC(".maps");

static __always_inline void wait_begin(struct weir_thread_words *words, __u32 tid, __u64 now)
{
	if (!weir_thread_word_add(words, weir_thread_stamp(tid, now)))
		__sync_fetch_and_add(&totals.full, 1);
}

/*
 * A thread leaves the CPU, to wait for it again or to sleep. It cannot have been waiting until now:
 * what says so is of a wakeup while it ran, or of an arrival that we were not shown.
 */
static __always_inline void wait_restart(__u32 tid, bool runnable, __u64 now)
{
	struct weir_thread_words *words = weir_thread_words(&waiting, tid, RUNQ_SETS_LOG);
	__u32 way = weir_thread_way(words, tid);

	if (words && way < WEIR_THREAD_WAYS)
		words->word[way] = runnable ? weir_thread_stamp(tid, now) : 0;
	else if (runnable)
		wait_begin(words, tid, now);
}

/* The slot of a process or cgroup seen for the first time, by its thread at `task`. */
__noinline __u32 slot_new(__u64 key, __u64 task)
{
	struct task_struct *leader;
	struct runq_slot *slot;
	__u32 index = weir_slot_take(&slot_pool, slot_count);
	__u32 *first;

	if (!index)
		return 0;
	/* Should two CPUs see it at once, one slot stays empty, and is given back. */
	if (bpf_map_update_elem(&slot_index, &key, &index, BPF_NOEXIST)) {
		first = bpf_map_lookup_elem(&slot_index, &key);
		return first ? *first : 0;
	}
	slot = bpf_map_lookup_elem(&slots, &index);
	if (slot) {
		slot->key = key;
		slot->known = 1;
	}
	if (slot && by == RUNQ_BY_PID) {
		leader = BPF_CORE_READ((struct task_struct *)task, group_leader);
		bpf_core_read(slot->comm, sizeof(slot->comm), &leader->comm);
	}
	return index;
}

static __always_inline struct runq_slot *wait_slot(struct task_struct *task, __u32 tid, __u32 cpu)
{
	struct runq_slot *slot;
	__u32 index = 0;
	__u32 *known;
	__u64 key = 0;

	if (by == RUNQ_BY_CPU)
		index = cpu;
	if (by == RUNQ_BY_PID || by == RUNQ_BY_CGROUP) {
		key = by == RUNQ_BY_PID ? (__u32)BPF_CORE_READ(task, tgid)
					: weir_cgroup_id(weir_task_cgroup(task));
		known = bpf_map_lookup_elem(&slot_index, &key);
		index = known ? *known : slot_new(key, (__u64)task);
		if (!index)
			__sync_fetch_and_add(&slot_pool.full, 1);
	}
	slot = bpf_map_lookup_elem(&slots, &index);
	/* Exec gives a process another name, and who calls it is the leader from then on. */
	if (slot && by == RUNQ_BY_PID && (__u32)key == tid)
		bpf_core_read(slot->comm, sizeof(slot->comm), &task->comm);
	return slot;
}

static __always_inline void report_slow(struct task_struct *task, struct task_struct *prev,
					__u32 cpu, __u64 wait_ns, __u64 now)
{
	struct runq_event *event = WEIR_EVENT_RESERVE(struct runq_event);

	if (!event)
		return;
	event->time = now;
	event->wait_ns = wait_ns;
	weir_task_fill(&event->task, task);
	event->cpu = cpu;
	event->prev_tid = BPF_CORE_READ(prev, pid);
	bpf_core_read_str(event->prev_comm, sizeof(event->prev_comm), &prev->comm);
	weir_event_send(event);
}

/* The slot of a thread that has none yet. */
static __noinline __u32 task_new(struct task_struct *task, struct weir_thread_words *words)
{
	__u32 index = weir_slot_take(&task_pool, RUNQ_TASK_SLOTS);
	struct runq_task *slot = bpf_map_lookup_elem(&tasks, &index);

	if (!index || !slot || !words)
		return 0;
	weir_task_fill(&slot->id, task);
	return weir_thread_word_add(words, weir_thread_word(slot->id.tid, index)) ? index : 0;
}

/*
 * The slot of the thread whose task_struct is at `task`; 0: none is left. Not static, as all below
 * that have addresses for pointers, so that the verifier need not try every way through them.
 */
__noinline __u32 task_index_of(__u64 task, __u32 tid)
{
	struct weir_thread_words *words = weir_thread_words(&task_index, tid, RUNQ_SETS_LOG);
	__u32 way;

	if (!words)
		return 0;
	way = weir_thread_way(words, tid);
	return way < WEIR_THREAD_WAYS ? (__u32)weir_thread_word_value(words->word[way])
				      : task_new((struct task_struct *)task, words);
}

/* What a thread did between its arrival (a stamp, 0: before our first event here) and now. */
static __always_inline __u64 run_time(__u64 arrived, __u32 tid, __u64 now)
{
	if (!arrived)
		return attached_ns && now > attached_ns ? now - attached_ns : 0;
	if (weir_thread_word_tid(arrived) == tid)
		return weir_thread_stamp_age(arrived, now);
	__sync_fetch_and_add(&totals.unseen, 1);
	return 0;
}

__noinline int task_left(__u64 task, __u32 tid, __u32 index, __u64 run_ns, int state)
{
	struct task_struct *left = (struct task_struct *)task;
	struct runq_task *slot = bpf_map_lookup_elem(&tasks, &index);

	/* It was running before us, or its slot has gone to another thread. */
	if (!slot || !index || slot->id.tid != tid) {
		index = task_index_of(task, tid);
		slot = bpf_map_lookup_elem(&tasks, &index);
		if (!slot || !index)
			return 0;
	}
	slot->run_ns += run_ns;
	if (state)
		slot->voluntary++;
	else
		slot->involuntary++;
	/* Each time, as exec gives it another name, and setuid another user. */
	bpf_core_read(slot->id.comm, sizeof(slot->id.comm), &left->comm);
	slot->id.uid = BPF_CORE_READ(left, cred, uid.val);
	/* Its number may go to another thread from now on. */
	if (state & WEIR_TASK_DEAD)
		weir_thread_word_remove(weir_thread_words(&task_index, tid, RUNQ_SETS_LOG), tid);
	return 0;
}

/* The end of a wait of `wait_ns`, or of one whose begin was not seen (`timed` is 0). Its slot. */
__noinline __u32 task_arrived(__u64 task, __u32 tid, int timed, __u64 wait_ns, __u64 now)
{
	__u32 index = task_index_of(task, tid);
	struct runq_task *slot = bpf_map_lookup_elem(&tasks, &index);
	__u32 this_window = *(volatile __u32 *)&window;
	struct runq_longest *longest;

	/* Once for each switch, as it is counted. */
	if (!slot || !index) {
		__sync_fetch_and_add(&task_pool.full, 1);
		return 0;
	}
	slot->switches++;
	if (!timed)
		return index;
	slot->waits++;
	slot->wait_ns += wait_ns;
	longest = &slot->longest[this_window & 1];
	if (longest->window != this_window || wait_ns > longest->wait_ns) {
		longest->wait_ns = wait_ns;
		longest->at_ns = now;
		longest->window = this_window;
	}
	return index;
}

/* The end of a wait that was `timed`, or whose begin was not seen. Returns the thread's slot. */
static __always_inline __u32 wait_ended(struct task_struct *task, struct task_struct *prev,
					__u32 tid, __u64 began, __u64 now)
{
	__u64 wait_ns = began ? weir_thread_stamp_age(began, now) : 0;
	__u32 cpu = bpf_get_smp_processor_id();

	if (!began)
		__sync_fetch_and_add(&totals.unstarted, 1);
	if (report & RUNQ_LATENCY && began) {
		struct runq_slot *slot = wait_slot(task, tid, cpu);

		if (slot)
			weir_histogram_add(&slot->wait, wait_ns, RUNQ_FIRST);
	}
	if (report & RUNQ_SLOW && began && wait_ns >= min_wait_ns)
		report_slow(task, prev, cpu, wait_ns, now);
	if (report & RUNQ_TASKS)
		return task_arrived((__u64)task, tid, began != 0, wait_ns, now);
	return 0;
}

/* The kernel's word for why a thread leaves the CPU: 0 when it would rather stay. */
static __always_inline int state_at_switch(struct task_struct *task, bool preempt)
{
	/* Who is preempted on its way to sleep stays queued, whatever its state says. */
	return preempt ? 0 : (int)BPF_CORE_READ(task, __state);
}

/* Before the wakeups, so that no wait begins to be timed whose end could not be seen. */
SEC("raw_tp/sched_switch")
int BPF_PROG(task_switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 prev_tid = BPF_CORE_READ(prev, pid);
	__u32 next_tid = BPF_CORE_READ(next, pid);
	struct runq_cpu *cpu = NULL;
	__u64 arrived = 0, began = 0;
	__u32 index = 0;

	if (report & RUNQ_TASKS) {
		index = bpf_get_smp_processor_id();
		cpu = bpf_map_lookup_elem(&cpus, &index);
		if (!cpu)
			return 0;
		/* An exchange, as the user side moves the stamp on when a window ends. */
		arrived = __sync_lock_test_and_set(&cpu->running, weir_thread_stamp(next_tid, now));
	}
	if (prev_tid && weir_task_wanted(prev)) {
		int state = state_at_switch(prev, preempt);

		wait_restart(prev_tid, !state, now);
		if (cpu)
			task_left((__u64)prev, prev_tid, cpu->slot,
				  run_time(arrived, prev_tid, now), state);
	}
	index = 0;
	if (next_tid) {
		struct weir_thread_words *words =
			weir_thread_words(&waiting, next_tid, RUNQ_SETS_LOG);

		began = weir_thread_word_remove(words, next_tid);
		if (weir_task_wanted(next))
			index = wait_ended(next, prev, next_tid, began, now);
	}
	if (cpu)
		cpu->slot = index;
	return 0;
}

/* Attached to sched_wakeup_new, too. */
SEC("raw_tp/sched_wakeup")
int BPF_PROG(task_woken, struct task_struct *task)
{
	__u32 tid = BPF_CORE_READ(task, pid);
	struct weir_thread_words *words = weir_thread_words(&waiting, tid, RUNQ_SETS_LOG);

	/* Who is queued already, woken before it could sleep, has been waiting since then. */
	if (weir_task_wanted(task) && weir_thread_way(words, tid) == WEIR_THREAD_WAYS)
		wait_begin(words, tid, bpf_ktime_get_ns());
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
