/* SPDX-License-Identifier: BSD-2-Clause */
/* Samples of a profile become rows, in batches; see file_profile.h. */
#include "file_profile.h"

#include <stdlib.h>

enum {
	ROWS_BATCH = 1024,
	ROWS_ARENA = 256 << 10,  /* bytes of a batch's frames, which it may pass by a step's */
	ROWS_STACKS = 256 << 10, /* merged stacks, and */
	ROWS_POOL = 16 << 20,    /* frames of them, from which on they are sent */
	ROWS_NAMES = 64 << 20,   /* bytes of names, and */
	ROWS_FRAMES = 4 << 20,   /* different frames, after which new tables are begun */
};

static const struct weir_field file_fields[] = {
	WEIR_FIELD_TIME(struct file_row, time, WEIR_EVENT,
			"when it was taken, by the profile's clock; of merged samples: the last"),
	WEIR_FIELD_WITH(struct file_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process"),
	WEIR_FIELD_WITH(struct file_row, tid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "thread"),
	WEIR_FIELD_WITH(struct file_row, cpu, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "CPU it ran on"),
	WEIR_FIELD(struct file_row, comm, WEIR_NONE, WEIR_KEY, "name of the thread"),
	WEIR_FIELD_WITH(struct file_row, event, WEIR_NONE, WEIR_KEY, WEIR_QUIET,
			"what was sampled by"),
	WEIR_FIELD(struct file_row, count, WEIR_SAMPLES, WEIR_DELTA, "samples"),
	WEIR_FIELD(struct file_row, weight, WEIR_COUNT, WEIR_DELTA,
		   "events, or ns of a clock, that they stand for"),
	WEIR_FIELD(struct file_row, stack, WEIR_NONE, WEIR_KEY, "code that ran"),
};

const struct weir_schema file_schema = { sizeof(struct weir_schema), WEIR_ROW_SIZE(struct file_row),
					 "samples", WEIR_TABLE(file_fields) };

/* Takes from the row before what the sample shares with it. How many frames of it that is. */
static uint32_t rows_copy(const struct file_profile *profile, const struct file_sample *sample,
			  struct weir_frame *frames)
{
	const struct weir_batch *batch = profile->batch;
	const struct file_row *before;
	const struct weir_frame *from;

	if (!profile->last_is_row || !sample->shared || batch->row_count < 2)
		return 0;
	before = weir_row(batch, batch->row_count - 2);
	from = weir_arena(batch, before->stack.offset);
	memcpy(frames + sample->frame_count - sample->shared,
	       from + before->stack.count - sample->shared, sample->shared * sizeof(*frames));
	return sample->shared;
}

static void rows_fill(const struct file_profile *profile, const struct file_sample *sample,
		      struct weir_frame *frames)
{
	uint32_t own = sample->frame_count - rows_copy(profile, sample, frames);

	for (uint32_t i = 0; i < own; i++)
		frames[i] = *file_frames_at(&profile->frames, sample->frames[i]);
}

int file_add_row(struct file_profile *profile, const struct file_sample *sample)
{
	struct weir_frame *frames = NULL;
	struct file_row *row;
	uint32_t offset = 0;

	if (sample->frame_count > UINT32_MAX / 2 / sizeof(*frames))
		return -ENOMEM;
	row = weir_add_row(profile->ctx, profile->batch);
	if (row && sample->frame_count)
		frames = weir_add_room(profile->ctx, profile->batch,
				       sample->frame_count * (uint32_t)sizeof(*frames), &offset);
	if (!row || (sample->frame_count && !frames))
		return -ENOMEM;
	if (sample->frame_count)
		rows_fill(profile, sample, frames);
	*row = (struct file_row){ .time = sample->time,
				  .pid = sample->pid,
				  .tid = sample->tid,
				  .cpu = sample->cpu,
				  .event = { sample->event },
				  .comm = { sample->comm },
				  .count = sample->count,
				  .weight = sample->weight,
				  .stack = { offset, sample->frame_count } };
	profile->last_is_row = true;
	return 0;
}

/* A batch to fill, if there is none yet; most are as large as the one before. False: no room. */
static bool rows_begin(struct file_profile *profile)
{
	uint32_t bytes = profile->arena_used + profile->arena_used / 8;

	if (!profile->batch)
		profile->batch = weir_loan(profile->ctx, 0, ROWS_BATCH,
					   bytes < ROWS_ARENA / 8 ? ROWS_ARENA / 8 : bytes);
	return profile->batch != NULL;
}

static int rows_commit(struct file_profile *profile)
{
	struct weir_batch *batch = profile->batch;

	profile->batch = NULL;
	profile->arena_used = batch->arena_used < ROWS_ARENA * 2 ? batch->arena_used : ROWS_ARENA;
	batch->names = profile->names;
	/* A profile that tells no time is one window of no length. */
	if (!profile->sent)
		profile->sent = profile->first ? profile->first : weir_now(profile->ctx);
	batch->start = profile->sent;
	batch->end = profile->last > profile->sent ? profile->last : profile->sent;
	if (profile->by & FILE_BY_TIME)
		profile->sent = batch->end;
	return weir_commit(profile->ctx, batch);
}

static bool rows_full(const struct file_profile *profile)
{
	return profile->batch && (profile->batch->row_count >= ROWS_BATCH ||
				  profile->batch->arena_used >= ROWS_ARENA);
}

bool file_profile_ready(struct file_profile *profile)
{
	return !(profile->by & FILE_BY_TIME) || rows_begin(profile);
}

/* Everything was sent: new tables, if these have grown large. */
static int rows_renew(struct file_profile *profile)
{
	const struct weir_host *host = profile->ctx->host;

	if (profile->held)
		return 0;
	if (host->names_bytes(profile->names) <= ROWS_NAMES && profile->frames.count <= ROWS_FRAMES)
		return 0;
	host->names_release(profile->names);
	profile->names = host->names_new(profile->ctx);
	file_frames_clear(&profile->frames);
	profile->epoch++;
	profile->event = 0;
	profile->other = 0;
	return profile->names ? 0 : weir_fail(profile->ctx, -ENOMEM, "names");
}

/* The merged samples of a place in the order. */
static const struct fold_stack *rows_merged(const struct file_profile *profile, uint32_t at)
{
	return &profile->set.stacks[profile->order ? profile->order[at] : at];
}

static int rows_add_merged(struct file_profile *profile)
{
	const struct fold_stack *stack = rows_merged(profile, profile->next);
	struct file_sample sample = { .time = profile->last,
				      .weight = stack->weight,
				      .count = stack->samples,
				      .pid = stack->key.pid,
				      .tid = stack->key.tid,
				      .cpu = stack->key.cpu,
				      .comm = stack->key.comm,
				      .event = profile->event,
				      .frame_count = stack->frame_count };

	if (stack->frame_count)
		sample.frames = profile->set.pool + stack->frames;
	if (profile->next)
		sample.shared =
			fold_common(&profile->set, stack, rows_merged(profile, profile->next - 1));
	profile->next++;
	return file_add_row(profile, &sample);
}

/* Sends the merged samples, as far as there is room. */
static int rows_send_merged(struct file_profile *profile)
{
	int err = 0;

	while (!err && profile->next < profile->set.count) {
		if (!rows_begin(profile))
			return -EAGAIN;
		while (!err && profile->next < profile->set.count && !rows_full(profile))
			err = rows_add_merged(profile);
		err = err ? weir_fail(profile->ctx, err, "rows of %u stacks", profile->set.count)
			  : rows_commit(profile);
	}
	if (err)
		return err;
	fold_set_reset(&profile->set);
	free(profile->order);
	profile->order = NULL;
	profile->next = 0;
	profile->sending = false;
	return rows_renew(profile);
}

bool file_profile_due(const struct file_profile *profile)
{
	return profile->set.count >= ROWS_STACKS || profile->set.pool_used >= ROWS_POOL;
}

/* Without memory for it they are sent as they came. */
void file_profile_order(struct file_profile *profile)
{
	if (!profile->order)
		profile->order = fold_order(&profile->set);
}

int file_profile_send(struct file_profile *profile, bool end)
{
	int err;

	if (!(profile->by & FILE_BY_TIME)) {
		profile->sending |= end || file_profile_due(profile);
		if (!profile->sending)
			return 0;
		file_profile_order(profile);
		return rows_send_merged(profile);
	}
	if (!rows_full(profile) && !(end && profile->batch && profile->batch->row_count))
		return 0;
	err = rows_commit(profile);
	return err ? err : rows_renew(profile);
}
