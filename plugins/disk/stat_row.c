/* SPDX-License-Identifier: BSD-2-Clause */
/* See stat_row.h. */
#include "stat_row.h"

#include <math.h>
#include <stdio.h>

#define SECTOR 512u

#define DISK_FIELD(name_, member_, unit_, role_, flags_, head_, doc_)                              \
	{                                                                                          \
		.name = (name_), .doc = (doc_), .unit = (unit_),                                   \
		.type = WEIR_MEMBER_TYPE(struct disk_row, member_), .role = (role_),               \
		.offset = offsetof(struct disk_row, member_),                                      \
		.bytes = WEIR_MEMBER_SIZE(struct disk_row, member_),                               \
		.flags = WEIR_OPTIONAL | (flags_), .head = (head_)                                 \
	}

/* The columns of one kind of requests; `letter_` is what iostat's names of them begin with. */
#define DISK_OP(op_, letter_, flags_, quiet_)                                                      \
	DISK_FIELD(#op_ "s", op_.requests, WEIR_COUNT, WEIR_DELTA, flags_,                         \
		   WEIR_HEAD(letter_ "/s", WEIR_COUNT, WEIR_PER_SECOND), "requests that ended"),   \
		DISK_FIELD(#op_ "_bytes", op_.bytes, WEIR_BYTES, WEIR_DELTA, flags_,               \
			   WEIR_HEAD(letter_ "kB/s", WEIR_KIB, WEIR_PER_SECOND), "their bytes"),   \
		DISK_FIELD(#op_ "_merges", op_.merges, WEIR_COUNT, WEIR_DELTA, quiet_,             \
			   WEIR_HEAD(letter_ "rqm/s", WEIR_COUNT, WEIR_PER_SECOND),                \
			   "requests that were merged into others"),                               \
		DISK_FIELD(#op_ "_merged", op_.merged, WEIR_RATIO, WEIR_GAUGE, quiet_,             \
			   WEIR_HEAD("%" letter_ "rqm", WEIR_PERCENT, 0),                          \
			   "share of all requests that was merged"),                               \
		DISK_FIELD(#op_ "_wait", op_.wait, WEIR_NS, WEIR_GAUGE, flags_,                    \
			   WEIR_HEAD(letter_ "_await", WEIR_MS, 0),                                \
			   "mean time from coming to the queue to the end"),                       \
		DISK_FIELD(#op_ "_size", op_.size, WEIR_BYTES, WEIR_GAUGE, quiet_,                 \
			   WEIR_HEAD(letter_ "areq-sz", WEIR_KIB, 0), "mean size")

static const struct weir_field disk_row_fields[] = {
	WEIR_FIELD(struct disk_row, disk, WEIR_NONE, WEIR_KEY, "name of the disk or partition"),
	WEIR_FIELD_WITH(struct disk_row, device, WEIR_NONE, WEIR_KEY, WEIR_QUIET,
			"its major and minor number"),
	WEIR_FIELD_WITH(struct disk_row, diskseq, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"another number is another device or medium"),
	DISK_OP(read, "r", 0, WEIR_QUIET),
	DISK_OP(write, "w", 0, WEIR_QUIET),
	DISK_OP(discard, "d", WEIR_QUIET, WEIR_QUIET),
	DISK_FIELD("flushes", flushes, WEIR_COUNT, WEIR_DELTA, WEIR_QUIET,
		   WEIR_HEAD("f/s", WEIR_COUNT, WEIR_PER_SECOND), "flushes that ended"),
	DISK_FIELD("flush_wait", flush_wait, WEIR_NS, WEIR_GAUGE, WEIR_QUIET,
		   WEIR_HEAD("f_await", WEIR_MS, 0), "mean time of a flush"),
	DISK_FIELD("in_flight", in_flight, WEIR_COUNT, WEIR_GAUGE, WEIR_QUIET, NULL,
		   "requests at the window's end"),
	DISK_FIELD("queue", queue, WEIR_COUNT, WEIR_GAUGE, 0, WEIR_HEAD("aqu-sz", WEIR_COUNT, 0),
		   "requests that waited or were served, on the average"),
	DISK_FIELD("util", util, WEIR_RATIO, WEIR_GAUGE, 0, WEIR_HEAD("%util", WEIR_PERCENT, 0),
		   "share of the time with any request, 1 at most"),
	DISK_FIELD("util_raw", util_raw, WEIR_RATIO, WEIR_GAUGE, WEIR_QUIET, NULL,
		   "the same as the kernel counts it"),
	WEIR_FIELD_WITH(struct disk_row, note, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"what to know of the numbers"),
};

const struct weir_schema disk_row_schema = { sizeof(struct weir_schema),
					     WEIR_ROW_SIZE(struct disk_row), "disks",
					     WEIR_TABLE(disk_row_fields) };

