/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records in the order of time. A recording holds them in rounds: what the CPUs' rings held, one
 * after the other. A round may overlap with the next one, not with the one after that; so at a
 * round's end what is not younger than the round before can go on. Memory is bounded.
 */
#ifndef FLAME_PERF_DATA_QUEUE_H
#define FLAME_PERF_DATA_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_DATA_QUEUE_MAX ((size_t)64 << 20) /* bytes of records, where rounds are too long */

struct perf_data_chunk;

struct perf_data_entry {
	uint64_t time;
	const uint8_t *record;
	struct perf_data_chunk *chunk;
};

/* All zero is an empty queue. */
struct perf_data_queue {
	struct perf_data_entry *entries; /* from `next` on */
	struct perf_data_entry *spare;   /* for sorting: of the same capacity */
	uint32_t next;
	uint32_t ready; /* up to here they are sorted and may go */
	uint32_t count;
	uint32_t capacity;
	struct perf_data_chunk *filling;
	struct perf_data_chunk *free;
	size_t bytes;
	uint64_t latest;   /* the youngest time seen */
	uint64_t round;    /* the youngest at the end of the last round */
	uint64_t released; /* no record is to come that is older */
};

/* Copies a record of that many bytes. 0; 1: it is older than some that went already; -ENOMEM. */
int perf_data_queue_add(struct perf_data_queue *queue, uint64_t time, const uint8_t *record,
			size_t bytes);
/* A round has ended. */
void perf_data_queue_round(struct perf_data_queue *queue);
/* All may go. */
void perf_data_queue_end(struct perf_data_queue *queue);
/*
 * The next record that may go, or NULL; it stays until the next call. More may be added once it has
 * returned NULL.
 */
const uint8_t *perf_data_queue_next(struct perf_data_queue *queue);
/* True while some may go. */
bool perf_data_queue_due(const struct perf_data_queue *queue);
void perf_data_queue_clear(struct perf_data_queue *queue);

#endif
