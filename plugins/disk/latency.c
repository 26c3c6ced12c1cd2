/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source disk.latency: histograms of how long requests were queued and how long the device took,
 * per disk and operation, counted in the kernel by latency.bpf.c.
 */
#include <inttypes.h>
#include <stdio.h>

#include <weir/histogram.h>
#include <weir/plugin.h>

#include "latency_kernel.h"

enum { BY_DISK = 1u << 0, BY_OP = 1u << 1 };

struct latency_conf {
	uint64_t interval;
	const char *disk;
	uint32_t by;
	struct weir_task_conf filter;
};

static const struct weir_option latency_options[] = {
	WEIR_OPT_DURATION(struct latency_conf, interval, "10s", 0, 24 * WEIR_HOUR,
			  "length of a window; 0: one window, until the end"),
	WEIR_OPT_TEXT(struct latency_conf, disk, "", "only this disk, such as sda"),
	WEIR_OPT_CHOICES(struct latency_conf, by, "disk,op", "disk op", "one row for each"),
	WEIR_OPT_TASK_FILTER(struct latency_conf),
};

struct latency_row {
	char disk[REQUEST_DISK_LEN];
	char op[16];
	uint64_t count;
	uint64_t bytes;
	uint64_t errors;
	uint64_t requeues;
	struct weir_histogram_ref queued;
	struct weir_histogram_ref device;
};

/* The keys come first: which of them a row has, `by` decides. */
static const struct weir_field latency_fields[] = {
	WEIR_FIELD(struct latency_row, disk, WEIR_NONE, WEIR_KEY, "whole disk, not partition"),
	WEIR_FIELD(struct latency_row, op, WEIR_NONE, WEIR_KEY, DISK_OPS),
	WEIR_FIELD(struct latency_row, count, WEIR_COUNT, WEIR_DELTA, "requests completed"),
	WEIR_FIELD(struct latency_row, bytes, WEIR_BYTES, WEIR_DELTA, "of these requests"),
	WEIR_FIELD(struct latency_row, errors, WEIR_COUNT, WEIR_DELTA,
		   "requests that failed; they are in the histograms"),
	WEIR_FIELD(struct latency_row, requeues, WEIR_COUNT, WEIR_DELTA,
		   "times that a driver gave a request back for now"),
	WEIR_FIELD(struct latency_row, queued, WEIR_NS, WEIR_DELTA,
		   "from entering a queue to being issued to the device; 0 without a queue"),
	WEIR_FIELD(struct latency_row, device, WEIR_NS, WEIR_DELTA,
		   "from being issued to completion"),
};

#define LATENCY_FIELDS (sizeof(latency_fields) / sizeof(latency_fields[0]))

static const struct weir_output latency_outputs[] = {
	{ "latency", "one row per disk and operation that completed something", NULL, 0, 0 },
};

/* What one row adds up. */
struct latency_window {
	struct latency_row row;
	struct weir_histogram_cells queued;
	struct weir_histogram_cells device;
};

struct latency_state {
	struct latency_kernel kernel;
	struct weir_slots slots; /* of struct latency_slot */
	struct weir_cgroup_names cgroups;
	struct latency_window *windows;
	uint32_t window_count;
	uint64_t untimed; /* for disk_report_lost() */
	uint64_t start;   /* of the window */
	struct weir_schema schema;
	struct weir_field fields[LATENCY_FIELDS];
};

static int latency_bind(struct weir_ctx *ctx)
{
	const struct latency_conf *conf = ctx->options;
	struct latency_state *st = ctx->state;
	uint32_t n = 0;

	for (uint32_t i = 0; i < LATENCY_FIELDS; i++)
		if (i > 1 || conf->by & 1u << i)
			st->fields[n++] = latency_fields[i];
	st->schema.size = sizeof(st->schema);
	st->schema.row_size = WEIR_ROW_SIZE(struct latency_row);
	st->schema.name = "disk latency";
	st->schema.fields.items = st->fields;
	st->schema.fields.count = n;
	st->schema.fields.item_size = sizeof(st->fields[0]);
	return ctx->host->declare(ctx, 0, &st->schema);
}