void disk_row_name(struct disk_row *row, const struct disk_entry *disk)
{
	snprintf(row->disk, sizeof(row->disk), "%s", disk->name);
	snprintf(row->device, sizeof(row->device), "%u:%u", disk->major, disk->minor);
	row->diskseq = disk->sequence ? disk->sequence : WEIR_ABSENT_U64;
}

void disk_row_note(struct disk_row *row, const char *note)
{
	snprintf(row->note, sizeof(row->note), "%s", note);
}

void disk_row_empty(struct disk_row *row, const char *note)
{
	static const struct disk_op none = {
		WEIR_ABSENT_U64, WEIR_ABSENT_U64, WEIR_ABSENT_U64, WEIR_ABSENT_U64, NAN, NAN
	};

	row->read = row->write = row->discard = none;
	row->flushes = row->flush_wait = row->in_flight = WEIR_ABSENT_U64;
	row->queue = row->util = row->util_raw = NAN;
	disk_row_note(row, note);
}

/* The kernel's times are 32 bits of ms, which turn over after 50 days; its other counters do not. */
static bool disk_is_time(int counter)
{
	return counter == READ_MS || counter == WRITE_MS || counter == BUSY_MS ||
	       counter == QUEUE_MS || counter == DISCARD_MS || counter == FLUSH_MS;
}

/* False: a counter went back. */
static bool disk_delta(const struct disk_entry *old, const struct disk_entry *new,
		       uint64_t delta[DISK_COUNTERS])
{
	for (int i = 0; i < DISK_COUNTERS; i++) {
		uint64_t from = old->counters[i], to = new->counters[i];

		delta[i] = to - from;
		if (i == IN_FLIGHT || to == WEIR_ABSENT_U64 || from == WEIR_ABSENT_U64)
			delta[i] = to;
		else if (to < from && disk_is_time(i) && from <= UINT32_MAX)
			delta[i] = (uint32_t)delta[i];
		else if (to < from)
			return false;
		if (disk_is_time(i) && to < from && delta[i] > INT32_MAX)
			return false;
	}
	return true;
}

static uint64_t disk_mean_ns(uint64_t ms, uint64_t requests)
{
	if (requests == 0 || requests == WEIR_ABSENT_U64)
		return WEIR_ABSENT_U64;
	return (uint64_t)((double)ms * 1e6 / (double)requests);
}

/* `first` is the counter of requests; merges, sectors and ms follow it. */
static void disk_fill_op(struct disk_op *op, const uint64_t *first)
{
	uint64_t requests = first[0], merges = first[1], sectors = first[2];

	op->requests = requests;
	op->merges = merges;
	op->bytes = sectors == WEIR_ABSENT_U64 ? sectors : sectors * SECTOR;
	op->wait = disk_mean_ns(first[3], requests);
	op->merged = op->size = NAN;
	if (requests == WEIR_ABSENT_U64)
		return;
	if (requests + merges)
		op->merged = (double)merges / (double)(requests + merges);
	if (requests)
		op->size = (double)op->bytes / (double)requests;
}

/*
 * The kernel counts a request that takes less than a tick as a tick of busy time, so that a fast
 * device seems busy. Its times of requests are exact: if they say that much less, they are right.
 */
static void disk_judge_util(struct disk_row *row, double seconds)
{
	row->util = row->util_raw < 1 ? row->util_raw : 1;
	if (row->util_raw > 0.1 && row->queue < row->util_raw / 10 && row->in_flight == 0)
		disk_row_note(row, "busy time unreliable");
	else if (row->util_raw > 1 + 0.02 / seconds)
		disk_row_note(row, "busy time above 100 %");
}

void disk_row_fill(struct disk_row *row, const struct disk_entry *old, const struct disk_entry *new,
		   uint64_t elapsed)
{
	double seconds = (double)elapsed / 1e9;
	uint64_t delta[DISK_COUNTERS];

	if (!disk_delta(old, new, delta)) {
		disk_row_empty(row, "counters went back");
		return;
	}
	disk_fill_op(&row->read, &delta[READS]);
	disk_fill_op(&row->write, &delta[WRITES]);
	disk_fill_op(&row->discard, &delta[DISCARDS]);
	row->flushes = delta[FLUSHES];
	row->flush_wait = disk_mean_ns(delta[FLUSH_MS], delta[FLUSHES]);
	row->in_flight = delta[IN_FLIGHT];
	row->queue = (double)delta[QUEUE_MS] / 1e3 / seconds;
	row->util_raw = (double)delta[BUSY_MS] / 1e3 / seconds;
	disk_judge_util(row, seconds);
}

static bool disk_none(uint64_t count)
{
	return count == 0 || count == WEIR_ABSENT_U64;
}

bool disk_row_is_idle(const struct disk_row *row)
{
	return disk_none(row->read.requests) && disk_none(row->write.requests) &&
	       disk_none(row->discard.requests) && disk_none(row->flushes) && row->in_flight == 0 &&
	       row->util == 0;
}
