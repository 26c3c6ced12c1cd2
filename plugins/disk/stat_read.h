/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of /proc/diskstats, strictly read, and which disk each line is about. */
#ifndef DISK_STAT_READ_H
#define DISK_STAT_READ_H

#include <weir/plugin.h>
#include <weir/sample.h>

/* The columns of a line, in the kernel's order; times are ms. */
enum disk_counter {
	READS,
	READ_MERGES,
	READ_SECTORS,
	READ_MS,
	WRITES,
	WRITE_MERGES,
	WRITE_SECTORS,
	WRITE_MS,
	IN_FLIGHT,
	BUSY_MS,
	QUEUE_MS, /* of all requests, added up */
	DISCARDS, /* since 4.18 */
	DISCARD_MERGES,
	DISCARD_SECTORS,
	DISCARD_MS,
	FLUSHES, /* since 5.5 */
	FLUSH_MS,
	DISK_COUNTERS,
};

#define DISK_NAME 32

/* One line. What an older kernel does not count is WEIR_ABSENT_U64. */
struct disk_entry {
	char name[DISK_NAME];
	uint32_t major;
	uint32_t minor;
	uint64_t sequence; /* diskseq: another one is another medium. 0: not known */
	uint64_t object;   /* inode of its folder in a live sysfs: another one is another device */
	bool partition;
	uint64_t counters[DISK_COUNTERS];
};

struct disk_sample {
	struct disk_entry *disks;
	uint32_t count;
	uint32_t capacity;
	struct weir_sample_time time;
};

/* What became of a disk from one sample to the next. */
enum disk_change {
	DISK_SAME,
	DISK_MEDIUM,   /* the same device with another medium; its counters went on */
	DISK_REPLACED, /* another device, whose counters began at 0 */
};

/*
 * Reads the files into a sample, whose memory is used again and whose time is already set. 0, or
 * a negative errno, having said why.
 */
int disk_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct disk_sample *sample);

/* The disk of that name, which is likely at place `hint`; NULL: none. */
const struct disk_entry *disk_find(const struct disk_sample *sample, const char *name,
				   uint32_t hint);

/* The name of a disk's folder in sysfs: ! stands for the / of names like cciss/c0d0. */
void disk_folder_name(const char *name, char folder[DISK_NAME]);

enum disk_change disk_compare(const struct disk_entry *old, const struct disk_entry *new);

#endif
