/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: a table of what is in flight, by address: requests, sockets, tasks. Used for
 * disk requests in place of a BPF hash map, it took the issue of one from some 700 ns to some 240.
 *
 * An array map holds sets of eight ways; an address may lie in any way of its own set:
 *
 *	struct flight_set {
 *		struct weir_ways ways;
 *		struct flight flight[WEIR_WAYS];
 *	};
 *
 * A set that is full takes no more: whoever gets no way counts that. The events of one address
 * must follow one another; those of different addresses may come on all CPUs at once.
 */
#ifndef WEIR_BPF_WAYS_H
#define WEIR_BPF_WAYS_H

#include <bpf/bpf_helpers.h>
#include <linux/types.h>

#define WEIR_WAYS 8

/* The addresses of a set; 0: a free way. */
struct weir_ways {
	__u64 address[WEIR_WAYS];
};

/* The set that an address belongs to, of 2^log. */
static __always_inline __u32 weir_ways_set(__u64 address, __u32 log)
{
	/* Fibonacci hashing: 2^64 divided by the golden ratio. */
	return (__u32)(address * 0x9e3779b97f4a7c15ULL >> (64 - log));
}

/*
 * The way in which `address` is, 0 for a free one; WEIR_WAYS if it is in none. Not static, so that
 * the verifier checks the loop by itself and does not follow the caller once for each way.
 */
__noinline __u32 weir_way_of(const struct weir_ways *ways, __u64 address)
{
	__u32 way;

	if (!ways)
		return WEIR_WAYS;
	for (way = 0; way < WEIR_WAYS; way++) {
		if (ways->address[way] == address)
			break;
	}
	return way;
}

/* Takes a free way for an address that has none; WEIR_WAYS: the set is full. */
__noinline __u32 weir_way_take(struct weir_ways *ways, __u64 address)
{
	__u32 way;

	if (!ways)
		return WEIR_WAYS;
	for (way = 0; way < WEIR_WAYS; way++) {
		if (!ways->address[way] &&
		    !__sync_val_compare_and_swap(&ways->address[way], 0, address))
			break;
	}
	return way;
}

/* `way` itself. clang 14 has compared one copy of it and uses another, unbounded to the verifier. */
static __always_inline __u32 weir_way_index(__u32 way)
{
	asm volatile("" : "+r"(way));
	return way & (WEIR_WAYS - 1);
}

/* Frees a way that an address is in. */
static __always_inline void weir_way_free(struct weir_ways *ways, __u32 way)
{
	/* An exchange, so that all that was read of the way comes before. */
	__sync_lock_test_and_set(&ways->address[weir_way_index(way)], 0);
}

#endif
