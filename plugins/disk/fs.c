/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source disk.fs: calls that read, write, open and flush files, timed in the kernel by fs.bpf.c;
 * as histograms, or as one row for each slow one.
 */
#include <stdio.h>

#include <weir/bpf/probe.h>
#include <weir/bpf/ring.h>

#include "disk.h"
#include "fs.h"
/* Needs the event's types. */
#include "fs.skel.h"

enum { OUTPUT_LATENCY, OUTPUT_SLOW };

struct fs_conf {
	uint32_t report; /* enum fs_report */
	uint32_t op;     /* bits of enum fs_op */
	uint32_t by;     /* enum fs_by */
	struct weir_texts fs;
	const char *disk;
	uint64_t interval;
	uint64_t min_latency;
	uint64_t buffer;
	struct weir_task_conf filter;
};

static const struct weir_option fs_options[] = {
	WEIR_OPT_CHOICES(struct fs_conf, report, "latency,slow", "latency slow",
			 "outputs that are read: the others cost nothing, and stay empty"),
	WEIR_OPT_CHOICES(struct fs_conf, op, "read,write,open,fsync", "read write open fsync",
			 "only calls that do this"),
	WEIR_OPT_TEXTS(struct fs_conf, fs, "any",
		       "only these file systems: ext4, xfs, btrfs, nfs, overlay ...; any: all of "
		       "them that hold files"),
	WEIR_OPT_TEXT(struct fs_conf, disk, "", "only file systems on this disk, such as sda"),
	WEIR_OPT_DURATION(struct fs_conf, min_latency, "10ms", 0, WEIR_HOUR,
			  "output slow: only calls that took at least this long"),
	WEIR_OPT_CHOICES(struct fs_conf, by, "op,fs", "op fs disk pid",
			 "output latency: one histogram for each"),
	WEIR_OPT_DURATION(struct fs_conf, interval, "10s", 0, 24 * WEIR_HOUR,
			  "output latency: length of a window; 0: one window, until the end"),
	WEIR_OPT_TASK_FILTER(struct fs_conf),
	WEIR_OPT_BUFFER(struct fs_conf),
};

static const struct weir_output fs_outputs[] = {
	[OUTPUT_LATENCY] = { "latency", "one histogram per operation, file system, disk, process",
			     NULL, 0, 0 },
	[OUTPUT_SLOW] = { "slow", "one row per call of at least min_latency", NULL, 0, 0 },
};

struct fs_state {
	struct fs_bpf *bpf;
	struct fs_latency latency;
	struct weir_bpf_ring ring;
	struct weir_cgroup_names cgroups;
	uint64_t start;      /* of the window */
	uint64_t slow_start; /* of the window of slow calls */
	int stats;           /* holds the kernel's statistics of BPF on; 0: not asked for */
	struct weir_schema schema;
	struct weir_field fields[FS_LATENCY_FIELDS];
};

static int fs_bind(struct weir_ctx *ctx)
{
	const struct fs_conf *conf = ctx->options;
	struct fs_state *st = ctx->state;
	int err;

	st->schema.size = sizeof(st->schema);
	st->schema.row_size = fs_latency_row_size();
	st->schema.name = "latency of calls on files";
	st->schema.fields.items = st->fields;
	st->schema.fields.count = fs_latency_fields(conf->by, st->fields);
	st->schema.fields.item_size = sizeof(st->fields[0]);
	err = ctx->host->declare(ctx, OUTPUT_LATENCY, &st->schema);
	return err ? err : ctx->host->declare(ctx, OUTPUT_SLOW, fs_slow_schema);
}

