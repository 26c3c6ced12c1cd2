/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every thread has used so far: of those that live by an iterator, of those that end by the
 * tracepoint that they pass. Both tell of one thread only: sums over a process that are put
 * together from threads that end meanwhile are wrong by all that such a thread ever used.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/events.h>
#include <weir/bpf/task.h>

#include "process_event.h"
#include "process_kernel.h"

#define NOT_COUNTED (~0ULL)

/* What block devices let tasks wait is counted: kernel.task_delayacct. */
const volatile int delays_counted = 0;

static __always_inline void fill_counters(struct process_record *record,
					  struct task_struct___process *task)
{
	struct task_delay_info___process *delays = 0;

	record->counters[PROCESS_USER] = task->utime;
	record->counters[PROCESS_SYSTEM] = task->stime;
	record->counters[PROCESS_GUEST] = task->gtime;
	record->counters[PROCESS_RUN] = task->se.sum_exec_runtime;
	record->counters[PROCESS_WAIT] = NOT_COUNTED;
	if (bpf_core_field_exists(task->sched_info.run_delay))
		record->counters[PROCESS_WAIT] = task->sched_info.run_delay;
	record->counters[PROCESS_IOWAIT] = NOT_COUNTED;
	if (delays_counted && bpf_core_field_exists(task->delays)) {
		delays = task->delays;
		if (delays)
			record->counters[PROCESS_IOWAIT] = delays->blkio_delay;
	}
	record->counters[PROCESS_READ] = NOT_COUNTED;
	record->counters[PROCESS_WRITTEN] = NOT_COUNTED;
	record->counters[PROCESS_CANCELLED] = NOT_COUNTED;
	if (bpf_core_field_exists(task->ioac.read_bytes)) {
		record->counters[PROCESS_READ] = task->ioac.read_bytes;
		record->counters[PROCESS_WRITTEN] = task->ioac.write_bytes;
		record->counters[PROCESS_CANCELLED] = task->ioac.cancelled_write_bytes;
	}
	record->counters[PROCESS_MINOR] = task->min_flt;
	record->counters[PROCESS_MAJOR] = task->maj_flt;
	record->counters[PROCESS_VOLUNTARY] = task->nvcsw;
	record->counters[PROCESS_INVOLUNTARY] = task->nivcsw;
}

/* A count that each CPU changes apart may be below zero for a moment. */
static __always_inline __u64 pages(__s64 count)
{
	return count > 0 ? count : 0;
}

/* By the helper: the verifier of Linux 6.1 follows no pointer into an array of named structs. */
static __always_inline __u64 pages_at(const long *counter)
{
	long count = 0;

	bpf_probe_read_kernel(&count, sizeof(count), counter);
	return pages(count);
}

static __always_inline void fill_memory(struct process_record *record,
					struct task_struct___process *task)
{
	struct mm_struct___process *mm = task->mm;

	record->rss = record->vsz = record->stack = record->swap = 0;
	if (task->flags & PROCESS_PF_KTHREAD || !mm)
		return;
	record->vsz = mm->total_vm;
	record->stack = mm->stack_vm;
	if (bpf_core_type_exists(struct mm_rss_stat___old)) {
		struct mm_struct___old *old = (void *)mm;

		record->rss = pages_at(&old->rss_stat.count[PROCESS_MM_FILE].counter) +
			      pages_at(&old->rss_stat.count[PROCESS_MM_ANON].counter) +
			      pages_at(&old->rss_stat.count[PROCESS_MM_SHARED].counter);
		record->swap = pages_at(&old->rss_stat.count[PROCESS_MM_SWAP].counter);
		return;
	}
	record->rss = pages(mm->rss_stat[PROCESS_MM_FILE].count) +
		      pages(mm->rss_stat[PROCESS_MM_ANON].count) +
		      pages(mm->rss_stat[PROCESS_MM_SHARED].count);
	record->swap = pages(mm->rss_stat[PROCESS_MM_SWAP].count);
}

static __always_inline void fill_task(struct process_record *record,
				      struct task_struct___process *task)
{
	record->start_ns = task->start_time;
	record->group_start_ns = task->group_leader->start_time;
	record->state = task->__state | task->exit_state;
	record->cpu = task->thread_info.cpu;
	record->priority = task->prio - 100;
	record->nice = task->static_prio - 120;
	record->threads = task->signal->nr_threads;
	fill_counters(record, task);
}

SEC("iter/task")
int process_seen(struct bpf_iter__task___process *ctx)
{
	struct task_struct___process *task = ctx->task;
	struct process_record record = {};

	if (!task || !weir_task_wanted((void *)task->group_leader))
		return 0;
	weir_task_fill(&record.task, (void *)task);
	fill_task(&record, task);
	if (task->flags & PROCESS_PF_EXITING)
		record.flags |= PROCESS_EXITING;
	if (record.task.pid == record.task.tid) {
		record.flags |= PROCESS_LEADER;
		fill_memory(&record, task);
	}
	bpf_seq_write(ctx->meta->seq, &record, sizeof(record));
	return 0;
}

SEC("raw_tp/sched_process_exit")
int process_ends(void *ctx)
{
	struct task_struct___process *task = (void *)bpf_get_current_task_btf();
	struct process_record *record;

	if (!weir_task_wanted((void *)task->group_leader))
		return 0;
	record = WEIR_EVENT_RESERVE(struct process_record);
	if (!record)
		return 0;
	weir_task_fill_current(&record->task);
	fill_task(record, task);
	record->rss = record->vsz = record->stack = record->swap = 0;
	record->flags = PROCESS_ENDED;
	if (record->task.pid == record->task.tid)
		record->flags |= PROCESS_LEADER;
	if (task->signal->nr_threads == 1)
		record->flags |= PROCESS_WHOLE;
	if (task->signal->live.counter == 0)
		record->flags |= PROCESS_LAST;
	weir_event_send(record);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
