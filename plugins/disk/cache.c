/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source disk.cache: hits and misses of the page cache per window, counted in the kernel by
 * cache.bpf.c, and the cache's size.
 */
#include <math.h>

#include <weir/bpf/loader.h>
#include <weir/bpf/probe.h>
#include <weir/file.h>
#include <weir/plugin.h>
#include <weir/sample.h>
#include <weir/task_filter.h>

#include "cache_event.h"
/* Needs the counts' type. */
#include "cache.skel.h"

struct cache_conf {
	uint64_t interval;
	struct weir_task_conf filter;
};

static const struct weir_option cache_options[] = {
	WEIR_OPT_DURATION(struct cache_conf, interval, "1s", 0, 24 * WEIR_HOUR,
			  "length of a window; 0: one window, until the end"),
	WEIR_OPT_TASK_FILTER(struct cache_conf),
};

struct cache_row {
	uint64_t hits;
	uint64_t misses;
	double ratio;
	uint64_t dirtied;
	uint64_t written;
	uint64_t dropped;
	uint64_t buffers;
	uint64_t cached;
};

static const struct weir_field cache_fields[] = {
	WEIR_FIELD_WITH(struct cache_row, hits, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			"pages that reads and faults asked for, and that were there before"),
	WEIR_FIELD(struct cache_row, misses, WEIR_COUNT, WEIR_DELTA,
		   "pages added for reads and faults, those read ahead included"),
	WEIR_FIELD_WITH(struct cache_row, ratio, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			"hits of hits and misses; none without either"),
	WEIR_FIELD(struct cache_row, dirtied, WEIR_COUNT, WEIR_DELTA,
		   "pages that became dirty, once each until they are written back"),
	WEIR_FIELD_WITH(struct cache_row, written, WEIR_COUNT, WEIR_DELTA, WEIR_QUIET,
			"pages added for writes"),
	WEIR_FIELD_WITH(struct cache_row, dropped, WEIR_COUNT, WEIR_DELTA, WEIR_QUIET,
			"pages removed: reclaimed, truncated, deleted"),
	WEIR_FIELD(struct cache_row, buffers, WEIR_BYTES, WEIR_GAUGE,
		   "cache of block devices, of the whole machine"),
	WEIR_FIELD(struct cache_row, cached, WEIR_BYTES, WEIR_GAUGE,
		   "cache of files, of the whole machine"),
};

WEIR_SCHEMA(cache_schema, "page cache", struct cache_row, cache_fields);

static const struct weir_output cache_outputs[] = {
	{ "cache", "one row each interval", &cache_schema, 0, 0 },
};

struct cache_state {
	struct cache_bpf *bpf;
	struct weir_cgroup_names cgroups;
	struct weir_buffer meminfo;
	struct cache_counts seen; /* at the end of the last window */
	int64_t owed;             /* hits of that window that proved to be none: 0 or less */
	uint64_t start;           /* of the window */
	bool sees_hits;
	int stats; /* holds the kernel's statistics of BPF on; 0: not asked for */
};

/* The tracepoints of asking are those of Linux 6.12: without them the rest still counts. */
static int cache_attach(struct weir_ctx *ctx)
{
	struct cache_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	if (cache_bpf__page_added__attach(st->bpf) < 0 ||
	    cache_bpf__page_dropped__attach(st->bpf) < 0 ||
	    cache_bpf__page_dirtied__attach(st->bpf) < 0) {
		err = weir_bpf_attach_one(cache_bpf, st->bpf, -1, &report);
		return weir_fail(ctx, err, "%s", report.text);
	}
	st->sees_hits = cache_bpf__pages_asked__attach(st->bpf) >= 0 &&
			cache_bpf__page_faulted__attach(st->bpf) >= 0;
	if (!st->sees_hits)
		weir_log(
			ctx, WEIR_LOG_WARNING,
			"this kernel has no mm_filemap_get_pages (Linux 6.12): hits are not known");
	return 0;
}

static int cache_start(struct weir_ctx *ctx)
{
	const struct cache_conf *conf = ctx->options;
	struct cache_state *st = ctx->state;
	struct weir_bpf_report report = { 0 };
	int err;

	st->bpf = cache_bpf__open();
	if (!st->bpf)
		return weir_fail(ctx, -ENOMEM, "open BPF programs");
	err = weir_task_filter_set(ctx, &conf->filter, &st->bpf->rodata->task_filter, &st->cgroups);
	if (err)
		return err;
	err = weir_bpf_load(cache_bpf, st->bpf, &report);
	if (err)
		return weir_fail(ctx, err, "%s", report.text);
	err = cache_attach(ctx);
	if (err)
		return err;
	st->start = weir_now(ctx);
	return weir_every(ctx, conf->interval);
}

static void cache_sum(const struct cache_counts *cpus, struct cache_counts *sum)
{
	for (int i = 0; i < CACHE_CPUS; i++) {
		sum->hits += __atomic_load_n(&cpus[i].hits, __ATOMIC_RELAXED);
		sum->written += __atomic_load_n(&cpus[i].written, __ATOMIC_RELAXED);
		sum->added += __atomic_load_n(&cpus[i].added, __ATOMIC_RELAXED);
		sum->dirtied += __atomic_load_n(&cpus[i].dirtied, __ATOMIC_RELAXED);
		sum->dropped += __atomic_load_n(&cpus[i].dropped, __ATOMIC_RELAXED);
	}
}

