/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.sample as a recording: the kernel's records go on as they are, a run of them a row, so that
 * keeping them costs a copy. What they need in front is what perf writes into a pipe.
 */
#include "sample.h"

/* Of perf, not of the kernel. */
#define SAMPLE_FINISHED_ROUND 68

static const struct weir_field sample_part_fields[] = {
	WEIR_FIELD(struct sample_part, bytes, WEIR_NONE, WEIR_EVENT,
		   "whole records, as the kernel and perf write them"),
	WEIR_FIELD(struct sample_part, records, WEIR_COUNT, WEIR_DELTA, "how many they are"),
	WEIR_FIELD(struct sample_part, head, WEIR_NONE, WEIR_KEY,
		   "1: attributes and features, which a file has apart"),
};

const struct weir_schema sample_part_schema = { sizeof(struct weir_schema),
						WEIR_ROW_SIZE(struct sample_part), "recording",
						WEIR_TABLE(sample_part_fields) };

int sample_records_add(struct sample_records *records, uint32_t type, uint16_t misc,
		       const void *body, size_t bytes)
{
	struct weir_buffer *buffer = &records->buffer;
	size_t padded = (bytes + 7) & ~(size_t)7;
	struct perf_event_header header = { type, misc, (uint16_t)(sizeof(header) + padded) };

	if (sizeof(header) + padded > UINT16_MAX)
		return -ENOMEM;
	while (buffer->capacity - buffer->size < sizeof(header) + padded)
		if (weir_buffer_grow(buffer))
			return -ENOMEM;
	memcpy(buffer->bytes + buffer->size, &header, sizeof(header));
	buffer->size += sizeof(header);
	memcpy(buffer->bytes + buffer->size, body, bytes);
	memset(buffer->bytes + buffer->size + bytes, 0, padded - bytes);
	buffer->size += padded;
	records->count++;
	return 0;
}

static int record_send(struct weir_ctx *ctx, struct weir_batch *batch)
{
	struct sample_state *state = ctx->state;

	batch->start = state->window ? state->window : weir_now(ctx);
	batch->end = weir_now(ctx);
	state->window = batch->end;
	return weir_commit(ctx, batch);
}

int sample_records_send(struct weir_ctx *ctx, struct sample_records *records, bool head)
{
	struct weir_batch *batch = weir_loan(ctx, 0, 1, (uint32_t)records->buffer.size + 16);
	struct sample_part *part = batch ? weir_add_row(ctx, batch) : NULL;

	if (!part ||
	    weir_add_text(ctx, batch, records->buffer.bytes, records->buffer.size, &part->bytes)) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, -ENOMEM, "records");
	}
	part->records = records->count;
	part->head = head;
	records->buffer.size = records->count = 0;
	return record_send(ctx, batch);
}

int sample_record_begin(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;
	struct sample_records records = { { NULL, 0, 0 }, 0 };
	int err;

	if (state->filter_cgroup)
		return weir_fail_option(ctx, "cgroup", -EOPNOTSUPP,
					"the kernel cannot sample by this hierarchy, and a "
					"recording is not chosen from afterwards");
	err = sample_record_head(ctx, &records);
	if (!err)
		err = sample_records_send(ctx, &records, true);
	if (!err)
		err = sample_record_kernel(ctx, &records);
	if (!err)
		err = sample_record_processes(ctx, &records);
	if (!err && records.count)
		err = sample_records_send(ctx, &records, false);
	weir_buffer_release(&records.buffer);
	return err == -ENOMEM ? weir_fail(ctx, err, "records of processes") : err;
}

int sample_record_lost(struct weir_ctx *ctx, uint64_t lost)
{
	struct {
		uint64_t id;
		uint64_t lost;
		struct sample_trailer trailer;
	} body = { 0, lost, { 0, 0, weir_now(ctx), 0 } };
	struct sample_records records = { { NULL, 0, 0 }, 0 };
	int err = sample_records_add(&records, PERF_RECORD_LOST, 0, &body, sizeof(body));

	err = err ? weir_fail(ctx, err, "record of what was lost")
		  : sample_records_send(ctx, &records, false);
	weir_buffer_release(&records.buffer);
	return err;
}

/* Counts what was copied. How many bytes are whole records. */
static uint32_t record_look(struct weir_ctx *ctx, const uint8_t *bytes, uint32_t size,
			    struct sample_part *part)
{
	struct sample_state *state = ctx->state;
	uint32_t at = 0;

	while (size - at >= sizeof(struct perf_event_header)) {
		const struct perf_event_header *header = (const void *)(bytes + at);

		if (header->size < sizeof(*header) || header->size % 8 || header->size > size - at)
			break;
		if (header->type == PERF_RECORD_SAMPLE)
			state->counts.samples++;
		else
			sample_count_record(ctx, header);
		part->records++;
		at += header->size;
	}
	state->counts.broken += at < size;
	return at;
}

/* All that a ring holds becomes a row. 0 or -ENOMEM. */
static int record_ring(struct weir_ctx *ctx, struct weir_batch *batch, struct weir_perf_ring *ring)
{
	uint64_t there = ring->head - ring->tail, at = ring->tail & (ring->data_size - 1);
	uint64_t until_end = ring->data_size - at;
	struct sample_part part = { { 0, 0 }, 0, 0 }, *row;
	uint8_t *copy;

	if (!there)
		return 0;
	if (until_end > there)
		until_end = there;
	copy = weir_add_bytes(ctx, batch, (uint32_t)there + 1, &part.bytes.offset);
	row = copy ? weir_add_row(ctx, batch) : NULL;
	if (!row)
		return -ENOMEM;
	memcpy(copy, ring->data + at, (size_t)until_end);
	memcpy(copy + until_end, ring->data, (size_t)(there - until_end));
	part.bytes.length = record_look(ctx, copy, (uint32_t)there, &part);
	*row = part;
	ring->tail = ring->head;
	weir_perf_ring_end(ring);
	return 0;
}

/* What was read in one go is a round: a reader sorts within two of them. */
static int record_round(struct weir_ctx *ctx, struct weir_batch *batch)
{
	static const struct perf_event_header round = { SAMPLE_FINISHED_ROUND, 0, sizeof(round) };
	struct sample_part *row = weir_add_row(ctx, batch);

	if (!row || weir_add_text(ctx, batch, (const char *)&round, sizeof(round), &row->bytes))
		return -ENOMEM;
	row->records = 1;
	return 0;
}

int sample_record_read(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;
	struct weir_batch *batch;
	uint64_t there = 0;
	int err = 0;

	for (uint32_t i = 0; i < state->set.ring_count; i++) {
		weir_perf_ring_begin(&state->set.rings[i]);
		there += state->set.rings[i].head - state->set.rings[i].tail;
	}
	if (!there)
		return 0;
	batch = weir_loan(ctx, 0, state->set.ring_count + 1,
			  (uint32_t)there + 16 * (state->set.ring_count + 1));
	/* The rings keep what there is no room for now. */
	if (!batch)
		return 0;
	for (uint32_t i = 0; !err && i < state->set.ring_count; i++)
		err = record_ring(ctx, batch, &state->set.rings[i]);
	if (!err)
		err = record_round(ctx, batch);
	sample_say_lost(ctx);
	if (!err)
		return record_send(ctx, batch);
	weir_discard(ctx, batch);
	return weir_fail(ctx, err, "records");
}
