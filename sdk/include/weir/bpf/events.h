/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * BPF side: events to user space through one ring buffer that wakes nobody, since a wake-up costs
 * fifty times what the event does. The user side (bpf/ring.h) empties it on a timer. An event
 * that finds no room is counted in `events_lost`.
 */
#ifndef WEIR_BPF_EVENTS_H
#define WEIR_BPF_EVENTS_H

#include <bpf/bpf_helpers.h>
#include <linux/bpf.h>
#include <linux/types.h>

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 19); /* WEIR_BPF_RING_SIZE of bpf/ring.h */
} events SEC(".maps");

__u64 events_lost = 0;

/* Room for an event of a constant size, which must be filled and sent; NULL: counted as lost. */
#define WEIR_EVENT_RESERVE(type_)                                                                  \
	({                                                                                         \
		type_ *event_ = bpf_ringbuf_reserve(&events, sizeof(type_), 0);                    \
		if (!event_)                                                                       \
			__sync_fetch_and_add(&events_lost, 1);                                     \
		event_;                                                                            \
	})

static __always_inline void weir_event_send(void *event)
{
	bpf_ringbuf_submit(event, BPF_RB_NO_WAKEUP);
}

static __always_inline void weir_event_drop(void *event)
{
	bpf_ringbuf_discard(event, BPF_RB_NO_WAKEUP);
}

#endif
