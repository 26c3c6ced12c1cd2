/* SPDX-License-Identifier: BSD-2-Clause */
/* BPF side of disk.latency: which requests chosen tasks have submitted. */
#ifndef LATENCY_CHOICE_H
#define LATENCY_CHOICE_H

#include <weir/bpf/task.h>

struct flight_more {
	__u64 bio;
	__u32 flags;
	__u32 chosen;
};

/* Need the above. */
#include "request.h"
#include "request_owner.h"

#define CHOOSES 1

SEC("raw_tp/block_getrq")
int BPF_PROG(request_make, struct bio *bio)
{
	if (!weir_current_wanted())
		return flight_forget((__u64)bio);
	owner_begin(bio);
	return 0;
}

/* True if a task that the user asked for submitted the request. Not static, see flight_forget(). */
__noinline int is_chosen(__u64 address, struct flight_more *more)
{
	struct flight *flight;
	__u64 bio;

	if (!more)
		return 1;
	bio = owner_bio((struct request *)address, more);
	flight = bio ? flight_find(flight_set(bio), bio) : NULL;
	if (!flight)
		return 0;
	more->chosen = 1;
	owner_found(bio, flight);
	return 1;
}

/* A request that is not looked at: nor is its bio any more. */
static __always_inline int leave_out(struct request *rq)
{
	return flight_forget((__u64)BPF_CORE_READ(rq, bio));
}

static __always_inline void choice_begin(struct flight *flight, struct request *rq)
{
	flight->more.bio = (__u64)BPF_CORE_READ(rq, bio);
	flight->more.chosen = 0;
}

static __always_inline int choose(struct flight *flight, struct request *rq)
{
	if (!flight->insert_ns) {
		flight->more.bio = 0;
		flight->more.chosen = 0;
	}
	/* Once only: a request that was requeued is issued again. */
	if (flight->more.chosen)
		return 0;
	flight->more.flags = BPF_CORE_READ(rq, cmd_flags);
	return is_chosen((__u64)rq, &flight->more) ? 0 : flight_forget((__u64)rq);
}

#endif