/* What the program is to know before it is loaded. */
static int fs_prepare(struct weir_ctx *ctx)
{
	const struct fs_conf *conf = ctx->options;
	struct fs_state *st = ctx->state;
	struct fs_bpf__rodata *to = st->bpf->rodata;
	uint32_t dev = 0;
	int err = *conf->disk ? disk_find(ctx, conf->disk, &dev) : 0;

	if (err)
		return err;
	to->report = conf->report;
	to->by_pid = (conf->by & FS_BY_PID) != 0;
	to->by_dev = conf->by & FS_BY_DISK || dev;
	to->only_dev = dev;
	to->min_latency_ns = conf->min_latency;
	for (uint32_t i = 0; i < FS_CALLS; i++) {
		const struct fs_system_call *call = &fs_system_calls[i];

		if (call->number < FS_NUMBERS && conf->op & 1u << call->op)
			to->fs_calls[call->number] = (struct fs_call){
				.index = (unsigned char)(i + 1),
				.op = (unsigned char)call->op,
				.place = (unsigned char)call->place,
				.open = (unsigned char)call->open,
			};
	}
	err = fs_names_set(ctx, &conf->fs, (struct fs_name *)to->fs_names, &to->fs_names_wanted);
	if (err < 0)
		return err;
	to->fs_name_count = (uint32_t)err;
	return weir_task_filter_set(ctx, &conf->filter, (struct weir_task_filter *)&to->task_filter,
				    &st->cgroups);
}

/* Maps are as small as what is wanted of them. */
static void fs_size_maps(struct fs_state *st, const struct fs_conf *conf)
{
	uint32_t slots = conf->by & FS_BY_PID ? FS_PID_SLOTS : FS_SLOTS;

	if (!(conf->report & FS_LATENCY))
		slots = 1;
	st->latency.slots.count = slots;
	st->bpf->rodata->slot_count = slots;
	st->bpf->maps.slots.max_entries = slots;
	/* And those that are not wanted. */
	st->bpf->maps.slot_index.max_entries = slots + FS_SLOTS;
	st->bpf->maps.events.max_entries =
		weir_bpf_ring_size(conf->report & FS_SLOW ? conf->buffer : 0);
}

static int fs_load(struct weir_ctx *ctx)
{
	struct fs_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = fs_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = fs_prepare(ctx);
	if (err)
		return err;
	fs_size_maps(st, ctx->options);
	err = weir_bpf_load(fs_bpf, st->bpf, &report);
	if (!err)
		err = weir_bpf_attach(fs_bpf, st->bpf, &report);
	return err ? weir_fail(ctx, err, "%s", report.text) : 0;
}

static int fs_start(struct weir_ctx *ctx)
{
	const struct fs_conf *conf = ctx->options;
	struct fs_state *st = ctx->state;
	uint64_t period = conf->interval;
	int err = fs_load(ctx);

	if (err)
		return err;
	st->latency.by = conf->by;
	st->latency.slots_fd = st->bpf->maps.slots.map_fd;
	st->latency.index_fd = st->bpf->maps.slot_index.map_fd;
	st->latency.slots.bytes = sizeof(struct fs_slot);
	st->latency.slots.pool = &st->bpf->bss->slot_pool;
	if (conf->report & FS_SLOW) {
		err = weir_bpf_ring_map(&st->ring, st->bpf->maps.events.map_fd,
					weir_bpf_ring_size(conf->buffer));
		if (err)
			return weir_fail(ctx, err, "map the ring of events");
		if (!period || period > WEIR_BPF_RING_PERIOD_NS)
			period = WEIR_BPF_RING_PERIOD_NS;
	}
	st->start = st->slow_start = weir_now(ctx);
	return weir_every(ctx, period);
}

static void fs_report_lost(struct weir_ctx *ctx)
{
	struct fs_state *st = ctx->state;
	struct fs_bpf__bss *bss = st->bpf->bss;

	weir_lost(ctx, "call not timed: too many threads were in one",
		  weir_cell_take(&bss->totals.full),
		  "watch fewer: --op, --pid, --comm, --user, --cgroup");
	weir_lost(ctx, "call whose file another thread closed as it ended",
		  weir_cell_take(&bss->totals.gone), NULL);
	weir_lost(ctx, WEIR_BPF_RING_FULL, weir_cell_take(&bss->events_lost),
		  WEIR_BPF_RING_CURE "--min-latency, --pid, --fs");
}

