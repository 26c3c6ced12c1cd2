/* SPDX-License-Identifier: BSD-2-Clause */
/* The histograms of disk.fs: emptied out of the kernel when a window ends. See fs.h. */
#include <stdio.h>

#include <weir/bpf/loader.h>
#include <weir/histogram.h>

#include "fs.h"

struct fs_latency_row {
	uint32_t pid;
	char comm[WEIR_COMM_LENGTH];
	char fs[FS_NAME_LENGTH];
	char disk[FS_DISK_LENGTH];
	char op[8];
	uint64_t count;
	uint64_t bytes;
	uint64_t errors;
	struct weir_histogram_ref latency;
};

/* Which values of `by` a column is there for. */
static const struct {
	struct weir_field field;
	uint32_t by;
} fs_latency_columns[FS_LATENCY_FIELDS] = {
	{ WEIR_FIELD_WITH(struct fs_latency_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			  "process"),
	  FS_BY_PID },
	{ WEIR_FIELD(struct fs_latency_row, comm, WEIR_NONE, WEIR_KEY, "name of the process"),
	  FS_BY_PID },
	{ WEIR_FIELD(struct fs_latency_row, fs, WEIR_NONE, WEIR_KEY, "file system's type"),
	  FS_BY_FS },
	{ WEIR_FIELD_WITH(struct fs_latency_row, disk, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			  "whole disk that the file system lies on, if there is one"),
	  FS_BY_DISK },
	{ WEIR_FIELD(struct fs_latency_row, op, WEIR_NONE, WEIR_KEY, "read, write, open or fsync"),
	  FS_BY_OP },
	{ WEIR_FIELD(struct fs_latency_row, count, WEIR_COUNT, WEIR_DELTA, "calls that came back"),
	  ~0u },
	{ WEIR_FIELD(struct fs_latency_row, bytes, WEIR_BYTES, WEIR_DELTA, "read or written"),
	  ~0u },
	{ WEIR_FIELD(struct fs_latency_row, errors, WEIR_COUNT, WEIR_DELTA,
		     "calls that failed on a file; they are in the histogram"),
	  ~0u },
	{ WEIR_FIELD(struct fs_latency_row, latency, WEIR_NS, WEIR_DELTA,
		     "how long the calls took"),
	  ~0u },
};

uint32_t fs_latency_fields(uint32_t by, struct weir_field *fields)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < FS_LATENCY_FIELDS; i++)
		if (by & fs_latency_columns[i].by || fs_latency_columns[i].by == ~0u)
			fields[n++] = fs_latency_columns[i].field;
	return n;
}

uint32_t fs_latency_row_size(void)
{
	return WEIR_ROW_SIZE(struct fs_latency_row);
}

/* Slot 0 took what found no slot of its own. */
static void fs_latency_keys(const struct fs_slot *slot, uint32_t i, uint32_t by,
			    struct fs_window *keys)
{
	static const char other[] = "(other)";

	if (by & FS_BY_PID) {
		keys->pid = i ? slot->key.pid : WEIR_ABSENT_U32;
		snprintf(keys->comm, sizeof(keys->comm), "%.*s", WEIR_COMM_LENGTH - 1,
			 i ? slot->comm : other);
	}
	if (by & FS_BY_FS)
		snprintf(keys->fs, sizeof(keys->fs), "%.*s", FS_NAME_LENGTH - 1,
			 i ? slot->fs : other);
	if (by & FS_BY_DISK)
		snprintf(keys->disk, sizeof(keys->disk), "%.*s", FS_DISK_LENGTH - 1,
			 i ? slot->disk : other);
	if (by & FS_BY_OP)
		keys->op = i ? slot->key.op : FS_OPS;
}

static int fs_same(const struct fs_window *a, const struct fs_window *b)
{
	return a->op == b->op && a->pid == b->pid && strcmp(a->fs, b->fs) == 0 &&
	       strcmp(a->disk, b->disk) == 0;
}

