/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of cpu.stat with the whole machine in one line: vmstat's columns. */
#include <math.h>

#include <weir/keyed.h>

#include "stat_rows.h"

WEIR_DEFINE_UNIT(stat_mib, "data", "MiBy", "MiB", 1048576, 1);

struct stat_line_row {
	uint32_t running;
	uint32_t blocked;
	uint64_t swapped;
	uint64_t free;
	uint64_t buffers;
	uint64_t cache;
	uint64_t swap_in;
	uint64_t swap_out;
	uint64_t page_in;
	uint64_t page_out;
	uint64_t interrupts;
	uint64_t switches;
	double user;
	double system;
	double idle;
	double iowait;
	double steal;
	double guest;
};

#define LINE_FIELD(member_, unit_, role_, flags_, head_, head_unit_, head_flags_, doc_)            \
	WEIR_FIELD_HEAD(struct stat_line_row, member_, unit_, role_, WEIR_OPTIONAL | (flags_),     \
			WEIR_HEAD(head_, head_unit_, WEIR_WHOLE | (head_flags_)), doc_)
#define LINE_LEVEL(member_, head_, doc_)                                                           \
	LINE_FIELD(member_, WEIR_COUNT, WEIR_GAUGE, 0, head_, WEIR_COUNT, 0, doc_)
#define LINE_BYTES(member_, head_, doc_)                                                           \
	LINE_FIELD(member_, WEIR_BYTES, WEIR_GAUGE, 0, head_, &stat_mib, 0, doc_)
#define LINE_RATE(member_, head_, doc_)                                                            \
	LINE_FIELD(member_, WEIR_COUNT, WEIR_DELTA, 0, head_, WEIR_COUNT, WEIR_PER_SECOND, doc_)
#define LINE_BYTE_RATE(member_, head_, doc_)                                                       \
	LINE_FIELD(member_, WEIR_BYTES, WEIR_DELTA, 0, head_, WEIR_KIB, WEIR_PER_SECOND, doc_)
#define LINE_SHARE(member_, head_, flags_, doc_)                                                   \
	LINE_FIELD(member_, WEIR_RATIO, WEIR_GAUGE, flags_, head_, WEIR_PERCENT, 0, doc_)

static const struct weir_field stat_line_fields[] = {
	LINE_LEVEL(running, "r", "tasks running or waiting for a CPU"),
	LINE_LEVEL(blocked, "b", "tasks waiting for a device"),
	LINE_BYTES(swapped, "swpd", "swap in use, in MiB"),
	LINE_BYTES(free, "free", "memory not used for anything, in MiB"),
	LINE_BYTES(buffers, "buff", "buffers, in MiB"),
	LINE_BYTES(cache, "cache", "page cache and reclaimable slabs, in MiB"),
	LINE_BYTE_RATE(swap_in, "si", "read from swap, in KiB/s"),
	LINE_BYTE_RATE(swap_out, "so", "written to swap, in KiB/s"),
	LINE_BYTE_RATE(page_in, "bi", "read from disks, in KiB/s"),
	LINE_BYTE_RATE(page_out, "bo", "written to disks, in KiB/s"),
	LINE_RATE(interrupts, "in", "interrupts per second"),
	LINE_RATE(switches, "cs", "context switches per second"),
	LINE_SHARE(user, "us", 0, "in user code, in %; guests not included"),
	LINE_SHARE(system, "sy", 0, "in the kernel, interrupts included"),
	LINE_SHARE(idle, "id", 0, "idle"),
	LINE_SHARE(iowait, "wa", 0, "idle while a task waited for a device"),
	LINE_SHARE(steal, "st", 0, "taken by the hypervisor for others"),
	LINE_SHARE(guest, "gu", WEIR_QUIET, "running guests"),
};

const struct weir_schema stat_line_schema = { sizeof(struct weir_schema),
					      WEIR_ROW_SIZE(struct stat_line_row), "machine",
					      WEIR_TABLE(stat_line_fields) };

