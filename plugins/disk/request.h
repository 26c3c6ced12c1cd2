/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: follows requests from insertion to completion, for the tools that time them. A request
 * is known by its address, which is its own all that time. The tool says by `struct flight_more`
 * what else it keeps of one, before it includes this.
 */
#ifndef REQUEST_H
#define REQUEST_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/kernel.h>
#include <weir/bpf/ways.h>

#include "request_event.h"

/* A request between its insertion and its completion. */
struct flight {
	__u64 insert_ns; /* 0: never waited in a queue */
	__u64 issue_ns;  /* 0: not with the device */
	__u32 bytes;     /* done so far; the kernel's own counter of them has 32 bits, too */
	__u32 requeues;
	struct flight_more more;
};

#define SETS_LOG 11

struct flight_set {
	struct weir_ways ways;
	struct flight flight[WEIR_WAYS];
};

/* Set by the user side before load: this disk only (major << 20 | minor); 0 for all. */
const volatile __u32 only_dev = 0;

struct request_totals totals = {};

/*
 * 16384 in flight. By chance (Poisson, 2048 sets) one in 100,000 finds its set full with 2000 of
 * them and one in 1000 with 4000; it is counted as lost.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << SETS_LOG);
	__type(key, __u32);
	__type(value, struct flight_set);
} flights SEC(".maps");

/* Each reading of kernel memory costs some 20 ns: what lies side by side is read at once. */

static __always_inline __u32 disk_dev(struct gendisk *disk)
{
	struct {
		__u32 major;
		__u32 first_minor;
	} number = {};

	if (!disk)
		return 0;
	if (bpf_core_field_offset(disk->first_minor) == bpf_core_field_offset(disk->major) + 4) {
		bpf_probe_read_kernel(&number, sizeof(number), &disk->major);
	} else {
		number.major = BPF_CORE_READ(disk, major);
		number.first_minor = BPF_CORE_READ(disk, first_minor);
	}
	return number.major << 20 | number.first_minor;
}

/* What the end of a request asks of it. */
struct request_look {
	struct request_queue *q;
	__u64 between[2];
	__u32 cmd_flags;
	__u32 further[4];
	__u32 data_len;
};

