/* SPDX-License-Identifier: BSD-2-Clause */
/* The bounded queue of an edge. Rows are counted where they are moved, so the ledger adds up. */
#include "edge.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "loop.h"

#define RING_MINIMUM 8u

void edge_init(struct edge *edge, const struct queue_limits *limits)
{
	pthread_condattr_t monotonic;

	*edge = (struct edge){ .limits = *limits };
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&edge->moved, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (!edge->limits.rows)
		edge->limits.rows = EDGE_ROWS;
	if (!edge->limits.bytes)
		edge->limits.bytes = EDGE_BYTES;
	pthread_mutex_init(&edge->lock, NULL);
}

static struct batch *edge_take(struct edge *edge)
{
	struct batch *batch = edge->ring[edge->first];

	edge->first = (edge->first + 1) & (edge->ring_size - 1);
	edge->waiting--;
	return batch;
}

/* Ends the queue's care of a batch: its rows go to `loss`, or out. */
static void edge_forget(struct edge *edge, struct batch *batch, enum edge_loss loss)
{
	uint64_t rows = batch->seen.row_count;

	edge->bytes -= batch_bytes(batch);
	edge->counts.queued -= rows;
	if (loss == EDGE_NOT_LOST)
		edge->counts.out += rows;
	else
		edge->counts.lost[loss] += rows;
	batch_release(batch);
}

void edge_clear(struct edge *edge)
{
	while (edge->waiting)
		batch_release(edge_take(edge));
	batch_release(edge->reading);
	free(edge->ring);
	pthread_cond_destroy(&edge->moved);
	pthread_mutex_destroy(&edge->lock);
}

static bool edge_empty(const struct edge *edge)
{
	return edge->waiting == 0 && !edge->reading;
}

/* A batch larger than the bounds fits into an empty queue: it could never pass otherwise. */
static bool edge_fits(const struct edge *edge, uint64_t rows, uint64_t bytes)
{
	return edge_empty(edge) || (edge->counts.queued + rows <= edge->limits.rows &&
				    edge->bytes + bytes <= edge->limits.bytes);
}

static bool edge_roomy(const struct edge *edge)
{
	return edge->closed || edge->limits.when_full != QUEUE_BLOCK || edge_fits(edge, 1, 1);
}

bool edge_has_room(struct edge *edge)
{
	bool room;

	pthread_mutex_lock(&edge->lock);
	room = edge_roomy(edge);
	if (!room)
		edge->room_wanted = true;
	pthread_mutex_unlock(&edge->lock);
	return room;
}

static bool edge_grow(struct edge *edge)
{
	uint32_t size = edge->ring_size ? edge->ring_size * 2 : RING_MINIMUM;
	struct batch **ring;

	if (edge->waiting < edge->ring_size)
		return true;
	ring = malloc(size * sizeof(struct batch *));
	if (!ring)
		return false;
	for (uint32_t i = 0; i < edge->waiting; i++)
		ring[i] = edge->ring[(edge->first + i) & (edge->ring_size - 1)];
	free(edge->ring);
	edge->ring = ring;
	edge->ring_size = size;
	edge->first = 0;
	return true;
}

/* Decides about a batch that arrives; makes room for it where the policy says so. */
static enum edge_loss edge_admit(struct edge *edge, const struct batch *batch)
{
	uint64_t rows = batch->seen.row_count, bytes = batch_bytes(batch);

	if (edge->closed)
		return edge->closed;
	if (edge->limits.when_full == QUEUE_DROP_OLDEST)
		while (edge->waiting && !edge_fits(edge, rows, bytes))
			edge_forget(edge, edge_take(edge), EDGE_FULL);
	if (edge->limits.when_full != QUEUE_BLOCK && !edge_fits(edge, rows, bytes))
		return EDGE_FULL;
	return edge_grow(edge) ? EDGE_NOT_LOST : EDGE_NO_MEMORY;
}

