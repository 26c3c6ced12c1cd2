/* SPDX-License-Identifier: BSD-2-Clause */
/* A row of disk.stat: from two lines of /proc/diskstats to iostat's columns. */
#ifndef DISK_STAT_ROW_H
#define DISK_STAT_ROW_H

#include "stat_read.h"

/* Requests of one kind that ended in the window. */
struct disk_op {
	uint64_t requests;
	uint64_t bytes;
	uint64_t merges;
	uint64_t wait; /* mean, ns */
	double merged; /* share of what came that was merged into a request that was there */
	double size;   /* mean, bytes */
};

struct disk_row {
	char disk[32];
	char device[16];
	char note[32];
	uint64_t diskseq;
	struct disk_op read;
	struct disk_op write;
	struct disk_op discard;
	uint64_t flushes;
	uint64_t flush_wait;
	uint64_t in_flight;
	double queue;
	double util;
	double util_raw;
};

extern const struct weir_schema disk_row_schema;

void disk_row_name(struct disk_row *row, const struct disk_entry *disk);
void disk_row_note(struct disk_row *row, const char *note);

/* No numbers, and why. */
void disk_row_empty(struct disk_row *row, const char *note);

/* What happened from one line to the other, `elapsed` ns later. */
void disk_row_fill(struct disk_row *row, const struct disk_entry *old, const struct disk_entry *new,
		   uint64_t elapsed);

/* True when nothing ended, and nothing waits. */
bool disk_row_is_idle(const struct disk_row *row);

#endif
