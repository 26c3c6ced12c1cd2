/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: a slot for each thing that is counted, in an array that user space maps.
 */
#ifndef WEIR_BPF_SLOTS_H
#define WEIR_BPF_SLOTS_H

#include <linux/types.h>

#include <bpf/bpf_helpers.h>
#include <weir/bpf/slot_pool.h>

/* How often another CPU may take the slot that we are about to take. */
#define WEIR_SLOT_TRIES 4

/* The index of a slot that was never used, for a program whose slots stay taken; 0: none. */
static __always_inline __u32 weir_slot_fresh(struct weir_slot_pool *pool, __u32 count)
{
	__u64 fresh = 1 + __sync_fetch_and_add(&pool->used, 1);

	return fresh < count ? (__u32)fresh : 0;
}

/*
 * The index of a slot that nobody uses, of an array of `count`; 0: all are in use. Not static, as
 * it is rarely called and the verifier need not follow it from everywhere.
 */
__noinline __u32 weir_slot_take(struct weir_slot_pool *pool, __u32 count)
{
	__u64 taken;
	__u32 slot;
	int i;

	if (!pool)
		return 0;
	for (i = 0; i < WEIR_SLOT_TRIES; i++) {
		taken = *(volatile __u64 *)&pool->taken;
		if (taken >= *(volatile __u64 *)&pool->given)
			break;
		slot = pool->free[taken % WEIR_SLOTS_FREE];
		if (__sync_val_compare_and_swap(&pool->taken, taken, taken + 1) == taken)
			return slot < count ? slot : 0;
	}
	return weir_slot_fresh(pool, count);
}

#endif
