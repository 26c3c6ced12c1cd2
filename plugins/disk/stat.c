/* SPDX-License-Identifier: BSD-2-Clause */
/* Source disk.stat: what each disk did in a window, from /proc/diskstats: iostat's columns. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <weir/reading.h>

#include "stat_row.h"

struct stat_conf {
	uint64_t interval;
	struct weir_texts disk;
	bool partitions;
	bool idle;
	bool idle_devices;
};

static const struct weir_option stat_options[] = {
	WEIR_OPT_DURATION(struct stat_conf, interval, "1s", 10000000, 24 * WEIR_HOUR,
			  "length of a window"),
	WEIR_OPT_TEXTS(struct stat_conf, disk, "", "only these disks or partitions, by name"),
	WEIR_OPT_BOOL(struct stat_conf, partitions, "no", "partitions, too"),
	WEIR_OPT_BOOL(struct stat_conf, idle, "no", "also those that did nothing in the window"),
	WEIR_OPT_BOOL(struct stat_conf, idle_devices, "no",
		      "of these, what is a device: no loop, zram, dm, md and the like"),
};

static const struct weir_output stat_outputs[] = {
	{ "disks", "one row per disk", &disk_row_schema, 0, 0 },
};

struct stat_state {
	struct weir_buffer buffer;
	struct disk_sample samples[2]; /* in turn the last one and the new one */
	uint32_t last;
};

static bool stat_wanted(const struct stat_conf *conf, const struct disk_entry *disk)
{
	for (uint32_t i = 0; i < conf->disk.count; i++)
		if (strcmp(conf->disk.items[i], disk->name) == 0)
			return true;
	return conf->disk.count == 0 && (conf->partitions || !disk->partition);
}

/* A row without numbers for a disk that is no more what it was. */
static int stat_add_gone(struct weir_ctx *ctx, struct weir_batch *batch,
			 const struct disk_entry *disk)
{
	struct disk_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	disk_row_name(row, disk);
	disk_row_empty(row, "gone");
	batch->flags |= WEIR_BATCH_GAP;
	return 0;
}

/* Behind which there is a device, and not a file, memory or other disks. */
static bool stat_is_device(struct weir_ctx *ctx, const struct disk_entry *disk)
{
	char folder[DISK_NAME], path[DISK_NAME + 32];

	disk_folder_name(disk->name, folder);
	snprintf(path, sizeof(path), "sys/block/%s/device", folder);
	return faccessat(ctx->root, path, F_OK, 0) == 0;
}

static bool stat_hides(struct weir_ctx *ctx, const struct disk_entry *disk,
		       const struct disk_row *row)
{
	const struct stat_conf *conf = ctx->options;

	if (conf->disk.count || conf->idle || !disk_row_is_idle(row))
		return false;
	return !conf->idle_devices || !stat_is_device(ctx, disk);
}

/* The row of a disk that is there, from zero where it is new; kept if it did anything. */
static int stat_add_disk(struct weir_ctx *ctx, struct weir_batch *batch,
			 const struct disk_entry *old, const struct disk_entry *new)
{
	static const struct disk_entry zero;
	struct disk_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	disk_row_name(row, new);
	disk_row_fill(row, old ? old : &zero, new, batch->end - batch->start);
	if (!old)
		disk_row_note(row, "new");
	if (!old || (row->note[0] && row->util != row->util))
		batch->flags |= WEIR_BATCH_GAP;
	else if (stat_hides(ctx, new, row))
		batch->row_count--;
	return 0;
}

static int stat_add_change(struct weir_ctx *ctx, struct weir_batch *batch,
			   const struct disk_entry *old, const struct disk_entry *new)
{
	enum disk_change change = old ? disk_compare(old, new) : DISK_SAME;
	struct disk_row *row;
	int err;

	if (change == DISK_REPLACED) {
		err = stat_add_gone(ctx, batch, old);
		return err ? err : stat_add_disk(ctx, batch, NULL, new);
	}
	err = stat_add_disk(ctx, batch, old, new);
	if (err || change == DISK_SAME || batch->row_count == 0)
		return err;
	row = (struct disk_row *)batch->rows + batch->row_count - 1;
	if (strcmp(row->disk, new->name) == 0)
		disk_row_note(row, "new medium");
	batch->flags |= WEIR_BATCH_GAP;
	return 0;
}

static int stat_add_disks(struct weir_ctx *ctx, struct weir_batch *batch,
			  const struct disk_sample *old, const struct disk_sample *new)
{
	const struct stat_conf *conf = ctx->options;
	int err = 0;

	for (uint32_t i = 0; !err && i < new->count; i++)
		if (stat_wanted(conf, &new->disks[i]))
			err = stat_add_change(ctx, batch, disk_find(old, new->disks[i].name, i),
					      &new->disks[i]);
	for (uint32_t i = 0; !err && i < old->count; i++)
		if (stat_wanted(conf, &old->disks[i]) && !disk_find(new, old->disks[i].name, i))
			err = stat_add_gone(ctx, batch, &old->disks[i]);
	return err;
}

/* The clock is read first: where a recorded tree's stands still, there is nothing to say yet. */
static int stat_tick(struct weir_ctx *ctx, uint64_t now __attribute__((unused)))
{
	struct stat_state *st = ctx->state;
	struct disk_sample *old = &st->samples[st->last], *new = &st->samples[!st->last];
	struct weir_batch *batch;
	int err = weir_sample_time(ctx, &new->time);

	if (err || weir_sample_elapsed(&old->time, &new->time) == 0)
		return err;
	err = disk_read(ctx, &st->buffer, new);
	if (err)
		return err;
	st->last = !st->last;
	batch = weir_loan_window(ctx, 0, new->count + 1, 0, 0);
	if (!batch)
		return 0;
	weir_sample_window(batch, &old->time, &new->time);
	return weir_commit_filled(ctx, batch, stat_add_disks(ctx, batch, old, new));
}

static int stat_start(struct weir_ctx *ctx)
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	struct disk_sample *first = &st->samples[st->last];
	int err = weir_sample_time(ctx, &first->time);

	if (!err)
		err = disk_read(ctx, &st->buffer, first);
	return err ? err : weir_every(ctx, conf->interval);
}

static int stat_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;

	if (!weir_sample_is_due(ctx, &st->samples[st->last].time, conf->interval))
		return 0;
	return stat_tick(ctx, 0);
}

static void stat_destroy(struct weir_ctx *ctx)
{
	struct stat_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
	free(st->samples[0].disks);
	free(st->samples[1].disks);
}

WEIR_COMPONENT(
	"disk.stat", WEIR_SOURCE, .summary = "requests, bytes, waits and queue of each disk",
	.doc = "From /proc/diskstats. A disk is known by name, numbers and diskseq: one that took "
	       "the name of another within the window is counted from zero, and the other one is "
	       "told as gone. Waits include the time in the queue; one that nothing had is absent. "
	       "Utilization says how long there was anything to do: a device that works in "
	       "parallel "
	       "is not saturated at 100 %. It is cut there; util_raw has the kernel's number.",
	.options_size = sizeof(struct stat_conf), .state_size = sizeof(struct stat_state),
	.options = WEIR_TABLE(stat_options), .outputs = WEIR_TABLE(stat_outputs),
	.start = stat_start, .tick = stat_tick, .drain = stat_drain, .destroy = stat_destroy);
