/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * User side: reads the ring buffer of bpf/events.h. One thread at a time.
 *
 *	size = weir_bpf_ring_size(conf->buffer);
 *	skeleton->maps.events.max_entries = size;
 *	... load ...
 *	err = weir_bpf_ring_map(&ring, skeleton->maps.events.map_fd, size);
 *	while ((event = weir_bpf_ring_next(&ring, &size)))
 *		...
 *	weir_bpf_ring_end(&ring);
 */
#ifndef WEIR_BPF_RING_H
#define WEIR_BPF_RING_H

#include <errno.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../option.h"

/* How often sources empty their ring: events wait no longer than this to be shown. */
#define WEIR_BPF_RING_PERIOD_NS 50000000u

/* Bytes of the ring of bpf/events.h. Twice as many are resident, as it is mapped twice in a row. */
#define WEIR_BPF_RING_SIZE (1u << 19)

/* The row of the option table by which users size the ring, for a member `buffer`. */
#define WEIR_OPT_BUFFER(type_)                                                                     \
	WEIR_OPT_SIZE(type_, buffer, "512KiB", 4096, 1 << 30,                                      \
		      "ring buffer for events, rounded up to a power of two")

/* For weir_lost(): why an event in `events_lost` was, and the beginning of the cure. */
#define WEIR_BPF_RING_FULL "event found no room in the ring of events"
#define WEIR_BPF_RING_CURE "a larger --buffer, or choose fewer: "

/* Starts as zeroed memory; weir_bpf_ring_unmap() accepts that. */
struct weir_bpf_ring {
	uint64_t *consumer;       /* a page of its own: how far we have read */
	const uint64_t *producer; /* how far the kernel has reserved */
	const uint8_t *data;      /* twice in a row, so that no record wraps */
	uint64_t size;
	uint64_t read; /* where next() goes on */
};

/* The least that the kernel takes for a ring of `bytes`, which are 1 GiB at most. */
static inline uint32_t weir_bpf_ring_size(uint64_t bytes)
{
	uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);

	while (size < bytes)
		size *= 2;
	return (uint32_t)size;
}

static inline void weir_bpf_ring_unmap(struct weir_bpf_ring *ring)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (ring->consumer)
		munmap(ring->consumer, page);
	if (ring->producer)
		munmap((void *)(uintptr_t)ring->producer, page + 2 * (size_t)ring->size);
	memset(ring, 0, sizeof(*ring));
}

/* Maps a ring of `size` bytes, a power of two of pages, as the map has. 0 or a negative errno. */
static inline int weir_bpf_ring_map(struct weir_bpf_ring *ring, int fd, uint64_t size)
{
	long page = sysconf(_SC_PAGESIZE);
	void *consumer = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	void *producer;

	if (consumer == MAP_FAILED)
		return -errno;
	ring->consumer = (uint64_t *)consumer;
	ring->size = size;
	producer = mmap(NULL, (size_t)page + 2 * (size_t)size, PROT_READ, MAP_SHARED, fd, page);
	if (producer == MAP_FAILED) {
		int err = -errno;

		weir_bpf_ring_unmap(ring);
		return err;
	}
	ring->producer = (const uint64_t *)producer;
	ring->data = (const uint8_t *)producer + page;
	ring->read = __atomic_load_n(ring->consumer, __ATOMIC_RELAXED);
	return 0;
}

/*
 * The next event and its size, or NULL: there is none, or the next one is still being written. It
 * is valid until weir_bpf_ring_end(), which gives the room of all that was read back.
 */
static inline const void *weir_bpf_ring_next(struct weir_bpf_ring *ring, uint32_t *size)
{
	while (ring->producer && ring->read < __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE)) {
		const uint8_t *record = ring->data + (ring->read & (ring->size - 1));
		uint32_t head =
			__atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);
		uint32_t length = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (head & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		ring->read += (length + BPF_RINGBUF_HDR_SZ + 7) & ~7u;
		if (head & BPF_RINGBUF_DISCARD_BIT)
			continue;
		*size = length;
		return record + BPF_RINGBUF_HDR_SZ;
	}
	return NULL;
}

static inline void weir_bpf_ring_end(struct weir_bpf_ring *ring)
{
	if (ring->consumer)
		__atomic_store_n(ring->consumer, ring->read, __ATOMIC_RELEASE);
}

#endif
