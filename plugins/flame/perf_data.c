/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of perf.data, in file and in pipe mode, of either byte order and any version. What is wrong
 * in it ends the reading there, or is counted; what was read before is a profile.
 */
#include "perf_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { DRAIN_AT_ONCE = 4096 };

static bool perf_data_recognise(const uint8_t *bytes, size_t count)
{
	uint64_t magic;

	if (count < PERF_DATA_MAGIC)
		return false;
	memcpy(&magic, bytes, sizeof(magic));
	return magic == PERF_DATA_FILE || magic == __builtin_bswap64(PERF_DATA_FILE) ||
	       magic == PERF_DATA_FILE_1 || magic == __builtin_bswap64(PERF_DATA_FILE_1);
}

static int perf_data_open(struct file *file)
{
	struct perf_data *data = calloc(1, sizeof(*data));

	file->reading = data;
	if (!data)
		return weir_fail(file->ctx, -ENOMEM, "reader of perf.data");
	data->file = file;
	data->ctx = file->ctx;
	if (perf_data_processes_init(&data->processes, file->ctx) || perf_data_stack_open(data))
		return weir_fail(file->ctx, -ENOMEM, "reader of perf.data");
	return 0;
}

static void perf_data_close(struct file *file)
{
	struct perf_data *data = file->reading;

	if (!data)
		return;
	perf_data_stack_close(data);
	perf_data_unwind_close(data);
	perf_data_chain_clear(data);
	perf_data_queue_clear(&data->queue);
	perf_data_zstd_close(data->zstd);
	perf_data_clear_events(data);
	perf_data_clear_features(data);
	perf_data_jit_clear(&data->jit);
	perf_data_processes_clear(&data->processes);
	free(data);
	file->reading = NULL;
}

int perf_data_drain(struct perf_data *data, uint32_t most)
{
	uint32_t done = 0;
	const uint8_t *record;
	int err = 0;

	/* On until the queue has said that it is empty. */
	while (!err && (done++ < most || !perf_data_queue_due(&data->queue)) &&
	       (record = perf_data_queue_next(&data->queue)))
		err = perf_data_apply(data, record);
	return err;
}

/* Up to where the records go, or the input. */
static int perf_data_skip_to_records(struct perf_data *data)
{
	struct file_input *in = &data->file->input;
	const uint8_t *bytes;
	size_t count;
	int err;

	while (in->at < data->at) {
		uint64_t left = data->at - in->at;

		err = file_input_peek(in, left < FILE_STEP ? (size_t)left : FILE_STEP, &bytes,
				      &count);
		if (err)
			return err;
		if (!count)
			return weir_fail(data->ctx, -EBADMSG, "%s ends before its records",
					 in->path);
		file_input_skip(in, left < count ? (size_t)left : count);
	}
	return 0;
}

static int perf_data_start(struct perf_data *data)
{
	int err = perf_data_begin(data);

	if (!err)
		err = perf_data_skip_to_records(data);
	if (err)
		return err == -ENOMEM
			       ? weir_fail(data->ctx, err, "header of %s", data->file->input.path)
			       : err;
	data->phase = PERF_DATA_RECORDS;
	return 1;
}

/* What a tail has: no records. */
static size_t perf_data_skip_tail(struct perf_data *data, size_t count)
{
	size_t skipped = data->skip < count ? (size_t)data->skip : count;

	data->skip -= skipped;
	return skipped;
}

/* Nothing more can be read: says where and why, if it should have gone on. */
static void perf_data_ended(struct perf_data *data, bool impossible, size_t left)
{
	const struct file_input *in = &data->file->input;
	char rest[64] = "";

	data->phase = PERF_DATA_DRAIN;
	perf_data_queue_end(&data->queue);
	if (data->end != UINT64_MAX && data->end > in->at)
		snprintf(rest, sizeof(rest), ", %" PRIu64 " bytes before the end of its records",
			 data->end - in->at);
	if (impossible)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: what is at byte %" PRIu64 " is no record: it is read up to there%s",
			 in->path, in->at, rest);
	else if (left || data->skip || rest[0])
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s is cut off: it ends at byte %" PRIu64 "%s%s", in->path, in->at + left,
			 left ? ", within a record" : "", rest);
	else if (perf_data_zstd_left(data->zstd))
		weir_log(data->ctx, WEIR_LOG_WARNING, "%s: its last packed record is not whole",
			 in->path);
}

/* How much of the records is to be shown. */
static size_t perf_data_want(const struct perf_data *data)
{
	uint64_t left = data->end - data->file->input.at;

	return left < FILE_STEP ? (size_t)left : FILE_STEP;
}

static int perf_data_read(struct perf_data *data)
{
	struct file_input *in = &data->file->input;
	size_t want = perf_data_want(data), count = 0, used, taken = 0;
	const uint8_t *bytes = (const uint8_t *)"";
	int err = 0;

	if (want)
		err = file_input_peek(in, want, &bytes, &count);
	if (err)
		return err;
	if (count > want)
		count = want;
	used = perf_data_skip_tail(data, count);
	if (!data->skip)
		err = perf_data_take(data, bytes + used, count - used, &taken);
	used += taken;
	if (err < 0)
		return err == -ENOMEM ? weir_fail(data->ctx, err, "records of %s", in->path) : err;
	file_input_skip(in, used);
	if (err || (!used && !perf_data_queue_due(&data->queue)))
		perf_data_ended(data, err > 0, count - used);
	return 1;
}

static void perf_data_report(struct perf_data *data)
{
	const struct perf_data_counts *counts = &data->counts;

	weir_lost(data->ctx, "lost while it was recorded: ring full", counts->lost,
		  "record with larger rings (perf record -m)");
	weir_lost(data->ctx, "lost while it was recorded: dropped by the kernel",
		  counts->lost_samples, "record at a lower frequency");
	weir_lost(data->ctx, "records that cannot be read", counts->broken, NULL);
	weir_lost(data->ctx, "mappings beyond what a process can have", data->processes.refused,
		  NULL);
	if (counts->late)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: %" PRIu64 " records come so late that they are read out of order",
			 data->file->input.path, counts->late);
	if (counts->deferred)
		weir_log(data->ctx, WEIR_LOG_WARNING,
			 "%s: the user part of %" PRIu64
			 " stacks was recorded apart, and is missing",
			 data->file->input.path, counts->deferred);
	perf_data_unwind_report(data);
	perf_data_stack_report(data);
}

static int perf_data_step(struct file *file)
{
	struct perf_data *data = file->reading;
	int err;

	if (data->phase == PERF_DATA_BEGIN)
		return perf_data_start(data);
	if (data->phase == PERF_DATA_RECORDS && !perf_data_queue_due(&data->queue))
		return perf_data_read(data);
	err = perf_data_drain(data, DRAIN_AT_ONCE);
	if (err || data->phase == PERF_DATA_RECORDS || perf_data_queue_due(&data->queue))
		return err ? err : 1;
	err = perf_data_chain_end(data);
	if (err)
		return err;
	perf_data_report(data);
	data->phase = PERF_DATA_DONE;
	return 0;
}

const struct file_reader file_perf_data = {
	.name = "perf.data",
	.recognise = perf_data_recognise,
	.open = perf_data_open,
	.step = perf_data_step,
	.close = perf_data_close,
};
