/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of cpu.stat for each CPU, and one for all of them. */
#include <math.h>
#include <stdio.h>

#include "stat_rows.h"

struct stat_row {
	char cpu[16];
	double user;
	double nice;
	double system;
	double iowait;
	double irq;
	double softirq;
	double steal;
	double guest;
	double guest_nice;
	double idle;
	double waiting;
};

#define STAT_SHARE(member_, head_, flags_, doc_)                                                   \
	WEIR_FIELD_HEAD(struct stat_row, member_, WEIR_RATIO, WEIR_DELTA,                          \
			WEIR_OPTIONAL | (flags_), WEIR_HEAD(head_, WEIR_PERCENT, 0), doc_)

static const struct weir_field stat_fields[] = {
	WEIR_FIELD(struct stat_row, cpu, WEIR_NONE, WEIR_KEY, "CPU number, or \"all\" online ones"),
	STAT_SHARE(user, "%usr", 0, "in user code, guests not included"),
	STAT_SHARE(nice, "%nice", 0, "in user code with lowered priority, guests not included"),
	STAT_SHARE(system, "%sys", 0, "in the kernel"),
	STAT_SHARE(iowait, "%iowait", 0, "idle while a task of this CPU waited for a device"),
	STAT_SHARE(irq, "%irq", 0, "in hardware interrupts"),
	STAT_SHARE(softirq, "%soft", 0, "in software interrupts"),
	STAT_SHARE(steal, "%steal", 0, "taken by the hypervisor for others"),
	STAT_SHARE(guest, "%guest", 0, "running a guest"),
	STAT_SHARE(guest_nice, "%gnice", WEIR_QUIET, "running a guest with lowered priority"),
	STAT_SHARE(idle, "%idle", 0, "idle"),
	WEIR_FIELD_HEAD(struct stat_row, waiting, WEIR_COUNT, WEIR_GAUGE, WEIR_OPTIONAL,
			WEIR_HEAD("waitq", WEIR_COUNT, 0),
			"tasks that waited for this CPU, on the average; all: for any"),
};
const struct weir_schema stat_cpu_schema = { sizeof(struct weir_schema),
					     WEIR_ROW_SIZE(struct stat_row), "CPU time",
					     WEIR_TABLE(stat_fields) };

static void stat_fill(struct stat_row *row, const uint64_t delta[STATES])
{
	double *shares[STATES] = {
		[USER] = &row->user,       [NICE] = &row->nice,
		[SYSTEM] = &row->system,   [IDLE] = &row->idle,
		[IOWAIT] = &row->iowait,   [IRQ] = &row->irq,
		[SOFTIRQ] = &row->softirq, [STEAL] = &row->steal,
		[GUEST] = &row->guest,     [GUEST_NICE] = &row->guest_nice,
	};
	uint64_t total = 0;

	for (int i = 0; i < STATES; i++)
		total += delta[i];
	for (int i = 0; i < STATES; i++)
		*shares[i] = total ? (double)delta[i] / (double)total : NAN;
}

/* A row without numbers for a CPU that was, or is, not there: the window has a gap. */
static int stat_add_gap(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t number)
{
	const uint64_t nothing[STATES] = { 0 };
	struct stat_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	snprintf(row->cpu, sizeof(row->cpu), "%u", number);
	stat_fill(row, nothing);
	row->waiting = NAN;
	batch->flags |= WEIR_BATCH_GAP;
	return 0;
}

/* What all CPUs did. */
struct stat_sum {
	uint64_t ticks[STATES];
	double waiting;
};

static double stat_waiting(const struct weir_batch *batch, uint64_t from, uint64_t to)
{
	if (from == WEIR_ABSENT_U64 || to == WEIR_ABSENT_U64 || to < from)
		return NAN;
	return (double)(to - from) / (double)(batch->end - batch->start);
}

/* The row of a CPU that is there now; what it did is added to `sum`. */
static int stat_add_cpu_row(struct weir_ctx *ctx, struct weir_batch *batch,
			    const struct stat_sample *old, const struct stat_cpu *cpu,
			    struct stat_sum *sum)
{
	const struct stat_cpu *before = stat_find(old, cpu->number);
	uint64_t delta[STATES];
	struct stat_row *row;

	if (!before || !stat_delta(before, cpu, delta))
		return stat_add_gap(ctx, batch, cpu->number);
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	snprintf(row->cpu, sizeof(row->cpu), "%u", cpu->number);
	stat_fill(row, delta);
	row->waiting = stat_waiting(batch, before->wait, cpu->wait);
	for (int i = 0; i < STATES; i++)
		sum->ticks[i] += delta[i];
	sum->waiting += row->waiting;
	return 0;
}

int stat_add_cpus(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		  const struct stat_sample *new)
{
	struct stat_sum sum = { .waiting = 0 };
	struct stat_row *row = weir_add_row(ctx, batch);
	int err = row ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < new->count; i++)
		err = stat_add_cpu_row(ctx, batch, old, &new->cpus[i], &sum);
	for (uint32_t i = 0; !err && i < old->count; i++)
		if (!stat_find(new, old->cpus[i].number))
			err = stat_add_gap(ctx, batch, old->cpus[i].number);
	if (err)
		return err;
	row = (struct stat_row *)batch->rows;
	memcpy(row->cpu, "all", 4);
	stat_fill(row, sum.ticks);
	row->waiting = sum.waiting;
	return 0;
}
