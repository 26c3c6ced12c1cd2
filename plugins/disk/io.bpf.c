/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sends one event for each request at its completion, with the task that submitted it.
 *
 * The task that is current when a request is issued is often a kworker that dispatches what others
 * have submitted. Who submitted is seen when a request is made for a bio (block_getrq), which
 * happens in the submitter's context, whether the disk keeps iostats or not. There the request
 * itself is not shown, so its bio stands for it until it is inserted or issued: its flight begins
 * under the address of the bio.
 */
#define WEIR_CGROUP_ALONE

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/events.h>
#include <weir/bpf/task.h>

#include "io_event.h"

struct flight_more {
	struct weir_task_id task;
	__u64 bio; /* that was the request's first when it was inserted */
	__u64 sector;
	__u32 flags;
	__u32 status;
	__u32 marks;
	__u32 pad;
	char dispatcher[WEIR_COMM_LENGTH];
};

/* Need the above. */
#include "request.h"
#include "request_owner.h"

/* Set by the user side before load: no events of requests that took less, in queue and device. */
const volatile __u64 min_latency_ns = 0;

/*
 * True in the worker that writes back dirty pages: it calls itself flush-MAJOR:MINOR. Like others
 * below not static, so that the verifier checks it once, for any task, and not for each way here.
 */
__noinline int is_flusher(__u64 address)
{
	struct task_struct *task = (struct task_struct *)address;
	union {
		char text[8];
		__u64 word;
	} desc = {}, flush = { "flush-" };
	struct kthread *thread;
	struct worker *worker;

	if (!(BPF_CORE_READ(task, flags) & WEIR_PF_WQ_WORKER))
		return 0;
	thread = BPF_CORE_READ(task, worker_private);
	worker = BPF_CORE_READ(thread, data);
	bpf_core_read(desc.text, 6, &worker->desc);
	return desc.word == flush.word;
}

/* The cgroup of version 2 that pays for the bio; 0: none is known. */
static __always_inline __u64 bio_cgroup(struct bio *bio)
{
	struct cgroup *cgroup;

	if (task_filter.hierarchy != WEIR_CGROUP_V2 || !bpf_core_field_exists(bio->bi_blkg))
		return 0;
	cgroup = weir_css_cgroup(BPF_CORE_READ(bio, bi_blkg, blkcg));
	return weir_cgroup_id(cgroup);
}

SEC("raw_tp/block_getrq")
int BPF_PROG(request_make, struct bio *bio)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();
	__u64 address = (__u64)bio;
	struct flight *flight;
	__u64 cgroup;

	if (!weir_current_wanted())
		return flight_forget(address);
	flight = owner_begin(bio);
	if (!flight)
		return 0;
	weir_task_fill_current(&flight->more.task);
	flight->more.marks = IO_OWNED;
	if (!is_flusher((__u64)task))
		return 0;
	flight->more.marks |= IO_WRITEBACK;
	cgroup = bio_cgroup(bio);
	if (cgroup)
		flight->more.task.cgroup = cgroup;
	return 0;
}

/* Copies who submitted the request; 0: it is not known, and if tasks are chosen not wanted. */
__noinline int owner_find(__u64 address, struct flight_more *owner)
{
	struct flight *flight;
	__u64 bio;

	if (!owner)
		return 0;
	bio = owner_bio((struct request *)address, owner);
	flight = bio ? flight_find(flight_set(bio), bio) : NULL;
	if (!flight)
		return !task_filter.by;
	owner->task = flight->more.task;
	owner->marks = flight->more.marks;
	owner_found(bio, flight);
	return 1;
}

SEC("raw_tp/block_rq_insert")
int BPF_PROG(request_insert, struct request *rq)
{
	struct flight *flight = is_watched(rq) ? flight_insert(rq) : NULL;

	if (!flight)
		return 0;
	flight->more.bio = (__u64)BPF_CORE_READ(rq, bio);
	flight->more.marks = 0;
	return 0;
}

SEC("raw_tp/block_rq_issue")
int BPF_PROG(request_issue, struct request *rq)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 address = (__u64)rq;
	struct flight *flight;

	/* The disk is not looked at before: block_device and request_queue share a hash, see kernel.h. */
	if (!is_watched(rq))
		return flight_forget((__u64)BPF_CORE_READ(rq, bio));

	flight = flight_issue(rq, now);
	if (!flight)
		return 0;
	if (!flight->insert_ns) {
		flight->more.bio = 0;
		flight->more.marks = 0;
	}
	bpf_get_current_comm(flight->more.dispatcher, sizeof(flight->more.dispatcher));
	/* Once only: a request that was requeued is issued again. */
	if (flight->more.marks)
		return 0;
	flight->more.flags = BPF_CORE_READ(rq, cmd_flags);
	flight->more.sector = BPF_CORE_READ(rq, __sector);
	return owner_find(address, &flight->more) ? 0 : flight_forget(address);
}

SEC("raw_tp/block_rq_requeue")
int BPF_PROG(request_requeue, struct request *rq)
{
	return flight_requeue(rq);
}

/* `rq` has become part of its neighbour, whose submitter stands for both. */
SEC("raw_tp/block_rq_merge")
int BPF_PROG(request_merge, struct request *rq)
{
	flight_forget((__u64)BPF_CORE_READ(rq, bio));
	flight_forget((__u64)rq);
	return 0;
}

static __always_inline void event_fill(struct io_event *event, struct request *rq,
				       const struct flight *flight, __u64 now)
{
	struct gendisk *disk = request_disk(rq);

	event->time_ns = now;
	event->queued_ns = flight->issue_ns - flight_queued_ns(flight);
	event->device_ns = now - flight->issue_ns;
	event->sector = flight->more.sector;
	event->bytes = flight->bytes;
	event->task = flight->more.task;
	event->flags = flight->more.flags;
	event->status = flight->more.status;
	event->requeues = flight->requeues;
	event->marks = flight->more.marks;
	event->dev = disk_dev(disk);
	event->pad = 0;
	__builtin_memcpy(event->dispatcher, flight->more.dispatcher, sizeof(event->dispatcher));
	event->disk[0] = '\0';
	if (disk)
		bpf_probe_read_kernel_str(event->disk, sizeof(event->disk), disk->disk_name);
}

static __always_inline void request_send(struct request *rq, const struct flight *flight, __u64 now)
{
	__u64 begin_ns = flight_queued_ns(flight);
	struct io_event *event;

	if (flight->issue_ns < begin_ns || now < flight->issue_ns) {
		__sync_fetch_and_add(&totals.backwards, 1);
		return;
	}
	if (now - begin_ns < min_latency_ns)
		return;
	event = WEIR_EVENT_RESERVE(struct io_event);
	if (!event)
		return;
	event_fill(event, rq, flight, now);
	weir_event_send(event);
}

SEC("raw_tp/block_rq_complete")
int BPF_PROG(request_complete, struct request *rq, int error, unsigned int nr_bytes)
{
	__u64 now = bpf_ktime_get_ns();
	struct flight_set *set = flight_set((__u64)rq);
	struct flight *flight;
	__u32 way;

	if (!is_watched(rq))
		return 0;

	/* The last completion of a flush sequence: no more flushes are made for its bio. */
	if (ends_flush_sequence(rq, nr_bytes))
		flight_forget((__u64)BPF_CORE_READ(rq, biotail));

	way = flight_done(set, rq, nr_bytes, BPF_CORE_READ(rq, __data_len), !task_filter.by);
	flight = flight_at(set, way);
	if (!flight)
		return 0;
	flight->more.status = (__u8)error;
	request_send(rq, flight, now);
	flight_end(set, way);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
