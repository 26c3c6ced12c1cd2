/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading the ring buffer that the kernel keeps for a perf event: wrap-around, ordering between
 * kernel and reader, and records whose size cannot be.
 *
 *	weir_perf_ring_begin(ring);
 *	while ((record = weir_perf_ring_next(ring)))
 *		...
 *	weir_perf_ring_end(ring);
 *
 * One thread at a time. A record is valid until the next call on its ring.
 */
#ifndef WEIR_PERF_RING_H
#define WEIR_PERF_RING_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The largest record: its size has 16 bits. */
#define WEIR_PERF_RECORD_MAX 65536

/* Starts as zeroed memory; weir_perf_ring_unmap() accepts that. */
struct weir_perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	const uint8_t *data;
	uint64_t data_size; /* a power of two, at least one page */
	uint64_t head;      /* up to here there are records, as seen by begin() */
	uint64_t tail;      /* up to here they have been read */
	uint8_t *copy;      /* for a record that wraps around the end */
	uint64_t broken;    /* bytes that were skipped behind a record of impossible size */
};

static inline void weir_perf_ring_unmap(struct weir_perf_ring *ring)
{
	if (ring->page)
		munmap(ring->page, (size_t)ring->data_size + (size_t)sysconf(_SC_PAGESIZE));
	free(ring->copy);
	memset(ring, 0, sizeof(*ring));
}

/*
 * Maps the ring of an event's fd: `bytes` rounded down to a power of two of pages, and less
 * where the user's limit on locked memory asks for it: see data_size. 0 or a negative errno.
 */
static inline int weir_perf_ring_map(struct weir_perf_ring *ring, int fd, uint64_t bytes)
{
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t size = page_size;
	void *mapped;

	while (size * 2 <= bytes)
		size *= 2;
	ring->copy = (uint8_t *)malloc(WEIR_PERF_RECORD_MAX);
	if (!ring->copy)
		return -ENOMEM;
	for (;;) {
		mapped = mmap(NULL, (size_t)(size + page_size), PROT_READ | PROT_WRITE, MAP_SHARED,
			      fd, 0);
		if (mapped != MAP_FAILED || errno != EPERM || size == page_size)
			break;
		size /= 2;
	}
	if (mapped == MAP_FAILED)
		return -errno;
	ring->page = (struct perf_event_mmap_page *)mapped;
	ring->data = (const uint8_t *)mapped + page_size;
	ring->data_size = size;
	return 0;
}

/* Looks how far the kernel has come: next() hands out what is there now, and no more. */
static inline void weir_perf_ring_begin(struct weir_perf_ring *ring)
{
	if (ring->page)
		ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

/* Gives the room of all records that were read back to the kernel. */
static inline void weir_perf_ring_end(struct weir_perf_ring *ring)
{
	if (ring->page)
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* The next record, whole and of header->size bytes, or NULL when there is none. */
static inline const struct perf_event_header *weir_perf_ring_next(struct weir_perf_ring *ring)
{
	uint64_t there = ring->head - ring->tail;
	uint64_t at, until_end;
	const struct perf_event_header *header;

	if (there < sizeof(*header))
		return NULL;
	/* Records are multiples of 8 bytes, so that a header never wraps. */
	at = ring->tail & (ring->data_size - 1);
	header = (const struct perf_event_header *)(ring->data + at);
	if (header->size < sizeof(*header) || header->size % 8 || header->size > there) {
		ring->broken += there;
		ring->tail = ring->head;
		return NULL;
	}
	ring->tail += header->size;
	until_end = ring->data_size - at;
	if (header->size <= until_end)
		return header;
	memcpy(ring->copy, ring->data + at, (size_t)until_end);
	memcpy(ring->copy + until_end, ring->data, (size_t)(header->size - until_end));
	return (const struct perf_event_header *)ring->copy;
}

#endif
