/* SPDX-License-Identifier: BSD-2-Clause */
/* The counters of /proc/stat, strictly read. */
#ifndef CPU_STAT_READ_H
#define CPU_STAT_READ_H

#include <weir/plugin.h>
#include <weir/pressure.h>
#include <weir/sample.h>

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, GUEST, GUEST_NICE, STATES };

/* One CPU's counters: ticks of USER_HZ, and ns that tasks waited for it, where the kernel tells. */
struct stat_cpu {
	uint32_t number;
	uint64_t ticks[STATES];
	uint64_t wait; /* WEIR_ABSENT_U64: not known */
};

/* The lines of the whole machine: every kernel has them. */
enum { SWITCHES, INTERRUPTS, FORKS, RUNNING, BLOCKED, STAT_NUMBERS };

/* What goes in and out of memory, for the machine in one line. */
enum { PAGE_IN, PAGE_OUT, SWAP_IN, SWAP_OUT, STAT_PAGES };

struct stat_sample {
	struct stat_cpu *cpus;
	uint32_t count;
	uint32_t capacity;
	uint32_t has; /* mask of the numbers that were there */
	struct weir_sample_time time;
	uint64_t numbers[STAT_NUMBERS];
	uint64_t pages[STAT_PAGES]; /* KiB in and out, pages of swap; WEIR_ABSENT_U64: not known */
	struct weir_pressure cpu_pressure;
	struct weir_pressure irq_pressure;
};

/*
 * Reads all but the time into a sample, whose memory is used again. 0, or a negative errno, having
 * said why: only /proc/stat is needed for anything.
 */
int stat_read(struct weir_ctx *ctx, struct weir_buffer *buffer, struct stat_sample *sample);

/*
 * What was added to each of a CPU's counters of ticks. The kernel lets idle and iowait go back a
 * little (they are computed from several clocks): such a counter adds nothing. One that fell by
 * more than three seconds belongs to a CPU that was off and came back: its history starts anew, so
 * false.
 */
bool stat_delta(const struct stat_cpu *old, const struct stat_cpu *new, uint64_t delta[STATES]);

/* NULL: it is off. */
const struct stat_cpu *stat_find(const struct stat_sample *sample, uint32_t number);

#endif
