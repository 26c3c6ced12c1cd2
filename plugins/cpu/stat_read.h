/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of /proc/stat, strictly read. */
#ifndef CPU_STAT_READ_H
#define CPU_STAT_READ_H

#include <weir/file.h>
#include <weir/plugin.h>

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, STATES };

/* One CPU's counters, in ticks of USER_HZ. */
struct stat_cpu {
	uint32_t number;
	uint64_t ticks[STATES];
};

/* The lines of the whole machine: every kernel has them. */
enum { SWITCHES, INTERRUPTS, FORKS, RUNNING, BLOCKED, STAT_NUMBERS };

struct stat_sample {
	struct stat_cpu *cpus;
	uint32_t count;
	uint32_t capacity;
	uint32_t has; /* mask of the numbers that were there */
	uint64_t time;
	uint64_t numbers[STAT_NUMBERS];
};

/* Reads the file into a sample, whose memory is used again. 0, or a negative errno, having said why. */
int stat_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct stat_sample *sample);

#endif
