/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An edge: a bounded queue of batches and its ledger. At any time, in rows,
 * in = out + sum of lost + queued. All calls may be made from any thread.
 */
#ifndef CORE_EDGE_H
#define CORE_EDGE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "batch.h"
#include "pipeline.h"

#define EDGE_ROWS  65536u
#define EDGE_BYTES (16u << 20)

/* Why rows did not get through. */
enum edge_loss {
	EDGE_NOT_LOST = 0,
	EDGE_FULL,        /* the queue's policy chose them */
	EDGE_FAILED,      /* the reader has failed */
	EDGE_DEADLINE,    /* not done when the pipeline had to end */
	EDGE_NO_MEMORY,   /* no memory to queue them */
	EDGE_READER_GONE, /* who read our stdout has closed it */
	EDGE_LOSSES,
};

struct edge_counts {
	uint64_t in;
	uint64_t out;    /* the reader has finished with them */
	uint64_t queued; /* waiting, or with the reader at this moment */
	uint64_t lost[EDGE_LOSSES];
};

struct edge {
	pthread_mutex_t lock;
	struct queue_limits limits;
	struct edge_counts counts;
	uint64_t bytes;      /* of what is queued */
	struct batch **ring; /* a power of two of places */
	uint32_t ring_size;
	uint32_t first;
	uint32_t waiting;      /* batches in the ring */
	struct batch *reading; /* popped, not done */
	enum edge_loss closed; /* other than EDGE_NOT_LOST: takes nothing any more */
	bool room_wanted;      /* somebody found no room and waits for it */
	pthread_cond_t moved;  /* the reader has finished with something, or the edge was closed */
	bool stuck;            /* edge_wait() has waited in vain */
};

/* Zeros in `limits` mean the defaults; the policy must be settled. */
void edge_init(struct edge *edge, const struct queue_limits *limits);
void edge_clear(struct edge *edge);

/*
 * False: the edge blocks and is full; edge_done() will then say when there is room. Such an edge
 * still takes what its writer has begun: it is the writer who has to ask first.
 */
bool edge_has_room(struct edge *edge);

/* Queues a committed batch with a reference of its own, or counts it as lost. */
void edge_push(struct edge *edge, struct batch *batch);

/*
 * Waits until the batch fits, for as long as the reader goes on taking something within each
 * `patience` nanoseconds. False: it does not; such an edge is not waited for again.
 */
bool edge_wait(struct edge *edge, const struct batch *batch, uint64_t patience, uint64_t deadline);

/* The oldest batch for the reader, who ends with it by edge_done(); NULL: none. */
struct batch *edge_pop(struct edge *edge);

/*
 * The reader has finished with what it popped, or lost it. True: somebody waits for the room
 * that there is now.
 */
bool edge_done(struct edge *edge, enum edge_loss loss);

/*
 * From now on everything is lost for that reason: what waits and what still comes; with `all`
 * also what the reader has. The first reason stays.
 */
void edge_close(struct edge *edge, enum edge_loss why, bool all);

bool edge_idle(struct edge *edge); /* nothing waits, nothing is with the reader */
void edge_count(struct edge *edge, struct edge_counts *counts);
const char *edge_loss_text(enum edge_loss loss);

#endif
