/* SPDX-License-Identifier: BSD-2-Clause */
/* Source mem.stat: where the memory is, what happens to it, and who waits for it. */
#include <weir/plugin.h>
#include <weir/pressure.h>
#include <weir/probe.h>
#include <weir/reading.h>
#include <weir/sample.h>

#include "rates.h"
#include "usage.h"

struct mem_conf {
	uint64_t interval;
};

static const struct weir_option mem_options[] = {
	WEIR_OPT_DURATION(struct mem_conf, interval, "0", 0, 24 * WEIR_HOUR,
			  "time between two readings; 0: one reading, then the end"),
};

static const struct weir_field mem_pressure_fields[] = { WEIR_PRESSURE_FIELDS };
WEIR_SCHEMA(mem_pressure_schema, "pressure", struct weir_pressure_row, mem_pressure_fields);

enum { OUTPUT_USAGE, OUTPUT_RATES, OUTPUT_PRESSURE };

static const struct weir_output mem_outputs[] = {
	{ "usage", "one row for memory, one for swap", &mem_usage_schema, 0, 0 },
	{ "rates", "paging, faults and reclaim; needs an interval", &mem_rates_schema, 0, 0 },
	{ "pressure", "waits for memory and I/O; needs an interval", &mem_pressure_schema, 0, 0 },
};

static const char *const mem_pressures[] = { "memory", "io" };

enum { PRESSURES = sizeof(mem_pressures) / sizeof(mem_pressures[0]) };

struct mem_sample {
	struct weir_sample_time time;
	struct mem_counters counters;
	struct weir_pressure pressures[PRESSURES];
};

struct mem_state {
	struct weir_buffer buffer;
	struct mem_sample samples[2]; /* in turn the last one and the new one */
	uint32_t last;
	bool has_last;
	bool started; /* the first reading was made, so ticks have the user's interval */
};

static int mem_emit_usage(struct weir_ctx *ctx, uint64_t now)
{
	struct mem_state *st = ctx->state;
	struct weir_batch *batch = weir_loan_window(ctx, OUTPUT_USAGE, 2, now, now);

	if (!batch)
		return 0;
	return weir_commit_filled(ctx, batch, mem_usage_add(ctx, batch, &st->buffer));
}

static int mem_emit_rates(struct weir_ctx *ctx, const struct mem_sample *old,
			  const struct mem_sample *new)
{
	struct weir_batch *batch = weir_loan_window(ctx, OUTPUT_RATES, 1, 0, 0);

	if (!batch)
		return 0;
	weir_sample_window(batch, &old->time, &new->time);
	return weir_commit_filled(ctx, batch,
				  mem_rates_add(ctx, batch, &old->counters, &new->counters));
}

static int mem_emit_pressure(struct weir_ctx *ctx, const struct mem_sample *old,
			     const struct mem_sample *new)
{
	struct weir_batch *batch = weir_loan_window(ctx, OUTPUT_PRESSURE, PRESSURES, 0, 0);
	int err = 0;

	if (!batch)
		return 0;
	weir_sample_window(batch, &old->time, &new->time);
	for (int i = 0; !err && i < PRESSURES; i++)
		err = weir_pressure_add(ctx, batch, mem_pressures[i], &old->pressures[i],
					&new->pressures[i]);
	return weir_commit_filled(ctx, batch, err);
}

/* The new sample's time is already set. */
static int mem_sample_rates(struct weir_ctx *ctx)
{
	struct mem_state *st = ctx->state;
	struct mem_sample *old = &st->samples[st->last], *new = &st->samples[!st->last];
	int err;

	err = mem_rates_read(ctx, &st->buffer, &new->counters);
	if (err)
		return err;
	for (int i = 0; i < PRESSURES; i++)
		weir_pressure_read(ctx, mem_pressures[i], &st->buffer, &new->pressures[i]);
	st->last = !st->last;
	if (!st->has_last) {
		st->has_last = true;
		return 0;
	}
	err = mem_emit_rates(ctx, old, new);
	return err ? err : mem_emit_pressure(ctx, old, new);
}

/*
 * The clock is read first: where a recorded tree's stands still, there is nothing to say yet. One
 * reading needs no clock.
 */
static int mem_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct mem_conf *conf = ctx->options;
	struct mem_state *st = ctx->state;
	struct mem_sample *old = &st->samples[st->last], *new = &st->samples[!st->last];
	int err = 0;

	if (st->started) {
		err = weir_sample_time(ctx, &new->time);
		if (err || weir_sample_elapsed(&old->time, &new->time) == 0)
			return err;
	}
	err = mem_emit_usage(ctx, now);
	if (!err && st->started)
		err = mem_sample_rates(ctx);
	return err ? err : weir_read_again(ctx, &st->started, conf->interval);
}

/* The counters' first sample is of the start, so that a run's every moment is in some window. */
static int mem_start(struct weir_ctx *ctx)
{
	const struct mem_conf *conf = ctx->options;
	struct mem_state *st = ctx->state;
	int err = 0;

	if (conf->interval)
		err = weir_sample_time(ctx, &st->samples[!st->last].time);
	if (!err && conf->interval)
		err = mem_sample_rates(ctx);
	return err ? err : weir_read_at_once(ctx);
}

static int mem_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	const struct mem_conf *conf = ctx->options;
	struct mem_state *st = ctx->state;

	if (conf->interval == 0 || !st->started ||
	    !weir_sample_is_due(ctx, &st->samples[st->last].time, conf->interval))
		return 0;
	return mem_tick(ctx, weir_now(ctx));
}

static void mem_destroy(struct weir_ctx *ctx)
{
	struct mem_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
}

static void mem_probe(struct weir_ctx *ctx)
{
	weir_probe_psi(ctx, "how long tasks waited for a resource");
}

WEIR_COMPONENT(
	"mem.stat", WEIR_SOURCE, .summary = "where the memory is, and what happens to it",
	.doc = "From /proc/meminfo, vmstat and pressure. \"used\" is what cannot be had without "
	       "swapping: total less available. Pressure is the share of the window in which tasks "
	       "waited, from the kernel's totals; where it does not tell, there is no row.",
	.options_size = sizeof(struct mem_conf), .state_size = sizeof(struct mem_state),
	.options = WEIR_TABLE(mem_options), .outputs = WEIR_TABLE(mem_outputs), .probe = mem_probe,
	.start = mem_start, .tick = mem_tick, .drain = mem_drain, .destroy = mem_destroy);
