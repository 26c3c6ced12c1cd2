/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source disk.io: one row per request to a disk, with the task that submitted it, from the events
 * of io.bpf.c; or the sums of them per window.
 */
#include <inttypes.h>

#include <weir/bpf/loader.h>
#include <weir/bpf/ring.h>
#include <weir/plugin.h>
#include <weir/task_filter.h>

#include "disk.h"
#include "io_event.h"
#include "io_totals.h"
/* Needs the event's types. */
#include "io.skel.h"

enum { IO_REQUESTS, IO_TOTALS };

struct io_conf {
	const char *disk;
	uint64_t min_latency;
	uint64_t interval;
	uint64_t buffer;
	struct weir_task_conf filter;
};

static const struct weir_option io_options[] = {
	WEIR_OPT_TEXT(struct io_conf, disk, "", "only this disk, such as sda"),
	WEIR_OPT_DURATION(struct io_conf, min_latency, "0ms", 0, WEIR_HOUR,
			  "only requests that took at least this long, in queue and device"),
	WEIR_OPT_DURATION(struct io_conf, interval, "0s", 0, 24 * WEIR_HOUR,
			  "length of a window of sums, for output totals; 0: requests, no sums"),
	WEIR_OPT_TASK_FILTER(struct io_conf),
	WEIR_OPT_BUFFER(struct io_conf),
};

struct io_row {
	uint64_t time;
	struct weir_task_columns task;
	char disk[REQUEST_DISK_LEN];
	char op[16];
	struct weir_text flags;
	uint64_t offset;
	uint64_t bytes;
	uint64_t queued;
	uint64_t latency;
	char dispatcher[WEIR_COMM_LENGTH];
	char error[16];
	uint64_t requeues;
};

/* Who submitted a request is not known when weir came between its submission and its issue. */
static const struct weir_field io_fields[] = {
	WEIR_FIELD_TIME(struct io_row, time, WEIR_EVENT, "when it was done"),
	WEIR_TASK_COLUMN(struct io_row, pid, WEIR_TYPE_UINT, WEIR_OPTIONAL,
			 "process that submitted it"),
	WEIR_TASK_COLUMN(struct io_row, tid, WEIR_TYPE_UINT, WEIR_OPTIONAL | WEIR_QUIET, "thread"),
	WEIR_TASK_COLUMN(struct io_row, ppid, WEIR_TYPE_UINT, WEIR_OPTIONAL | WEIR_QUIET,
			 "parent process"),
	WEIR_TASK_COLUMN(struct io_row, uid, WEIR_TYPE_UINT, WEIR_OPTIONAL | WEIR_QUIET,
			 "real user"),
	WEIR_TASK_COLUMN(struct io_row, comm, WEIR_TYPE_CHARS, WEIR_OPTIONAL,
			 "name of the thread that submitted it"),
	WEIR_TASK_COLUMN(
		struct io_row, cgroup, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
		"control group; of write-back, the one that dirtied the pages (version 2)"),
	WEIR_TASK_COLUMN(struct io_row, container, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "container"),
	WEIR_FIELD(struct io_row, disk, WEIR_NONE, WEIR_KEY, "whole disk, not partition"),
	WEIR_FIELD(struct io_row, op, WEIR_NONE, WEIR_KEY, DISK_OPS),
	WEIR_FIELD_WITH(struct io_row, flags, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"writeback, readahead, sync, meta, prio, fua, preflush, background"),
	WEIR_FIELD_WITH(struct io_row, offset, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"in bytes, on the whole disk; none for flushes and commands of the driver"),
	WEIR_FIELD(struct io_row, bytes, WEIR_BYTES, WEIR_EVENT, "done"),
	WEIR_FIELD_DURATION(struct io_row, queued, WEIR_EVENT, 0,
			    "from entering a queue to being issued; 0 without a queue"),
	WEIR_FIELD_DURATION(struct io_row, latency, WEIR_EVENT, 0,
			    "of the device: from being issued to completion"),
	WEIR_FIELD_WITH(struct io_row, dispatcher, WEIR_NONE, WEIR_KEY, WEIR_QUIET,
			"name of the thread that gave it to the driver"),
	WEIR_FIELD_WITH(struct io_row, error, WEIR_NONE, WEIR_EVENT, WEIR_OPTIONAL,
			"why it failed"),
	WEIR_FIELD_WITH(struct io_row, requeues, WEIR_COUNT, WEIR_EVENT, WEIR_QUIET,
			"times that the driver gave it back for now"),
};

