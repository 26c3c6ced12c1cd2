/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times every request to every disk: how long it was queued, and how long the device took.
 *
 * The block_rq tracepoints are used, as block_io_start and block_io_done, made for this, are
 * silent for a disk whose iostats are switched off. A request is known by its address, which is
 * its own from insertion to completion.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <weir/bpf/histogram.h>
#include <weir/bpf/kernel.h>

#include "latency_event.h"

/* A request between its insertion and its completion. */
struct flight {
	__u64 insert_ns; /* 0: never waited in a queue */
	__u64 issue_ns;  /* 0: not with the device */
	__u32 bytes;     /* done so far; the kernel's own counter of them has 32 bits, too */
	__u32 requeues;
};

#define WAYS     8
#define SETS_LOG 11

/* The requests whose addresses hash alike. A way is free when its address is 0. */
struct flight_set {
	__u64 address[WAYS];
	struct flight flight[WAYS];
};

/* Set by the user side before load: count this disk only (major << 20 | minor); 0 for all. */
const volatile __u32 only_dev = 0;

struct latency_totals totals = {};

/*
 * 16384 requests in flight. Not a BPF hash map, whose insertion and deletion cost 190 ns a request
 * where this costs 20. With 4000 in flight, one in 10000 finds its set full, and is counted.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << SETS_LOG);
	__type(key, __u32);
	__type(value, struct flight_set);
} flights SEC(".maps");

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

static __always_inline __u32 disk_dev(struct gendisk *disk)
{
	return disk ? (__u32)BPF_CORE_READ(disk, major) << 20 |
			       (__u32)BPF_CORE_READ(disk, first_minor)
		    : 0;
}

static __always_inline struct gendisk *request_disk(struct request *rq)
{
	return BPF_CORE_READ(rq, q, disk);
}

static __always_inline int is_watched(struct request *rq)
{
	return !only_dev || disk_dev(request_disk(rq)) == only_dev;
}

static __always_inline __u32 request_op(struct request *rq)
{
	return BPF_CORE_READ(rq, cmd_flags) & WEIR_REQ_OP_MASK;
}

/*
 * The slot of a (disk, operation) seen for the first time. Should two CPUs see it at once, both
 * take a slot and one stays empty for good.
 */
