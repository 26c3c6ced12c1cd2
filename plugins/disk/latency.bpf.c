/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times every request to every disk: how long it was queued, and how long the device took.
 *
 * The block_rq tracepoints are used, as block_io_start and block_io_done, made for this, are
 * silent for a disk whose iostats are switched off.
 *
 * With LATENCY_CHOOSES (latency_chosen.bpf.c) only those that chosen tasks submitted. These are
 * programs of their own, as what chooses would have to be loaded, too, where nobody asks for it.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/histogram.h>
#include <weir/bpf/slots.h>

#include "latency_event.h"

#ifdef LATENCY_CHOOSES
#include "latency_choice.h"
#else
struct flight_more {
};

/* Needs the above. */
#include "request.h"

#define CHOOSES 0

static __always_inline int leave_out(struct request *rq)
{
	return 0;
}

static __always_inline void choice_begin(struct flight *flight, struct request *rq)
{
}

static __always_inline int choose(struct flight *flight, struct request *rq)
{
	return 0;
}
#endif

struct weir_slot_pool slot_pool = {};

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, LATENCY_SLOTS);
	__type(key, __u64); /* dev << 32 | op */
	__type(value, __u32);
} slot_index SEC(".maps");

/* Slot 0 takes what finds no slot of its own. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, LATENCY_SLOTS);
	__type(key, __u32);
	__type(value, struct latency_slot);
} slots SEC(".maps");

/*
 * The slot of a (disk, operation) seen for the first time. Should two CPUs see it at once, both
 * take a slot and one stays empty for good.
 */
static __noinline __u32 slot_new(struct gendisk *disk, __u64 key)
{
	struct latency_slot *slot;
	__u32 index = weir_slot_fresh(&slot_pool, LATENCY_SLOTS);
	__u32 *first;

	if (!index)
		return 0;
	slot = bpf_map_lookup_elem(&slots, &index);
	if (!slot)
		return 0;

	slot->dev = key >> 32;
	slot->op = (__u32)key;
	if (disk)
		bpf_probe_read_kernel_str(slot->disk, sizeof(slot->disk), disk->disk_name);

	if (!bpf_map_update_elem(&slot_index, &key, &index, BPF_NOEXIST))
		return index;
	first = bpf_map_lookup_elem(&slot_index, &key);
	return first ? *first : 0;
}

/* Slots that were found: dev << 32 | op << 16 | slot. Few disks and operations are busy at a time. */
#define RECENT_SLOTS 64
__u64 recent_slots[RECENT_SLOTS] = {};

_Static_assert(LATENCY_SLOTS <= 1 << 16 && WEIR_REQ_OP_MASK < 1 << 16,
	       "no room for a slot or an operation in recent_slots");

static __always_inline struct latency_slot *request_slot(const struct request_look *look)
{
	struct request_queue *queue = look->q;
	struct gendisk *disk = BPF_CORE_READ(queue, disk);
	__u64 dev = disk_dev(disk), op = look->cmd_flags & WEIR_REQ_OP_MASK;
	__u64 *recent = &recent_slots[(dev ^ dev >> 20 ^ op << 2) & (RECENT_SLOTS - 1)];
	__u64 seen = *(volatile __u64 *)recent, key = dev << 32 | op;
	__u32 index = seen & 0xffff;
	__u32 *known;

	/* Half the price of a look into a hash; a slot is its disk's and operation's for good. */
	if (!index || seen >> 16 != (dev << 16 | op)) {
		known = bpf_map_lookup_elem(&slot_index, &key);
		index = known ? *known : slot_new(disk, key);
		*(volatile __u64 *)recent = dev << 32 | op << 16 | index;
	}
	if (index == 0)
		__sync_fetch_and_add(&slot_pool.full, 1);
	return bpf_map_lookup_elem(&slots, &index);
}

SEC("raw_tp/block_rq_insert")
int BPF_PROG(request_insert, struct request *rq)
{
	struct flight *flight = is_watched(rq) ? flight_insert(rq) : NULL;

	if (flight)
		choice_begin(flight, rq);
	return 0;
}

SEC("raw_tp/block_rq_issue")
int BPF_PROG(request_issue, struct request *rq)
{
	__u64 now = bpf_ktime_get_ns();
	struct flight *flight;

	if (!is_watched(rq))
		return leave_out(rq);
	flight = flight_issue(rq, now);
	return flight ? choose(flight, rq) : 0;
}

SEC("raw_tp/block_rq_requeue")
int BPF_PROG(request_requeue, struct request *rq)
{
	return flight_requeue(rq);
}

/* `rq` has become part of its neighbour and is freed without a completion. */
SEC("raw_tp/block_rq_merge")
int BPF_PROG(request_merge, struct request *rq)
{
	leave_out(rq);
	return flight_forget((__u64)rq);
}

static __always_inline void count_sample(struct weir_histogram_cells *histogram, __u64 begin_ns,
					 __u64 end_ns)
{
	if (end_ns < begin_ns)
		__sync_fetch_and_add(&totals.backwards, 1);
	else
		weir_histogram_add(histogram, end_ns - begin_ns, LATENCY_FIRST);
}

static __always_inline void count_request(struct latency_slot *slot, const struct flight *flight,
					  __u64 now, int error)
{
	count_sample(&slot->queued, flight_queued_ns(flight), flight->issue_ns);
	count_sample(&slot->device, flight->issue_ns, now);
	__sync_fetch_and_add(&slot->bytes, flight->bytes);
	if (flight->requeues)
		__sync_fetch_and_add(&slot->requeues, flight->requeues);
	if (error)
		__sync_fetch_and_add(&slot->errors, 1);
}

SEC("raw_tp/block_rq_complete")
int BPF_PROG(request_complete, struct request *rq, int error, unsigned int nr_bytes)
{
	__u64 now = bpf_ktime_get_ns();
	struct flight_set *set = flight_set((__u64)rq);
	struct request_look look = {};
	struct latency_slot *slot;
	struct flight *flight;
	__u32 way;

	if (!is_watched(rq))
		return 0;

#ifdef LATENCY_CHOOSES
	/* The last completion of a flush sequence: no more flushes are made for its bio. */
	if (ends_flush_sequence(rq, nr_bytes))
		flight_forget((__u64)BPF_CORE_READ(rq, biotail));
#endif
	request_read(&look, rq);
	way = flight_done(set, rq, nr_bytes, look.data_len, !CHOOSES);
	flight = flight_at(set, way);
	if (!flight)
		return 0;

	slot = request_slot(&look);
	if (slot)
		count_request(slot, flight, now, error);
	flight_end(set, way);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