WEIR_SCHEMA(io_schema, "disk requests", struct io_row, io_fields);

struct io_total_row {
	struct weir_task_columns task;
	char disk[REQUEST_DISK_LEN];
	char op[16];
	struct weir_text flags;
	uint64_t count;
	uint64_t bytes;
	uint64_t errors;
	uint64_t queued;
	uint64_t latency;
	uint64_t max;
};

static const struct weir_field io_total_fields[] = {
	WEIR_TASK_COLUMN(struct io_total_row, pid, WEIR_TYPE_UINT, WEIR_OPTIONAL,
			 "process that submitted them"),
	WEIR_TASK_COLUMN(struct io_total_row, uid, WEIR_TYPE_UINT, WEIR_OPTIONAL | WEIR_QUIET,
			 "real user"),
	WEIR_TASK_COLUMN(struct io_total_row, comm, WEIR_TYPE_CHARS, WEIR_OPTIONAL,
			 "name of the thread that submitted them"),
	WEIR_TASK_COLUMN(struct io_total_row, cgroup, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "control group of the first of them"),
	WEIR_TASK_COLUMN(struct io_total_row, container, WEIR_TYPE_TEXT, WEIR_OPTIONAL | WEIR_QUIET,
			 "container of the first of them"),
	WEIR_FIELD(struct io_total_row, disk, WEIR_NONE, WEIR_KEY, "whole disk, not partition"),
	WEIR_FIELD(struct io_total_row, op, WEIR_NONE, WEIR_KEY, DISK_OPS),
	WEIR_FIELD_WITH(struct io_total_row, flags, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"writeback: by the kernel, for whoever dirtied the pages"),
	WEIR_FIELD(struct io_total_row, count, WEIR_COUNT, WEIR_DELTA, "requests done"),
	WEIR_FIELD(struct io_total_row, bytes, WEIR_BYTES, WEIR_DELTA, "of these requests"),
	WEIR_FIELD_WITH(struct io_total_row, errors, WEIR_COUNT, WEIR_DELTA, WEIR_QUIET,
			"requests that failed"),
	WEIR_FIELD_DURATION(struct io_total_row, queued, WEIR_GAUGE, 0, "mean time in a queue"),
	WEIR_FIELD_DURATION(struct io_total_row, latency, WEIR_GAUGE, 0,
			    "mean time with the device"),
	WEIR_FIELD_DURATION(struct io_total_row, max, WEIR_GAUGE, 0,
			    "longest time with the device"),
};

WEIR_SCHEMA(io_total_schema, "disk requests by process", struct io_total_row, io_total_fields);

static const struct weir_output io_outputs[] = {
	[IO_REQUESTS] = { "requests", "one row per request that is done", &io_schema, 0, 0 },
	[IO_TOTALS] = { "totals", "one row per process, name, disk and operation, each interval",
			&io_total_schema, 0, 0 },
};

struct io_state {
	struct io_bpf *bpf;
	struct weir_bpf_ring ring;
	struct weir_cgroup_names cgroups;
	struct io_totals totals;
	uint64_t untimed; /* for disk_report_lost() */
	uint64_t start;   /* of the window */
	int stats;        /* holds the kernel's statistics of BPF on; 0: not asked for */
};

static int io_load(struct weir_ctx *ctx, uint32_t dev)
{
	const struct io_conf *conf = ctx->options;
	struct io_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = io_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	st->bpf->rodata->only_dev = dev;
	st->bpf->rodata->min_latency_ns = conf->min_latency;
	st->bpf->maps.events.max_entries = weir_bpf_ring_size(conf->buffer);
	err = weir_task_filter_set(ctx, &conf->filter, &st->bpf->rodata->task_filter, &st->cgroups);
	if (err)
		return err;
	err = weir_bpf_load(io_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(io_bpf, st->bpf, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static int io_start(struct weir_ctx *ctx)
{
	const struct io_conf *conf = ctx->options;
	struct io_state *st = ctx->state;
	uint64_t period = WEIR_BPF_RING_PERIOD_NS;
	uint32_t dev = 0;
	int err = *conf->disk ? disk_find_requests(ctx, conf->disk, &dev) : 0;

	if (!err)
		err = io_load(ctx, dev);
	if (err)
		return err;
	err = weir_bpf_ring_map(&st->ring, st->bpf->maps.events.map_fd,
				weir_bpf_ring_size(conf->buffer));
	if (err)
		return weir_fail(ctx, err, "map the ring of events");
	st->start = weir_now(ctx);
	if (conf->interval && conf->interval < period)
		period = conf->interval;
	return weir_every(ctx, period);
}

/* The modifiers of a request. The bits are the same since Linux 4.10. */
static void io_flags(uint32_t flags, uint32_t marks, char *text, size_t size)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ 1u << 19, "readahead" },  { 1u << 11, "sync" }, { 1u << 12, "meta" },
		{ 1u << 13, "prio" },       { 1u << 17, "fua" },  { 1u << 18, "preflush" },
		{ 1u << 20, "background" },
	};
	size_t length = (size_t)snprintf(text, size, "%s", marks & IO_WRITEBACK ? "writeback" : "");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (flags & names[i].bit && length < size)
			length += (size_t)snprintf(text + length, size - length, "%s%s",
						   length ? "," : "", names[i].name);
}