static __noinline __u32 slot_new(struct gendisk *disk, __u64 key)
{
	struct latency_slot *slot;
	__u32 index;
	__u32 *first;

	index = 1 + __sync_fetch_and_add(&totals.slots_used, 1);
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

static __always_inline struct latency_slot *request_slot(struct request *rq)
{
	struct gendisk *disk = request_disk(rq);
	__u64 key = (__u64)disk_dev(disk) << 32 | request_op(rq);
	__u32 *known = bpf_map_lookup_elem(&slot_index, &key);
	__u32 index = known ? *known : slot_new(disk, key);

	if (index == 0)
		__sync_fetch_and_add(&totals.slots_full, 1);
	return bpf_map_lookup_elem(&slots, &index);
}

static __always_inline struct flight_set *flight_set(__u64 address)
{
	/* Fibonacci hashing: 2^64 divided by the golden ratio. */
	__u32 set = (address * 0x9e3779b97f4a7c15ULL) >> (64 - SETS_LOG);

	return bpf_map_lookup_elem(&flights, &set);
}

/*
 * The way in which `address` is, 0 for a free one; WAYS if it is in none. Not static, so that the
 * verifier checks the loop by itself and does not follow the caller once for each way.
 */
__noinline __u32 flight_way(const struct flight_set *set, __u64 address)
{
	__u32 way;

	if (!set)
		return WAYS;
	for (way = 0; way < WAYS; way++) {
		if (set->address[way] == address)
			break;
	}
	return way;
}

static __always_inline __u32 flight_place(struct flight_set *set, __u64 address)
{
	return set ? flight_way(set, address) : WAYS;
}

/* `way` itself. clang 14 has compared one copy of it and uses another, unbounded to the verifier. */
static __always_inline __u32 way_index(__u32 way)
{
	asm volatile("" : "+r"(way));
	return way & (WAYS - 1);
}

static __always_inline struct flight *flight_find(struct flight_set *set, __u64 address)
{
	__u32 way = flight_place(set, address);

	return way < WAYS ? &set->flight[way] : NULL;
}

/*
 * Takes a free way for `address`; WAYS if there is none. Only the request's own events touch its
 * flight, and they follow one another.
 */
__noinline __u32 flight_claim(struct flight_set *set, __u64 address)
{
	__u32 way;

	if (!set)
		return WAYS;
	for (way = 0; way < WAYS; way++) {
		if (set->address[way])
			continue;
		if (!__sync_val_compare_and_swap(&set->address[way], 0, address))
			return way;
	}
	return WAYS;
}

static __always_inline struct flight *flight_new(struct flight_set *set, __u64 address)
{
	__u32 way = set ? flight_claim(set, address) : WAYS;

	if (way < WAYS)
		return &set->flight[way];
	__sync_fetch_and_add(&totals.map_full, 1);
	return NULL;
}

/* Starts the flight of a request, over the one it may have left open. */
static __always_inline void flight_begin(struct flight_set *set, __u64 address,
					 struct flight *flight, struct flight begin)
{
	if (flight && flight->issue_ns)
		__sync_fetch_and_add(&totals.unfinished, 1);
	if (!flight)
		flight = flight_new(set, address);
	if (flight)
		*flight = begin;
}

static __always_inline void flight_end(struct flight_set *set, __u32 way)
{
	/* An exchange, so that all reads of the flight come before. */
	__sync_lock_test_and_set(&set->address[way_index(way)], 0);
}

SEC("raw_tp/block_rq_insert")
int BPF_PROG(request_insert, struct request *rq)
{
	__u64 address = (__u64)rq;
	struct flight_set *set = flight_set(address);
	struct flight *flight;

	if (!is_watched(rq))
		return 0;

	/* A request that was requeued is inserted again; it has been waiting since the first time. */
	flight = flight_find(set, address);
	if (flight && flight->insert_ns && !flight->issue_ns)
		return 0;

	flight_begin(set, address, flight, (struct flight){ .insert_ns = bpf_ktime_get_ns() });
	return 0;
}

SEC("raw_tp/block_rq_issue")
int BPF_PROG(request_issue, struct request *rq)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 address = (__u64)rq;
	struct flight_set *set = flight_set(address);
	struct flight *flight;

	if (!is_watched(rq))
		return 0;

	flight = flight_find(set, address);
	if (flight && !flight->issue_ns) {
		flight->issue_ns = now;
		return 0;
	}

	flight_begin(set, address, flight, (struct flight){ .issue_ns = now });
	return 0;
}

SEC("raw_tp/block_rq_requeue")
int BPF_PROG(request_requeue, struct request *rq)
{
	__u64 address = (__u64)rq;
	struct flight *flight = flight_find(flight_set(address), address);

	if (!flight)
		return 0;

	/* The driver would not take it, so the time since the issue was spent waiting. */
	if (!flight->insert_ns)
		flight->insert_ns = flight->issue_ns;
	flight->issue_ns = 0;
	flight->requeues++;
	return 0;
}

/* `rq` has become part of its neighbour and is freed without a completion. */
SEC("raw_tp/block_rq_merge")
int BPF_PROG(request_merge, struct request *rq)
{
	__u64 address = (__u64)rq;
	struct flight_set *set = flight_set(address);
	__u32 way = flight_place(set, address);

	if (way < WAYS)
		flight_end(set, way);
	return 0;
}

/*
 * A write with a flush before or after it completes once more when its flushes are done, with no
 * bytes; an empty one, as of fsync, only so. The flush itself is a request of its own.
 */
static __always_inline int ends_flush_sequence(struct request *rq, unsigned int nr_bytes)
{
	return nr_bytes == 0 && request_op(rq) == WEIR_REQ_OP_WRITE;
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
	__u64 insert_ns = flight->insert_ns ? flight->insert_ns : flight->issue_ns;

	count_sample(&slot->queued, insert_ns, flight->issue_ns);
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
	__u64 address = (__u64)rq;
	struct flight_set *set = flight_set(address);
	__u32 way = flight_place(set, address);
	struct latency_slot *slot;
	struct flight *flight;

	if (!is_watched(rq))
		return 0;

	flight = way < WAYS ? &set->flight[way_index(way)] : NULL;
	if (!flight || !flight->issue_ns) {
		if (!ends_flush_sequence(rq, nr_bytes))
			__sync_fetch_and_add(&totals.unstarted, 1);
		return 0;
	}

	/* The driver may complete a request bit by bit. */
	flight->bytes += nr_bytes;
	if (nr_bytes < BPF_CORE_READ(rq, __data_len))
		return 0;

	slot = request_slot(rq);
	if (slot)
		count_request(slot, flight, now, error);
	flight_end(set, way);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