/* What never was in two windows' sums can't be less than nothing in one. */
static uint64_t cache_settle(int64_t *owed, uint64_t change)
{
	int64_t now = *owed + (int64_t)change;

	*owed = now < 0 ? now : 0;
	return now < 0 ? 0 : (uint64_t)now;
}

static void cache_count(struct cache_state *st, const struct cache_counts *now,
			struct cache_row *row)
{
	uint64_t added = now->added - st->seen.added;
	uint64_t written = now->written - st->seen.written;

	row->written = written;
	/* A page that was added just before the window's end may be dirtied just behind it. */
	row->misses = added > written ? added - written : 0;
	row->dirtied = now->dirtied - st->seen.dirtied;
	row->dropped = now->dropped - st->seen.dropped;
	row->hits = WEIR_ABSENT_U64;
	row->ratio = NAN;
	if (!st->sees_hits)
		return;
	row->hits = cache_settle(&st->owed, now->hits - st->seen.hits);
	if (row->hits + row->misses)
		row->ratio = (double)row->hits / (double)(row->hits + row->misses);
}

/* "Cached:   1234 kB" in bytes. */
static int cache_size(const char *meminfo, const char *name, uint64_t *bytes)
{
	const char *line = strstr(meminfo, name);
	unsigned long long kib;

	if (!line || sscanf(line + strlen(name), "%llu kB", &kib) != 1)
		return -EBADMSG;
	*bytes = kib * 1024;
	return 0;
}

static int cache_sizes(struct weir_ctx *ctx, struct cache_row *row)
{
	struct cache_state *st = ctx->state;
	int err = weir_read_file(ctx, "proc/meminfo", &st->meminfo);

	if (!err)
		err = cache_size(st->meminfo.bytes, "\nBuffers:", &row->buffers);
	if (!err)
		err = cache_size(st->meminfo.bytes, "\nCached:", &row->cached);
	return err ? weir_fail(ctx, err, "read /proc/meminfo") : 0;
}

static int cache_emit(struct weir_ctx *ctx, uint64_t now)
{
	struct cache_state *st = ctx->state;
	struct cache_counts sum = { 0 };
	struct weir_batch *batch = weir_loan(ctx, 0, 1, 0);
	struct cache_row row = { 0 }, *out;
	int err;

	/* What a full queue does not take now is in the next window. */
	if (!batch)
		return 0;
	err = cache_sizes(ctx, &row);
	out = err ? NULL : weir_add_row(ctx, batch);
	if (!out) {
		weir_discard(ctx, batch);
		return err ? err : weir_fail(ctx, -ENOMEM, "send a row");
	}
	cache_sum(st->bpf->bss->counts, &sum);
	cache_count(st, &sum, &row);
	*out = row;
	st->seen = sum;
	batch->start = st->start;
	batch->end = now;
	st->start = now;
	return weir_commit(ctx, batch);
}

static int cache_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct cache_conf *conf = ctx->options;
	const struct cache_state *st = ctx->state;

	(void)deadline;
	return weir_window_is_due(ctx, st->start, conf->interval) ? cache_emit(ctx, weir_now(ctx))
								  : 0;
}

/* The first call switches the kernel's statistics on, which slows each run by some 50 ns. */
static void cache_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	struct cache_state *st = ctx->state;

	weir_bpf_tell_cost(st->bpf, &st->stats, cost);
}

static void cache_destroy(struct weir_ctx *ctx)
{
	struct cache_state *st = ctx->state;

	cache_bpf__destroy(st->bpf);
	weir_buffer_release(&st->meminfo);
	weir_cgroup_names_release(&st->cgroups);
	weir_bpf_stats_end(&st->stats);
}

static void cache_probe(struct weir_ctx *ctx)
{
	if (!weir_probe_bpf(ctx))
		return;
	weir_probe_target(ctx, "raw_tp/mm_filemap_add_to_page_cache",
			  "raw tracepoints of the page cache", WEIR_NEED_MISSING,
			  "the page cache is not seen", "a kernel with CONFIG_TRACEPOINTS");
	weir_probe_target(ctx, "raw_tp/mm_filemap_get_pages", "mm_filemap_get_pages",
			  WEIR_NEED_LIMITED, "hits of the page cache are not known",
			  "Linux 6.12 or later");
}

WEIR_COMPONENT(
	"disk.cache", WEIR_SOURCE, .summary = "hits and misses of the page cache",
	.doc = "A miss is a page that was added to the cache for a read or a fault, whether asked "
	       "for or read ahead.\nA hit is a page that a read or a fault asked for and that was "
	       "there before: pages that the same task\nadded, reading on in the same file, are no "
	       "hits when it gets to them. A page that is added and\ndirtied by the same task is "
	       "neither: it was written. Reads of part of a page ask for the page.\nNot seen: what "
	       "a program does with pages that are mapped already, or that the kernel maps along "
	       "with\none that faulted; files on tmpfs and DAX; O_DIRECT, which asks no cache. A "
	       "page that is read, because\nonly part of it is written, counts as written. Hits "
	       "are "
	       "known from Linux 6.12 on.",
	.options_size = sizeof(struct cache_conf), .state_size = sizeof(struct cache_state),
	.options = WEIR_TABLE(cache_options), .outputs = WEIR_TABLE(cache_outputs),
	.probe = cache_probe, .start = cache_start, .tick = cache_emit, .drain = cache_drain,
	.destroy = cache_destroy, .cost = cache_cost);