/* The row that these keys belong to; NULL: no memory. */
static struct fs_window *fs_window(struct fs_latency *latency, const struct fs_window *keys)
{
	struct fs_window *windows;

	for (uint32_t i = 0; i < latency->window_count; i++)
		if (fs_same(&latency->windows[i], keys))
			return &latency->windows[i];
	windows = realloc(latency->windows, (latency->window_count + 1) * sizeof(*windows));
	if (!windows)
		return NULL;
	latency->windows = windows;
	windows += latency->window_count++;
	*windows = *keys;
	return windows;
}

/* Empties one slot of the kernel into the row that it belongs to. */
static int fs_latency_take(struct fs_latency *latency, uint32_t i)
{
	struct fs_slot *slot = weir_slot(&latency->slots, i);
	struct weir_histogram_cells cells;
	struct fs_window keys = { 0 }, *window;
	uint64_t count = weir_histogram_take(&slot->latency, &cells);

	if (count) {
		fs_latency_keys(slot, i, latency->by, &keys);
		window = fs_window(latency, &keys);
		if (!window)
			return -ENOMEM;
		window->count += count;
		window->bytes += weir_cell_take(&slot->bytes);
		window->errors += weir_cell_take(&slot->errors);
		weir_histogram_cells_merge(&window->latency, &cells);
	}
	if (i && weir_slots_judge(&latency->slots, i, count > 0) == WEIR_SLOT_SILENT) {
		/* Its next call finds another slot. */
		if (slot->known)
			skel_map_delete_elem(latency->index_fd, &slot->key);
		slot->known = 0;
	}
	return 0;
}

static int fs_latency_collect(struct weir_ctx *ctx, struct fs_latency *latency)
{
	uint32_t used = weir_slots_used(&latency->slots);
	int err = weir_slots_map(&latency->slots, latency->slots_fd, used);

	for (uint32_t i = 0; i < latency->slots.mapped && !err; i++)
		err = fs_latency_take(latency, i);
	if (err)
		return weir_fail(ctx, err, "collect %u histograms", used);
	if (weir_cell_take(&latency->slots.pool->full))
		weir_log(ctx, WEIR_LOG_WARNING,
			 "more than %u histograms: the rest is in the row \"(other)\"",
			 latency->slots.count - 1);
	return 0;
}

static int fs_latency_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
			      const struct fs_window *window)
{
	struct fs_latency_row *row;
	struct weir_histogram_ref latency;

	if (weir_add_histogram_cells(ctx, batch, &window->latency, FS_FIRST, &latency))
		return -ENOMEM;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	row->pid = window->pid;
	memcpy(row->comm, window->comm, sizeof(row->comm));
	memcpy(row->fs, window->fs, sizeof(row->fs));
	memcpy(row->disk, window->disk, sizeof(row->disk));
	snprintf(row->op, sizeof(row->op), "%s", fs_op_name(window->op));
	row->count = window->count;
	row->bytes = window->bytes;
	row->errors = window->errors;
	row->latency = latency;
	return 0;
}

/* A window without calls is sent too: it says that there were none. */
int fs_latency_emit(struct weir_ctx *ctx, struct fs_latency *latency, uint32_t output,
		    uint64_t start, uint64_t end)
{
	struct weir_batch *batch;
	int err = fs_latency_collect(ctx, latency);

	if (err)
		return err;
	/* What a full queue does not take now stays in the windows, for the next tick. */
	batch = weir_loan(ctx, output, latency->window_count, 0);
	if (!batch)
		return 0;
	for (uint32_t i = 0; i < latency->window_count && !err; i++)
		err = fs_latency_add_row(ctx, batch, &latency->windows[i]);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send %u histograms", latency->window_count);
	}
	batch->start = start;
	batch->end = end;
	latency->window_count = 0;
	err = weir_commit(ctx, batch);
	return err ? err : 1;
}

void fs_latency_release(struct fs_latency *latency)
{
	weir_slots_unmap(&latency->slots);
	free(latency->windows);
	latency->windows = NULL;
}