static int latency_start(struct weir_ctx *ctx)
{
	const struct latency_conf *conf = ctx->options;
	struct latency_state *st = ctx->state;
	uint32_t dev = 0;
	int err = *conf->disk ? disk_find_requests(ctx, conf->disk, &dev) : 0;

	if (!err)
		err = latency_kernel_load(ctx, &st->kernel, &conf->filter, &st->cgroups, dev);
	if (err)
		return err;
	st->slots.bytes = sizeof(struct latency_slot);
	st->slots.count = LATENCY_SLOTS;
	st->slots.pool = st->kernel.pool;
	st->start = weir_now(ctx);
	return weir_every(ctx, conf->interval);
}

/* Slot 0 takes what found no slot of its own; a queue without a disk has no name. */
static void latency_keys(const struct latency_slot *slot, uint32_t index, uint32_t by,
			 struct latency_row *row)
{
	const char *op = disk_op(slot->op);
	const char *disk = slot->disk[0] ? slot->disk : "(none)";

	if (index == 0)
		op = disk = "(other)";
	if (by & BY_DISK)
		snprintf(row->disk, sizeof(row->disk), "%.*s", REQUEST_DISK_LEN - 1, disk);
	if (by & BY_OP)
		snprintf(row->op, sizeof(row->op), "%s", op);
}

static struct latency_window *latency_window(struct latency_state *st,
					     const struct latency_row *keys)
{
	struct latency_window *windows;

	for (uint32_t i = 0; i < st->window_count; i++)
		if (strcmp(st->windows[i].row.disk, keys->disk) == 0 &&
		    strcmp(st->windows[i].row.op, keys->op) == 0)
			return &st->windows[i];
	windows = realloc(st->windows, (st->window_count + 1) * sizeof(*windows));
	if (!windows)
		return NULL;
	st->windows = windows;
	windows += st->window_count++;
	memset(windows, 0, sizeof(*windows));
	windows->row = *keys;
	return windows;
}

/* Empties one slot of the kernel into the window's row that it belongs to. */
static int latency_take(struct latency_state *st, uint32_t index, uint32_t by)
{
	struct latency_slot *slot = weir_slot(&st->slots, index);
	struct weir_histogram_cells queued, device;
	struct latency_window *window;
	struct latency_row keys = { 0 };
	uint64_t waited = weir_histogram_take(&slot->queued, &queued);
	uint64_t count = weir_histogram_take(&slot->device, &device);

	if (count == 0 && waited == 0)
		return 0;
	latency_keys(slot, index, by, &keys);
	window = latency_window(st, &keys);
	if (!window)
		return -ENOMEM;
	window->row.count += count;
	window->row.bytes += weir_cell_take(&slot->bytes);
	window->row.errors += weir_cell_take(&slot->errors);
	window->row.requeues += weir_cell_take(&slot->requeues);
	weir_histogram_cells_merge(&window->queued, &queued);
	weir_histogram_cells_merge(&window->device, &device);
	return 0;
}

static void latency_report_lost(struct weir_ctx *ctx)
{
	struct latency_state *st = ctx->state;

	disk_report_lost(ctx, st->kernel.totals, &st->untimed);
	if (weir_cell_take(&st->slots.pool->full))
		weir_log(ctx, WEIR_LOG_WARNING,
			 "more than %d disks and operations: the rest is in the row \"(other)\"",
			 LATENCY_SLOTS - 1);
}

static int latency_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
			   const struct latency_window *window)
{
	struct weir_histogram_ref queued, device;
	struct latency_row *row;

	if (weir_add_histogram_cells(ctx, batch, &window->queued, LATENCY_FIRST, &queued) ||
	    weir_add_histogram_cells(ctx, batch, &window->device, LATENCY_FIRST, &device))
		return -ENOMEM;
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	*row = window->row;
	row->queued = queued;
	row->device = device;
	return 0;
}