static __always_inline void request_read(struct request_look *look, struct request *rq)
{
	__u64 begin = bpf_core_field_offset(rq->q);

	if (bpf_core_field_offset(rq->cmd_flags) ==
		    begin + __builtin_offsetof(struct request_look, cmd_flags) &&
	    bpf_core_field_offset(rq->__data_len) ==
		    begin + __builtin_offsetof(struct request_look, data_len)) {
		bpf_probe_read_kernel(look, sizeof(*look), &rq->q);
		return;
	}
	look->q = BPF_CORE_READ(rq, q);
	look->cmd_flags = BPF_CORE_READ(rq, cmd_flags);
	look->data_len = BPF_CORE_READ(rq, __data_len);
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
 * A write with a flush before or after it completes once more when its flushes are done, with no
 * bytes; an empty one, as of fsync, only so. The flush itself is a request of its own.
 */
static __always_inline int ends_flush_sequence(struct request *rq, unsigned int nr_bytes)
{
	return nr_bytes == 0 && request_op(rq) == WEIR_REQ_OP_WRITE;
}

static __always_inline struct flight_set *flight_set(__u64 address)
{
	__u32 set = weir_ways_set(address, SETS_LOG);

	return bpf_map_lookup_elem(&flights, &set);
}

/* The way in which the flight of an address is; WEIR_WAYS: there is none. */
static __always_inline __u32 flight_way(const struct flight_set *set, __u64 address)
{
	return set ? weir_way_of(&set->ways, address) : WEIR_WAYS;
}

static __always_inline struct flight *flight_at(struct flight_set *set, __u32 way)
{
	return way < WEIR_WAYS ? &set->flight[weir_way_index(way)] : NULL;
}

static __always_inline struct flight *flight_find(struct flight_set *set, __u64 address)
{
	return flight_at(set, flight_way(set, address));
}

/* A flight for an address that has none; all that it holds is to be written. NULL: no room. */
static __always_inline struct flight *flight_new(struct flight_set *set, __u64 address)
{
	return flight_at(set, set ? weir_way_take(&set->ways, address) : WEIR_WAYS);
}

/* Ends the flight in a way that flight_done() gave. */
static __always_inline void flight_end(struct flight_set *set, __u32 way)
{
	weir_way_free(&set->ways, way);
}

/* Ends the flight of an address, if there is one. Not static, so that it is verified once. */
__noinline int flight_forget(__u64 address)
{
	struct flight_set *set = flight_set(address);
	__u32 way = flight_way(set, address);

	if (address && way < WEIR_WAYS)
		flight_end(set, way);
	return 0;
}

/* Starts the flight of a request, over the one it may have left open. */
static __always_inline struct flight *flight_begin(struct flight_set *set, __u64 address,
						   struct flight *flight, __u64 insert_ns,
						   __u64 issue_ns)
{
	if (flight && flight->issue_ns)
		__sync_fetch_and_add(&totals.unfinished, 1);
	if (!flight)
		flight = flight_new(set, address);
	if (!flight)
		return NULL;
	flight->insert_ns = insert_ns;
	flight->issue_ns = issue_ns;
	flight->bytes = flight->requeues = 0;
	return flight;
}

/* The flight that begins as a request is inserted, or NULL. Its `more` is to be written. */
static __always_inline struct flight *flight_insert(struct request *rq)
{
	__u64 address = (__u64)rq;
	struct flight_set *set = flight_set(address);
	struct flight *flight = flight_find(set, address);

	/* A request that was requeued is inserted again; it has been waiting since the first time. */
	if (flight && flight->insert_ns && !flight->issue_ns)
		return NULL;
	return flight_begin(set, address, flight, bpf_ktime_get_ns(), 0);
}

/*
 * The flight of a request that was issued at `now`, or NULL. It begins now if it has no insert_ns,
 * and its `more` is to be written.
 */
static __always_inline struct flight *flight_issue(struct request *rq, __u64 now)
{
	__u64 address = (__u64)rq;
	struct flight_set *set = flight_set(address);
	struct flight *flight = flight_find(set, address);

	if (!flight || flight->issue_ns) {
		flight = flight_begin(set, address, flight, 0, now);
		if (!flight)
			__sync_fetch_and_add(&totals.map_full, 1);
		return flight;
	}
	flight->issue_ns = now;
	return flight;
}

/* The driver would not take it, so the time since the issue was spent waiting. */
static __always_inline int flight_requeue(struct request *rq)
{
	__u64 address = (__u64)rq;
	struct flight *flight = flight_find(flight_set(address), address);

	if (!flight)
		return 0;
	if (!flight->insert_ns)
		flight->insert_ns = flight->issue_ns;
	flight->issue_ns = 0;
	flight->requeues++;
	return 0;
}

/* Since when it was queued: one that went straight to the driver never was. */
static __always_inline __u64 flight_queued_ns(const struct flight *flight)
{
	return flight->insert_ns ? flight->insert_ns : flight->issue_ns;
}

/*
 * The way of a request of which `nr_bytes` of `data_len` are done, if it is done as a whole: the
 * driver may complete it bit by bit. Else WEIR_WAYS. `expected`: one that has no flight should have had one.
 */
static __always_inline __u32 flight_done(struct flight_set *set, struct request *rq,
					 unsigned int nr_bytes, __u32 data_len, int expected)
{
	__u32 way = flight_way(set, (__u64)rq);
	struct flight *flight = flight_at(set, way);

	if (!flight || !flight->issue_ns) {
		if (expected && !ends_flush_sequence(rq, nr_bytes))
			__sync_fetch_and_add(&totals.unstarted, 1);
		return WEIR_WAYS;
	}
	flight->bytes += nr_bytes;
	return nr_bytes < data_len ? WEIR_WAYS : way;
}

#endif
