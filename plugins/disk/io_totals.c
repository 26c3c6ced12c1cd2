/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums over requests: see io_totals.h. Open addressing, so that a window is one run of memory. */
#include "io_totals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static uint32_t totals_op(const struct io_event *event)
{
	return event->flags & 0xff;
}

static bool totals_same(const struct io_total *total, const struct io_event *event)
{
	return total->task.pid == event->task.pid && total->op == totals_op(event) &&
	       total->marks == event->marks &&
	       strncmp(total->task.comm, event->task.comm, sizeof(total->task.comm)) == 0 &&
	       strncmp(total->disk, event->disk, sizeof(total->disk)) == 0;
}

static uint64_t totals_mix(uint64_t hash, uint64_t value)
{
	/* FNV's way with 64 bits at a time. */
	return (hash ^ value) * 0x100000001b3u;
}

static uint32_t totals_hash(uint32_t pid, uint32_t dev_or_op, const char *comm)
{
	uint64_t hash = totals_mix(0xcbf29ce484222325u, (uint64_t)pid << 32 | dev_or_op);

	for (uint32_t i = 0; i < WEIR_COMM_LENGTH && comm[i]; i++)
		hash = totals_mix(hash, (unsigned char)comm[i]);
	return (uint32_t)(hash >> 32) ^ (uint32_t)hash;
}

/* The place of the total in the index: where it is, or where it would go. */
static uint32_t totals_place(const struct io_totals *sums, const struct io_event *event)
{
	uint32_t mask = 2 * sums->capacity - 1;
	uint32_t at = totals_hash(event->task.pid, totals_op(event), event->task.comm) & mask;

	while (sums->index[at] && !totals_same(&sums->totals[sums->index[at] - 1], event))
		at = (at + 1) & mask;
	return at;
}

static int totals_grow(struct io_totals *sums)
{
	uint32_t capacity = sums->capacity ? 2 * sums->capacity : 64, mask = 2 * capacity - 1;
	struct io_total *totals = realloc(sums->totals, capacity * sizeof(*totals));
	uint32_t *index;

	if (!totals)
		return -ENOMEM;
	sums->totals = totals;
	index = calloc(2 * (size_t)capacity, sizeof(*index));
	if (!index)
		return -ENOMEM;
	free(sums->index);
	sums->index = index;
	sums->capacity = capacity;
	for (uint32_t i = 0; i < sums->count; i++) {
		uint32_t at = totals_hash(totals[i].task.pid, totals[i].op, totals[i].task.comm);

		for (at &= mask; index[at]; at = (at + 1) & mask)
			;
		index[at] = i + 1;
	}
	return 0;
}

static void totals_count(struct io_total *total, const struct io_event *event)
{
	total->count++;
	total->bytes += event->bytes;
	total->errors += event->status != 0;
	total->queued_ns += event->queued_ns;
	total->device_ns += event->device_ns;
	if (event->device_ns > total->device_max_ns)
		total->device_max_ns = event->device_ns;
}

int io_totals_add(struct io_totals *sums, const struct io_event *event)
{
	struct io_total *total;
	uint32_t at;
	int err = 0;

	if (sums->count == sums->capacity && sums->capacity < IO_TOTALS_MAX)
		err = totals_grow(sums);
	if (err)
		return err;
	at = totals_place(sums, event);
	if (sums->index[at]) {
		totals_count(&sums->totals[sums->index[at] - 1], event);
		return 0;
	}
	if (sums->count == IO_TOTALS_MAX) {
		totals_count(&sums->rest, event);
		return 0;
	}
	sums->index[at] = sums->count + 1;
	total = &sums->totals[sums->count++];
	memset(total, 0, sizeof(*total));
	total->task = event->task;
	memcpy(total->disk, event->disk, sizeof(total->disk));
	total->op = totals_op(event);
	total->marks = event->marks;
	totals_count(total, event);
	return 0;
}

void io_totals_clear(struct io_totals *sums)
{
	sums->count = 0;
	memset(&sums->rest, 0, sizeof(sums->rest));
	if (sums->index)
		memset(sums->index, 0, 2 * (size_t)sums->capacity * sizeof(*sums->index));
}

void io_totals_release(struct io_totals *sums)
{
	free(sums->totals);
	free(sums->index);
	memset(sums, 0, sizeof(*sums));
}