static int io_add_flags(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t flags,
			uint32_t marks, struct weir_text *out)
{
	char text[96];

	io_flags(flags, marks, text, sizeof(text));
	return weir_add_text(ctx, batch, text, strlen(text), out);
}

static int io_add_task(struct weir_ctx *ctx, struct weir_batch *batch,
		       const struct weir_task_id *task, uint32_t marks,
		       struct weir_task_columns *columns)
{
	struct io_state *st = ctx->state;

	if (marks & IO_OWNED)
		return weir_task_columns_fill(ctx, batch, &st->cgroups, task, columns);
	columns->pid = columns->tid = columns->ppid = columns->uid = WEIR_ABSENT_U32;
	return 0;
}

static bool io_has_offset(uint32_t op)
{
	return strcmp(disk_op(op), "flush") != 0 && strcmp(disk_op(op), "driver") != 0;
}

static int io_add_row(struct weir_ctx *ctx, struct weir_batch *batch, const struct io_event *event)
{
	struct io_row row = { .time = event->time_ns };
	uint32_t op = event->flags & 0xff;
	struct io_row *out;

	if (io_add_task(ctx, batch, &event->task, event->marks, &row.task) ||
	    io_add_flags(ctx, batch, event->flags, event->marks, &row.flags))
		return -ENOMEM;
	snprintf(row.disk, sizeof(row.disk), "%s", event->disk[0] ? event->disk : "(none)");
	snprintf(row.op, sizeof(row.op), "%s", disk_op(op));
	row.offset = io_has_offset(op) ? event->sector * 512 : WEIR_ABSENT_U64;
	row.bytes = event->bytes;
	row.queued = event->queued_ns;
	row.latency = event->device_ns;
	memcpy(row.dispatcher, event->dispatcher, sizeof(row.dispatcher));
	disk_error(event->status, row.error, sizeof(row.error));
	row.requeues = event->requeues;
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = row;
	return 0;
}

/* The next whole event of the ring, or NULL. */
static const struct io_event *io_next(struct io_state *st)
{
	const void *event;
	uint32_t size;

	while ((event = weir_bpf_ring_next(&st->ring, &size)))
		if (size == sizeof(struct io_event))
			return event;
	return NULL;
}

static void io_report_lost(struct weir_ctx *ctx)
{
	struct io_state *st = ctx->state;

	disk_report_lost(ctx, &st->bpf->bss->totals, &st->untimed);
	weir_lost(ctx, WEIR_BPF_RING_FULL, weir_cell_take(&st->bpf->bss->events_lost),
		  WEIR_BPF_RING_CURE "--disk, --pid, --min-latency");
}

/* An empty batch is not sent, but the last one is: it says that there were none. */
static int io_emit_requests(struct weir_ctx *ctx, uint64_t now, bool last)
{
	struct io_state *st = ctx->state;
	const struct io_event *event;
	struct weir_batch *batch = weir_loan(ctx, IO_REQUESTS, 16, 0);
	int err = 0;

	/* What a full queue does not take now stays in the ring, for the next tick. */
	if (!batch)
		return 0;
	while (!err && (event = io_next(st)))
		err = io_add_row(ctx, batch, event);
	weir_bpf_ring_end(&st->ring);
	if (err || (!batch->row_count && !last)) {
		weir_discard(ctx, batch);
		return err ? weir_fail(ctx, err, "send requests") : 0;
	}
	batch->start = st->start;
	batch->end = now;
	st->start = now;
	return weir_commit(ctx, batch);
}

