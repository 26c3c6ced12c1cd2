/* SPDX-License-Identifier: BSD-2-Clause */
/* Records in the order of time; see perf_data_queue.h. */
#include "perf_data_queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 20 };

/* Where records are copied to. Given back as a whole, when the last of them has gone. */
struct perf_data_chunk {
	struct perf_data_chunk *next; /* of the free ones */
	uint32_t live;
	uint32_t used;
	uint8_t bytes[CHUNK_BYTES];
};

static struct perf_data_chunk *queue_chunk(struct perf_data_queue *queue, size_t bytes)
{
	struct perf_data_chunk *chunk = queue->filling;

	if (chunk && CHUNK_BYTES - chunk->used >= bytes)
		return chunk;
	chunk = queue->free;
	if (chunk)
		queue->free = chunk->next;
	else
		chunk = malloc(sizeof(*chunk));
	if (!chunk)
		return NULL;
	chunk->live = chunk->used = 0;
	queue->filling = chunk;
	return chunk;
}

static void queue_let_go(struct perf_data_queue *queue, struct perf_data_chunk *chunk)
{
	if (--chunk->live)
		return;
	queue->bytes -= chunk->used;
	chunk->used = 0;
	if (chunk == queue->filling)
		return;
	chunk->next = queue->free;
	queue->free = chunk;
}

static int queue_reserve(struct perf_data_queue *queue)
{
	uint32_t capacity = queue->capacity ? queue->capacity * 2 : 4096;
	struct perf_data_entry *grown;

	if (queue->count < queue->capacity)
		return 0;
	if (capacity < queue->capacity)
		return -ENOMEM;
	grown = reallocarray(queue->entries, capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	queue->entries = grown;
	grown = reallocarray(queue->spare, capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	queue->spare = grown;
	queue->capacity = capacity;
	return 0;
}

/* The end of the run that begins at `from`: entries that are in order. */
static uint32_t queue_run(const struct perf_data_queue *queue, uint32_t from)
{
	uint32_t i = from + 1;

	while (i < queue->count && queue->entries[i - 1].time <= queue->entries[i].time)
		i++;
	return i < queue->count ? i : queue->count;
}

static void queue_merge(struct perf_data_queue *queue, uint32_t from, uint32_t middle, uint32_t to)
{
	const struct perf_data_entry *entries = queue->entries;
	uint32_t left = from, right = middle, out = from;

	while (left < middle && right < to)
		queue->spare[out++] = entries[right].time < entries[left].time ? entries[right++]
									       : entries[left++];
	while (left < middle)
		queue->spare[out++] = entries[left++];
	while (right < to)
		queue->spare[out++] = entries[right++];
}

/* What comes is a few long runs, one of each CPU: they are merged two by two until one is left. */
static void queue_sort(struct perf_data_queue *queue)
{
	while (queue->count && queue_run(queue, queue->next) < queue->count) {
		uint32_t from = queue->next;
		struct perf_data_entry *swap;

		while (from < queue->count) {
			uint32_t middle = queue_run(queue, from);
			uint32_t to = middle < queue->count ? queue_run(queue, middle) : middle;

			queue_merge(queue, from, middle, to);
			from = to;
		}
		swap = queue->entries;
		queue->entries = queue->spare;
		queue->spare = swap;
	}
}

/* Lets go what is not younger than `time`. */
static void queue_release(struct perf_data_queue *queue, uint64_t time)
{
	uint32_t i = queue->next;

	queue_sort(queue);
	while (i < queue->count && queue->entries[i].time <= time)
		i++;
	queue->ready = i;
	if (i > queue->next && queue->entries[i - 1].time > queue->released)
		queue->released = queue->entries[i - 1].time;
}

/* More than may be kept, in one round: the older half has to go. */
static void queue_relieve(struct perf_data_queue *queue)
{
	queue_sort(queue);
	queue_release(queue, queue->entries[queue->next + (queue->count - queue->next) / 2].time);
}

int perf_data_queue_add(struct perf_data_queue *queue, uint64_t time, const uint8_t *record,
			size_t bytes)
{
	struct perf_data_chunk *chunk;
	uint8_t *copy;

	if (time < queue->released)
		return 1;
	chunk = queue_reserve(queue) ? NULL : queue_chunk(queue, bytes);
	if (!chunk)
		return -ENOMEM;
	copy = chunk->bytes + chunk->used;
	memcpy(copy, record, bytes);
	/* Records are multiples of 8 bytes, but for those that cannot be trusted. */
	chunk->used += ((uint32_t)bytes + 7u) & ~7u;
	queue->bytes += (bytes + 7u) & ~(size_t)7u;
	chunk->live++;
	queue->entries[queue->count++] = (struct perf_data_entry){ time, copy, chunk };
	if (time > queue->latest)
		queue->latest = time;
	if (queue->bytes > PERF_DATA_QUEUE_MAX && !perf_data_queue_due(queue))
		queue_relieve(queue);
	return 0;
}

void perf_data_queue_round(struct perf_data_queue *queue)
{
	queue_release(queue, queue->round);
	queue->round = queue->latest;
}

void perf_data_queue_end(struct perf_data_queue *queue)
{
	queue_release(queue, UINT64_MAX);
}

bool perf_data_queue_due(const struct perf_data_queue *queue)
{
	return queue->next < queue->ready;
}

const uint8_t *perf_data_queue_next(struct perf_data_queue *queue)
{
	const struct perf_data_entry *entry;

	/* The one before was shown until now. */
	if (queue->next)
		queue_let_go(queue, queue->entries[queue->next - 1].chunk);
	if (queue->next == queue->ready) {
		queue->count -= queue->next;
		if (queue->count)
			memmove(queue->entries, queue->entries + queue->next,
				queue->count * sizeof(*queue->entries));
		queue->next = queue->ready = 0;
		return NULL;
	}
	entry = &queue->entries[queue->next++];
	return entry->record;
}

void perf_data_queue_clear(struct perf_data_queue *queue)
{
	/* Chunks are told apart by their last entry. */
	for (uint32_t i = queue->next ? queue->next - 1 : 0; i < queue->count; i++)
		queue_let_go(queue, queue->entries[i].chunk);
	while (queue->free) {
		struct perf_data_chunk *chunk = queue->free;

		queue->free = chunk->next;
		free(chunk);
	}
	free(queue->filling);
	free(queue->entries);
	free(queue->spare);
	memset(queue, 0, sizeof(*queue));
}
