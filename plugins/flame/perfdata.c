/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sink flame.perfdata: a recording as a file that perf reads, too. Records go into it as they come;
 * the header, which tells how many there were, is written over at the end. Where that cannot be
 * done, as into a pipe, it becomes the stream that perf itself writes there.
 */
#include <stdlib.h>

#include "perf_data_format.h"

struct perfdata_feature {
	uint8_t *bytes;
	size_t size;
};

struct perfdata_state {
	const struct weir_field *bytes;
	const struct weir_field *head;
	struct weir_writer *writer;
	bool stream;   /* it cannot be written over */
	bool begun;    /* records have been written */
	uint64_t size; /* of the records */
	uint8_t *attrs;
	size_t attrs_size;
	uint64_t attr_size; /* of one of them, with the section of its ids */
	struct perfdata_feature features[PERF_DATA_FEATURES];
};

/* The file's header, in this machine's byte order. */
struct perfdata_header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	uint64_t attrs_at;
	uint64_t attrs_size;
	uint64_t data_at;
	uint64_t data_size;
	uint64_t event_types[2]; /* of old; none */
	uint64_t features[PERF_DATA_FEATURES / 64];
};

_Static_assert(sizeof(struct perfdata_header) == PERF_DATA_HEADER, "header of perf.data");

static const struct weir_want perfdata_wants[] = {
	{ "bytes", WEIR_TYPE_TEXT, 0, NULL, 0, 0 },
	{ "head", WEIR_TYPE_UINT, 0, NULL, 0, 0 },
};

static const struct weir_slot perfdata_inputs[] = {
	{ "recording", "whole records, what describes them in front", WEIR_TABLE(perfdata_wants), 0,
	  0 },
};

static const struct weir_format perfdata_formats[] = {
	{ "perfdata", ".data" },
};

static int perfdata_bind(struct weir_ctx *ctx)
{
	const struct weir_schema *schema = weir_input(ctx, 0)->schema;
	struct perfdata_state *state = ctx->state;

	state->bytes = weir_find(schema, "bytes");
	state->head = weir_find(schema, "head");
	if (state->head->bytes != sizeof(uint32_t))
		return weir_fail(ctx, -EINVAL, "column head has %u bytes", state->head->bytes);
	return 0;
}

static int perfdata_write(struct weir_ctx *ctx, const void *bytes, size_t size)
{
	struct perfdata_state *state = ctx->state;

	return size ? ctx->host->writer_write(state->writer, bytes, size) : 0;
}

static int perfdata_start(struct weir_ctx *ctx)
{
	static const uint64_t stream[2] = { PERF_DATA_FILE, PERF_DATA_PIPE };
	static const struct perfdata_header unfinished;
	struct perfdata_state *state = ctx->state;

	state->writer = ctx->host->writer_open(ctx, "", 0);
	if (!state->writer)
		return -EIO;
	state->stream = ctx->host->writer_patch(state->writer, 0, NULL, 0) != 0;
	return state->stream ? perfdata_write(ctx, stream, sizeof(stream))
			     : perfdata_write(ctx, &unfinished, sizeof(unfinished));
}

/* Appends to memory. 0 or -ENOMEM. */
static int perfdata_append(uint8_t **to, size_t *size, const void *bytes, size_t count)
{
	uint8_t *grown = realloc(*to, *size + count);

	if (!grown)
		return -ENOMEM;
	memcpy(grown + *size, bytes, count);
	*to = grown;
	*size += count;
	return 0;
}

/* An attribute; its ids are few, and follow it in the record. In a file they have a section. */
static int perfdata_attr(struct perfdata_state *state, const uint8_t *body, size_t size)
{
	uint64_t ids[2] = { 0, 0 };
	uint32_t own;
	int err;

	memcpy(&own, body + 4, sizeof(own));
	if (own > size || (state->attr_size && state->attr_size != own + sizeof(ids)))
		return -EINVAL;
	state->attr_size = own + sizeof(ids);
	err = perfdata_append(&state->attrs, &state->attrs_size, body, own);
	return err ? err : perfdata_append(&state->attrs, &state->attrs_size, ids, sizeof(ids));
}

static int perfdata_feature(struct perfdata_state *state, const uint8_t *body, size_t size)
{
	uint64_t number;

	memcpy(&number, body, sizeof(number));
	if (number >= PERF_DATA_FEATURES || state->features[number].bytes)
		return -EINVAL;
	return perfdata_append(&state->features[number].bytes, &state->features[number].size,
			       body + sizeof(number), size - sizeof(number));
}