void edge_push(struct edge *edge, struct batch *batch)
{
	enum edge_loss loss;

	pthread_mutex_lock(&edge->lock);
	edge->counts.in += batch->seen.row_count;
	loss = edge_admit(edge, batch);
	if (loss == EDGE_NOT_LOST) {
		edge->ring[(edge->first + edge->waiting++) & (edge->ring_size - 1)] =
			batch_hold(batch);
		edge->counts.queued += batch->seen.row_count;
		edge->bytes += batch_bytes(batch);
	} else {
		edge->counts.lost[loss] += batch->seen.row_count;
	}
	pthread_mutex_unlock(&edge->lock);
}

static struct timespec edge_time(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000u),
				  .tv_nsec = (long)(ns % 1000000000u) };
}

bool edge_wait(struct edge *edge, const struct batch *batch, uint64_t patience, uint64_t deadline)
{
	uint64_t rows = batch->seen.row_count, bytes = batch_bytes(batch);
	uint64_t until = loop_now() + patience;
	uint64_t before;

	pthread_mutex_lock(&edge->lock);
	before = edge->counts.queued;
	while (!edge->stuck && !edge->closed && !edge_fits(edge, rows, bytes)) {
		struct timespec end = edge_time(until < deadline ? until : deadline);

		if (pthread_cond_timedwait(&edge->moved, &edge->lock, &end) == ETIMEDOUT)
			edge->stuck = true;
		if (edge->counts.queued < before)
			until = loop_now() + patience;
		before = edge->counts.queued;
	}
	pthread_mutex_unlock(&edge->lock);
	return !edge->stuck;
}

struct batch *edge_pop(struct edge *edge)
{
	struct batch *batch = NULL;

	pthread_mutex_lock(&edge->lock);
	if (edge->waiting && !edge->reading)
		batch = edge->reading = edge_take(edge);
	pthread_mutex_unlock(&edge->lock);
	return batch;
}

bool edge_done(struct edge *edge, enum edge_loss loss)
{
	bool wanted;

	pthread_mutex_lock(&edge->lock);
	if (edge->reading)
		edge_forget(edge, edge->reading, loss);
	edge->reading = NULL;
	wanted = edge->room_wanted && edge_roomy(edge);
	if (wanted)
		edge->room_wanted = false;
	pthread_cond_signal(&edge->moved);
	pthread_mutex_unlock(&edge->lock);
	return wanted;
}

void edge_close(struct edge *edge, enum edge_loss why, bool all)
{
	pthread_mutex_lock(&edge->lock);
	if (!edge->closed)
		edge->closed = why;
	while (edge->waiting)
		edge_forget(edge, edge_take(edge), edge->closed);
	if (all && edge->reading) {
		/* An abandoned reader may still look at it: count its rows, keep the memory. */
		edge->counts.queued -= edge->reading->seen.row_count;
		edge->counts.lost[edge->closed] += edge->reading->seen.row_count;
		edge->bytes -= batch_bytes(edge->reading);
		edge->reading = NULL;
	}
	pthread_cond_signal(&edge->moved);
	pthread_mutex_unlock(&edge->lock);
}

bool edge_idle(struct edge *edge)
{
	bool idle;

	pthread_mutex_lock(&edge->lock);
	idle = edge_empty(edge);
	pthread_mutex_unlock(&edge->lock);
	return idle;
}

void edge_count(struct edge *edge, struct edge_counts *counts)
{
	pthread_mutex_lock(&edge->lock);
	*counts = edge->counts;
	pthread_mutex_unlock(&edge->lock);
}

const char *edge_loss_text(enum edge_loss loss)
{
	static const char *const texts[EDGE_LOSSES] = {
		[EDGE_NOT_LOST] = "not lost",   [EDGE_FULL] = "queue full",
		[EDGE_FAILED] = "sink failed",  [EDGE_DEADLINE] = "deadline",
		[EDGE_NO_MEMORY] = "no memory", [EDGE_READER_GONE] = "output closed by its reader",
	};

	return texts[loss];
}
