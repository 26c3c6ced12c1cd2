/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: which task submitted a request, for the tools that follow requests.
 *
 * It is seen when a request is made for a bio (block_getrq), which happens in the submitter's
 * context. There the request itself is not shown, so its bio stands for it until it is issued: a
 * flight of its own lies under the address of the bio. The tool's `struct flight_more` has
 *
 *	__u64 bio;   of a request: that was its first when it was inserted, or 0
 *	__u32 flags; of a request as it is issued: cmd_flags; of a bio: bi_opf
 */
#ifndef REQUEST_OWNER_H
#define REQUEST_OWNER_H

#include "request.h"

/* The flight of a bio that a request is made for, or NULL. The rest of its `more` is to be written. */
static __always_inline struct flight *owner_begin(struct bio *bio)
{
	__u64 address = (__u64)bio;
	struct flight_set *set = flight_set(address);
	struct flight *flight = flight_find(set, address);

	/* One may be left of an earlier bio at this address, whose request was never issued. */
	if (!flight)
		flight = flight_new(set, address);
	if (!flight)
		return NULL;
	flight->issue_ns = 0;
	flight->more.flags = BPF_CORE_READ(bio, bi_opf);
	return flight;
}

/* libbpf's macro calculates with a pointer to void. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpointer-arith"
static __always_inline int is_second_running(struct blk_flush_queue *queue)
{
	return BPF_CORE_READ_BITFIELD_PROBED(queue, flush_running_idx) != 0;
}
#pragma clang diagnostic pop

/* The request for whose sake the device is flushed: the first of those that wait for this flush. */
static __always_inline struct request *flush_cause(struct request *flush)
{
	struct blk_flush_queue *queue = BPF_CORE_READ(flush, mq_hctx, fq);
	struct request___flush_list *old = NULL;
	struct list_head *head;
	struct list_head *first;
	__u64 link;

	if (!queue)
		return NULL;
	head = &queue->flush_queue[is_second_running(queue)];
	/* Its first member; a relocation of `next` would cost a search through all types. */
	if (bpf_probe_read_kernel(&first, sizeof(first), head) || first == head)
		return NULL;
	link = bpf_core_field_exists(old->flush.list)
		       ? bpf_core_field_offset(struct request___flush_list, flush.list)
		       : bpf_core_field_offset(struct request, queuelist);
	return (struct request *)((__u64)first - link);
}

/*
 * The bio that the request was made for, 0 if its maker was not seen. It is the first, as it was on
 * insertion and if it went straight to the driver, or the last if others were put before it.
 */
static __always_inline __u64 made_for(struct request *rq, __u64 inserted)
{
	__u64 bio = inserted;

	if (bio && flight_find(flight_set(bio), bio))
		return bio;
	bio = (__u64)BPF_CORE_READ(rq, bio);
	if (bio && flight_find(flight_set(bio), bio))
		return bio;
	return (__u64)BPF_CORE_READ(rq, biotail);
}

/* The bio whose flight tells who submitted a request that is issued; there may be none, or 0. */
static __always_inline __u64 owner_bio(struct request *rq, const struct flight_more *more)
{
	if ((more->flags & WEIR_REQ_OP_MASK) == WEIR_REQ_OP_FLUSH)
		rq = flush_cause(rq);
	return rq ? made_for(rq, more->bio) : 0;
}

/* The flight of the bio was of use; the flushes before and after this one need it, too. */
static __always_inline void owner_found(__u64 bio, const struct flight *flight)
{
	if (!(flight->more.flags & WEIR_REQ_PREFLUSH))
		flight_forget(bio);
}

#endif