/* What describes the records: kept for where a file has it. */
static int perfdata_keep(struct weir_ctx *ctx, const uint8_t *bytes, size_t size)
{
	struct perfdata_state *state = ctx->state;
	int err = state->begun ? -EINVAL : 0;

	while (!err && size) {
		struct perf_event_header record;

		if (size < sizeof(record) + 8)
			return -EINVAL;
		memcpy(&record, bytes, sizeof(record));
		if (record.size < sizeof(record) + 8 || record.size > size)
			return -EINVAL;
		if (record.type == PERF_DATA_ATTR)
			err = perfdata_attr(state, bytes + sizeof(record),
					    record.size - sizeof(record));
		else if (record.type == PERF_DATA_FEATURE)
			err = perfdata_feature(state, bytes + sizeof(record),
					       record.size - sizeof(record));
		bytes += record.size;
		size -= record.size;
	}
	return err;
}

static int perfdata_write_header(struct weir_ctx *ctx, struct perfdata_header *header)
{
	const struct perfdata_state *state = ctx->state;

	header->magic = PERF_DATA_FILE;
	header->size = header->attrs_at = sizeof(*header);
	header->attr_size = state->attr_size;
	header->attrs_size = state->attrs_size;
	header->data_at = sizeof(*header) + state->attrs_size;
	return ctx->host->writer_patch(state->writer, 0, header, sizeof(*header));
}

/*
 * The first record of a file: the attributes stand before it. Who is killed from now on leaves a
 * recording whose header says that it was not finished.
 */
static int perfdata_begin(struct weir_ctx *ctx)
{
	struct perfdata_state *state = ctx->state;
	struct perfdata_header header = { .data_size = 0 };
	int err;

	state->begun = true;
	if (state->stream)
		return 0;
	err = perfdata_write(ctx, state->attrs, state->attrs_size);
	return err ? err : perfdata_write_header(ctx, &header);
}

static int perfdata_row(struct weir_ctx *ctx, const struct weir_batch *batch, const void *row)
{
	struct perfdata_state *state = ctx->state;
	struct weir_text text;
	const uint8_t *bytes;
	uint32_t head;
	int err = 0;

	memcpy(&text, (const uint8_t *)row + state->bytes->offset, sizeof(text));
	memcpy(&head, (const uint8_t *)row + state->head->offset, sizeof(head));
	if (!text.length)
		return 0;
	bytes = weir_arena(batch, text.offset);
	if (head && !state->stream) {
		err = perfdata_keep(ctx, bytes, text.length);
		return err ? weir_fail(ctx, err, "attributes and features of a recording") : 0;
	}
	if (!head && !state->begun)
		err = perfdata_begin(ctx);
	if (!err)
		err = perfdata_write(ctx, bytes, text.length);
	state->size += text.length;
	return err;
}

static int perfdata_push(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	int err = 0;

	(void)input;
	for (uint32_t i = 0; !err && i < batch->row_count; i++)
		err = perfdata_row(ctx, batch, weir_row(batch, i));
	return err;
}

/* The table of features, then they. */
static int perfdata_write_features(struct weir_ctx *ctx, struct perfdata_header *header)
{
	struct perfdata_state *state = ctx->state;
	uint64_t at = sizeof(*header) + state->attrs_size + state->size;
	int err = 0;

	for (uint32_t i = 0; i < PERF_DATA_FEATURES; i++)
		at += state->features[i].bytes ? 16 : 0;
	for (uint32_t i = 0; !err && i < PERF_DATA_FEATURES; i++) {
		uint64_t section[2] = { at, state->features[i].size };

		if (!state->features[i].bytes)
			continue;
		header->features[i / 64] |= UINT64_C(1) << i % 64;
		err = perfdata_write(ctx, section, sizeof(section));
		at += section[1];
	}
	for (uint32_t i = 0; !err && i < PERF_DATA_FEATURES; i++)
		err = perfdata_write(ctx, state->features[i].bytes, state->features[i].size);
	return err;
}

static int perfdata_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct perfdata_state *state = ctx->state;
	struct perfdata_header header = { .data_size = state->size };
	int err = state->begun ? 0 : perfdata_begin(ctx);

	(void)deadline;
	if (err || state->stream)
		return err;
	err = perfdata_write_features(ctx, &header);
	return err ? err : perfdata_write_header(ctx, &header);
}

static void perfdata_stop(struct weir_ctx *ctx)
{
	struct perfdata_state *state = ctx->state;

	ctx->host->writer_close(state->writer, 1);
	state->writer = NULL;
}

static void perfdata_destroy(struct weir_ctx *ctx)
{
	struct perfdata_state *state = ctx->state;

	free(state->attrs);
	for (uint32_t i = 0; i < PERF_DATA_FEATURES; i++)
		free(state->features[i].bytes);
}

WEIR_COMPONENT("flame.perfdata", WEIR_SINK,
	       .summary = "keeps a recording for perf, and for weir convert", .flags = WEIR_BLOCKS,
	       .state_size = sizeof(struct perfdata_state), .inputs = WEIR_TABLE(perfdata_inputs),
	       .formats = WEIR_TABLE(perfdata_formats), .bind = perfdata_bind,
	       .start = perfdata_start, .push = perfdata_push, .drain = perfdata_drain,
	       .stop = perfdata_stop, .destroy = perfdata_destroy);