/* An empty batch is not sent, but the last one is: it says that there were none. */
static int fs_emit_slow(struct weir_ctx *ctx, uint64_t now, bool last)
{
	struct fs_state *st = ctx->state;
	struct weir_batch *batch = weir_loan(ctx, OUTPUT_SLOW, 16, 4096);
	const void *event;
	uint32_t size;
	int err = 0;

	/* What a full queue does not take now stays in the ring, for the next tick. */
	if (!batch)
		return 0;
	while (!err && (event = weir_bpf_ring_next(&st->ring, &size)))
		err = fs_slow_add(ctx, batch, &st->cgroups, event, size);
	weir_bpf_ring_end(&st->ring);
	if (err || (!batch->row_count && !last)) {
		weir_discard(ctx, batch);
		return err ? weir_fail(ctx, err, "send slow calls") : 0;
	}
	batch->start = st->slow_start;
	batch->end = now;
	st->slow_start = now;
	return weir_commit(ctx, batch);
}

static int fs_step(struct weir_ctx *ctx, uint64_t now, bool last)
{
	const struct fs_conf *conf = ctx->options;
	struct fs_state *st = ctx->state;
	int sent = 0;

	fs_report_lost(ctx);
	if (conf->report & FS_SLOW)
		sent = fs_emit_slow(ctx, now, last);
	if (sent < 0 || !(conf->report & FS_LATENCY) ||
	    (!last && (!conf->interval || now - st->start < conf->interval)))
		return sent;
	/* What a full queue does not take now becomes part of the next window. */
	sent = fs_latency_emit(ctx, &st->latency, OUTPUT_LATENCY, st->start, now);
	if (sent > 0)
		st->start = now;
	return sent < 0 ? sent : 0;
}

static int fs_tick(struct weir_ctx *ctx, uint64_t now)
{
	return fs_step(ctx, now, false);
}

static int fs_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return fs_step(ctx, weir_now(ctx), true);
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void fs_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct fs_state *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void fs_destroy(struct weir_ctx *ctx)
{
	struct fs_state *st = ctx->state;

	fs_latency_release(&st->latency);
	weir_bpf_ring_unmap(&st->ring);
	fs_bpf__destroy(st->bpf);
	weir_cgroup_names_release(&st->cgroups);
	weir_bpf_stats_end(&st->stats);
}

static void fs_probe(struct weir_ctx *ctx)
{
	if (!weir_probe_bpf(ctx))
		return;
	weir_probe_target(ctx, "raw_tp/sys_enter", "raw tracepoints of system calls",
			  WEIR_NEED_MISSING, "calls on files are not seen",
			  "a kernel with CONFIG_HAVE_SYSCALL_TRACEPOINTS");
}

WEIR_COMPONENT(
	"disk.fs", WEIR_SOURCE,
	.summary = "latency of calls that read, write, open and flush files, and the slow ones",
	.doc = "Times system calls: read, write, their forms with p and v, open, creat, openat, "
	       "openat2,\nopen_by_handle_at, fsync, fdatasync, syncfs and sync_file_range, on "
	       "regular files (and directories\nthat are opened or flushed) of any file system. "
	       "So what a call waited for is in it, a lock as\nwell as a disk; and what a cache "
	       "answered is there, too. path is the file as the task sees it, links\nresolved; of "
	       "what could not be opened, the name that was asked for. (deleted) behind it: its "
	       "name\nis gone. offset of a call without one is the file's position: threads that "
	       "share it may each show\nthe other's.\nNot seen: page faults of mapped files, "
	       "io_uring, asynchronous I/O (io_submit), sendfile, splice,\ncopy_file_range, and "
	       "calls of 32-bit programs on a 64-bit kernel.",
	.options_size = sizeof(struct fs_conf), .state_size = sizeof(struct fs_state),
	.options = WEIR_TABLE(fs_options), .outputs = WEIR_TABLE(fs_outputs), .probe = fs_probe,
	.bind = fs_bind, .start = fs_start, .tick = fs_tick, .drain = fs_drain,
	.destroy = fs_destroy, .cost = fs_cost);