static int io_add_total(struct weir_ctx *ctx, struct weir_batch *batch,
			const struct io_total *total, const char *other)
{
	struct io_total_row row = { 0 }, *out;

	if (io_add_task(ctx, batch, &total->task, total->marks, &row.task) ||
	    io_add_flags(ctx, batch, 0, total->marks, &row.flags))
		return -ENOMEM;
	if (other)
		snprintf(row.task.comm, sizeof(row.task.comm), "%s", other);
	snprintf(row.disk, sizeof(row.disk), "%s", total->disk[0] ? total->disk : "(none)");
	snprintf(row.op, sizeof(row.op), "%s", other ? other : disk_op(total->op));
	row.count = total->count;
	row.bytes = total->bytes;
	row.errors = total->errors;
	row.queued = total->queued_ns / total->count;
	row.latency = total->device_ns / total->count;
	row.max = total->device_max_ns;
	out = weir_add_row(ctx, batch);
	if (!out)
		return -ENOMEM;
	*out = row;
	return 0;
}

/* A window without requests is sent too: it says that there were none. */
static int io_emit_totals(struct weir_ctx *ctx, uint64_t now)
{
	struct io_state *st = ctx->state;
	struct weir_batch *batch = weir_loan(ctx, IO_TOTALS, st->totals.count + 1, 0);
	int err = 0;

	/* What a full queue does not take now stays in the window. */
	if (!batch)
		return 0;
	for (uint32_t i = 0; i < st->totals.count && !err; i++)
		err = io_add_total(ctx, batch, &st->totals.totals[i], NULL);
	if (!err && st->totals.rest.count)
		err = io_add_total(ctx, batch, &st->totals.rest, "(other)");
	if (err) {
		weir_discard(ctx, batch);
		return weir_fail(ctx, err, "send %u sums", st->totals.count);
	}
	batch->start = st->start;
	batch->end = now;
	st->start = now;
	io_totals_clear(&st->totals);
	return weir_commit(ctx, batch);
}

static int io_sum_up(struct weir_ctx *ctx)
{
	struct io_state *st = ctx->state;
	const struct io_event *event;
	int err = 0;

	while (!err && (event = io_next(st)))
		err = io_totals_add(&st->totals, event);
	weir_bpf_ring_end(&st->ring);
	return err ? weir_fail(ctx, err, "sum up requests") : 0;
}

static int io_step(struct weir_ctx *ctx, uint64_t now, bool last)
{
	const struct io_conf *conf = ctx->options;
	struct io_state *st = ctx->state;
	int err;

	io_report_lost(ctx);
	if (!conf->interval)
		return io_emit_requests(ctx, now, last);
	err = io_sum_up(ctx);
	if (err || (!last && now - st->start < conf->interval))
		return err;
	return io_emit_totals(ctx, now);
}

static int io_tick(struct weir_ctx *ctx, uint64_t now)
{
	return io_step(ctx, now, false);
}

static int io_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return io_step(ctx, weir_now(ctx), true);
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void io_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct io_state *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void io_destroy(struct weir_ctx *ctx)
{
	struct io_state *st = ctx->state;

	weir_bpf_ring_unmap(&st->ring);
	io_bpf__destroy(st->bpf);
	io_totals_release(&st->totals);
	weir_cgroup_names_release(&st->cgroups);
	weir_bpf_stats_end(&st->stats);
}

static void io_probe(struct weir_ctx *ctx)
{
	if (weir_probe_bpf(ctx))
		disk_probe_requests(ctx);
}

WEIR_COMPONENT(
	"disk.io", WEIR_SOURCE, .summary = "requests to disks, one by one or by process",
	.doc = "Each request is shown when it is done, with the task that submitted it, not the "
	       "kernel thread that\ndispatched it. A request that others were merged into is its "
	       "first submitter's. Pages that the kernel\nwrites back later are its flusher's, "
	       "flagged writeback; who dirtied them is not known, but for the\ncgroup where "
	       "version 2 of the io controller keeps it. A flush is a request of its own, for the "
	       "first\ntask that waits for it. What is remapped by a layer below (dm-crypt, RAID, "
	       "a "
	       "loop device's file) is a\nrequest of that layer's thread to the disk below. Disks "
	       "without requests (zram, brd, dm, md) are\nnot seen. With --pid, --comm, --user or "
	       "--cgroup a request that was submitted before weir was attached\nis left out and "
	       "not "
	       "counted as lost.",
	.options_size = sizeof(struct io_conf), .state_size = sizeof(struct io_state),
	.options = WEIR_TABLE(io_options), .outputs = WEIR_TABLE(io_outputs), .probe = io_probe,
	.start = io_start, .tick = io_tick, .drain = io_drain, .destroy = io_destroy,
	.cost = io_cost);