static int latency_collect(struct weir_ctx *ctx)
{
	const struct latency_conf *conf = ctx->options;
	struct latency_state *st = ctx->state;
	int err = weir_slots_map(&st->slots, st->kernel.slots_fd, weir_slots_used(&st->slots));

	for (uint32_t i = 0; i < st->slots.mapped && !err; i++)
		err = latency_take(st, i, conf->by);
	latency_report_lost(ctx);
	return err ? weir_fail(ctx, err, "collect histograms") : 0;
}

/* A window without requests is sent too: it says that there were none. */
static int latency_emit(struct weir_ctx *ctx, uint64_t now)
{
	struct latency_state *st = ctx->state;
	struct weir_batch *batch;
	int err = latency_collect(ctx);

	if (err)
		return err;
	/* What a full queue does not take now stays in the windows, for the next tick. */
	batch = weir_loan(ctx, 0, st->window_count, 0);
	if (!batch)
		return 0;
	for (uint32_t i = 0; i < st->window_count && !err; i++)
		err = latency_add_row(ctx, batch, &st->windows[i]);
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send %u rows", st->window_count);
	}
	batch->start = st->start;
	batch->end = now;
	st->start = now;
	st->window_count = 0;
	return weir_commit(ctx, batch);
}

static int latency_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return latency_emit(ctx, weir_now(ctx));
}

static void latency_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct latency_state *st = ctx->state;

	latency_kernel_cost(&st->kernel, cost);
}

static void latency_destroy(struct weir_ctx *ctx)
{
	struct latency_state *st = ctx->state;

	weir_slots_unmap(&st->slots);
	latency_kernel_free(&st->kernel);
	weir_cgroup_names_release(&st->cgroups);
	free(st->windows);
}

static void latency_probe_kind(struct weir_ctx *ctx, const char *name, int err, const char *effect)
{
	if (err)
		weir_need(ctx, WEIR_NEED_LIMITED, name, strerror(-err), effect, "");
	else
		weir_need(ctx, WEIR_NEED_MET, name, "works", "", "");
}

static void latency_probe(struct weir_ctx *ctx)
{
	if (!weir_probe_bpf(ctx))
		return;
	disk_probe_requests(ctx);
	latency_probe_kind(ctx, "typed tracepoints (tp_btf)", weir_bpf_probe_tp_btf(),
			   "tools that need them");
	latency_probe_kind(ctx, "kprobes", weir_bpf_probe_kprobe(),
			   "nothing here: weir uses tracepoints");
	latency_probe_kind(ctx, "fentry", weir_bpf_probe_fentry(),
			   "nothing here: weir uses tracepoints");
}

WEIR_COMPONENT(
	"disk.latency", WEIR_SOURCE,
	.summary = "latency histograms of requests, per disk and operation",
	.doc = "Times each request from its insertion into a queue to its issue (queued), and "
	       "from there to\nits completion (device). Counted in the kernel on the block_rq "
	       "tracepoints, which fire also when\na disk's iostats are off. Flushes are an "
	       "operation of their own. A request is one sample, at its\nlast completion; "
	       "requests that were in flight before weir was attached are counted as lost. Chosen "
	       "tasks are those "
	       "that\nsubmit requests, as disk.io tells them; what they submitted before weir was "
	       "attached is left out.",
	.options_size = sizeof(struct latency_conf), .state_size = sizeof(struct latency_state),
	.options = WEIR_TABLE(latency_options), .outputs = WEIR_TABLE(latency_outputs),
	.probe = latency_probe, .bind = latency_bind, .start = latency_start, .tick = latency_emit,
	.drain = latency_drain, .destroy = latency_destroy, .cost = latency_cost);