/* A machine without swap has none in use. */
static void line_fill_memory(struct stat_line_row *row, const char *meminfo)
{
	uint64_t total = weir_keyed_bytes(meminfo, "SwapTotal");
	uint64_t left = weir_keyed_bytes(meminfo, "SwapFree");
	uint64_t slab = weir_keyed_bytes(meminfo, "SReclaimable");
	uint64_t cache = weir_keyed_bytes(meminfo, "Cached");

	row->swapped = total == WEIR_ABSENT_U64 || left > total ? WEIR_ABSENT_U64 : total - left;
	row->free = weir_keyed_bytes(meminfo, "MemFree");
	row->buffers = weir_keyed_bytes(meminfo, "Buffers");
	row->cache = cache;
	if (cache != WEIR_ABSENT_U64 && slab != WEIR_ABSENT_U64)
		row->cache += slab;
}

static uint64_t line_added(struct weir_batch *batch, uint64_t from, uint64_t to, uint64_t bytes)
{
	uint64_t added;

	if (from == WEIR_ABSENT_U64 || to == WEIR_ABSENT_U64)
		return WEIR_ABSENT_U64;
	added = weir_sample_added(batch, from, to);
	return added == WEIR_ABSENT_U64 ? added : added * bytes;
}

static void line_fill_pages(struct weir_batch *batch, struct stat_line_row *row,
			    const struct stat_sample *old, const struct stat_sample *new)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	row->page_in = line_added(batch, old->pages[PAGE_IN], new->pages[PAGE_IN], 1024);
	row->page_out = line_added(batch, old->pages[PAGE_OUT], new->pages[PAGE_OUT], 1024);
	row->swap_in = line_added(batch, old->pages[SWAP_IN], new->pages[SWAP_IN], page);
	row->swap_out = line_added(batch, old->pages[SWAP_OUT], new->pages[SWAP_OUT], page);
}

/* Of the CPUs that were there in both samples. */
static void line_fill_cpu(struct stat_line_row *row, const struct stat_sample *old,
			  const struct stat_sample *new)
{
	uint64_t sum[STATES] = { 0 }, delta[STATES];
	double total = 0;

	for (uint32_t i = 0; i < new->count; i++) {
		const struct stat_cpu *before = stat_find(old, new->cpus[i].number);

		if (!before || !stat_delta(before, &new->cpus[i], delta))
			continue;
		for (int state = 0; state < STATES; state++)
			sum[state] += delta[state];
	}
	for (int state = 0; state < STATES; state++)
		total += (double)sum[state];
	if (total == 0)
		total = NAN;
	row->user = (double)(sum[USER] + sum[NICE]) / total;
	row->system = (double)(sum[SYSTEM] + sum[IRQ] + sum[SOFTIRQ]) / total;
	row->idle = (double)sum[IDLE] / total;
	row->iowait = (double)sum[IOWAIT] / total;
	row->steal = (double)sum[STEAL] / total;
	row->guest = (double)(sum[GUEST] + sum[GUEST_NICE]) / total;
}

int stat_add_line(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		  const struct stat_sample *new, const struct stat_rest *rest)
{
	struct stat_line_row *row = weir_add_row(ctx, batch);
	bool there;

	if (!row)
		return -ENOMEM;
	there = weir_read_file(ctx, "proc/meminfo", rest->buffer) == 0;
	line_fill_memory(row, there ? rest->buffer->bytes : "");
	line_fill_pages(batch, row, old, new);
	line_fill_cpu(row, old, new);
	row->running = (uint32_t) new->numbers[RUNNING];
	row->blocked = (uint32_t) new->numbers[BLOCKED];
	row->interrupts =
		weir_sample_added(batch, old->numbers[INTERRUPTS], new->numbers[INTERRUPTS]);
	row->switches = weir_sample_added(batch, old->numbers[SWITCHES], new->numbers[SWITCHES]);
	return 0;
}
