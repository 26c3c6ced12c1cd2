/* SPDX-License-Identifier: BSD-2-Clause */
/* Rows of cpu.stat for the whole machine: load and run queue, and who waits for a CPU. */
#include <math.h>
#include <stdio.h>

#include "stat_rows.h"

struct stat_system_row {
	double load1;
	double load5;
	double load15;
	uint32_t running;
	uint32_t blocked;
	uint32_t uninterruptible;
	uint32_t pad;
	uint64_t switches;
	uint64_t interrupts;
	uint64_t forks;
};

static const struct weir_field stat_system_fields[] = {
	WEIR_FIELD(struct stat_system_row, load1, WEIR_COUNT, WEIR_GAUGE,
		   "running and uninterruptible tasks, damped over 1 minute"),
	WEIR_FIELD(struct stat_system_row, load5, WEIR_COUNT, WEIR_GAUGE, "over 5 minutes"),
	WEIR_FIELD(struct stat_system_row, load15, WEIR_COUNT, WEIR_GAUGE, "over 15 minutes"),
	WEIR_FIELD(struct stat_system_row, running, WEIR_COUNT, WEIR_GAUGE,
		   "tasks running or waiting for a CPU"),
	WEIR_FIELD(struct stat_system_row, blocked, WEIR_COUNT, WEIR_GAUGE,
		   "tasks waiting for a device"),
	WEIR_FIELD_WITH(struct stat_system_row, uninterruptible, WEIR_COUNT, WEIR_GAUGE,
			WEIR_OPTIONAL,
			"tasks that nothing may wake, which the load counts as if they ran"),
	WEIR_FIELD_HEAD(struct stat_system_row, switches, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			WEIR_HEAD("cswch/s", WEIR_COUNT, WEIR_PER_SECOND), "context switches"),
	WEIR_FIELD_HEAD(struct stat_system_row, interrupts, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			WEIR_HEAD("intr/s", WEIR_COUNT, WEIR_PER_SECOND), "interrupts"),
	WEIR_FIELD_HEAD(struct stat_system_row, forks, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			WEIR_HEAD("proc/s", WEIR_COUNT, WEIR_PER_SECOND), "tasks created"),
};
const struct weir_schema stat_system_schema = { sizeof(struct weir_schema),
						WEIR_ROW_SIZE(struct stat_system_row), "CPU system",
						WEIR_TABLE(stat_system_fields) };

static const struct weir_field stat_pressure_fields[] = { WEIR_PRESSURE_FIELDS };

const struct weir_schema stat_pressure_schema = { sizeof(struct weir_schema),
						  WEIR_ROW_SIZE(struct weir_pressure_row),
						  "pressure", WEIR_TABLE(stat_pressure_fields) };

int stat_add_system(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		    const struct stat_sample *new, const struct stat_rest *rest)
{
	struct stat_system_row *row = weir_add_row(ctx, batch);
	int err;

	if (!row)
		return -ENOMEM;
	err = weir_read_file(ctx, "proc/loadavg", rest->buffer);
	if (err)
		return weir_fail(ctx, err, "read /proc/loadavg");
	if (sscanf(rest->buffer->bytes, "%lf %lf %lf", &row->load1, &row->load5, &row->load15) != 3)
		return weir_fail(ctx, -EBADMSG, "/proc/loadavg: cannot read \"%s\"",
				 rest->buffer->bytes);
	row->running = (uint32_t) new->numbers[RUNNING];
	row->blocked = (uint32_t) new->numbers[BLOCKED];
	row->uninterruptible = rest->states->count;
	row->switches = weir_sample_added(batch, old->numbers[SWITCHES], new->numbers[SWITCHES]);
	row->interrupts =
		weir_sample_added(batch, old->numbers[INTERRUPTS], new->numbers[INTERRUPTS]);
	row->forks = weir_sample_added(batch, old->numbers[FORKS], new->numbers[FORKS]);
	return 0;
}

/*
 * "full" of the CPU is told for cgroups only: of the whole machine the kernel writes 0, which says
 * nothing.
 */
int stat_add_pressure(struct weir_ctx *ctx, struct weir_batch *batch, const struct stat_sample *old,
		      const struct stat_sample *new)
{
	struct weir_pressure from = old->cpu_pressure, to = new->cpu_pressure;
	int err;

	from.full = to.full = WEIR_ABSENT_U64;
	err = weir_pressure_add(ctx, batch, "cpu", &from, &to);
	return err ? err
		   : weir_pressure_add(ctx, batch, "irq", &old->irq_pressure, &new->irq_pressure);
}
