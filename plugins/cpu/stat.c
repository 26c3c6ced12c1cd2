/* SPDX-License-Identifier: BSD-2-Clause */
/* Source cpu.stat: what each CPU spent its time on, and the machine's run queue, from /proc/stat. */
#include <weir/probe.h>
#include <weir/reading.h>

#include "stat_rows.h"

struct stat_conf {
	uint64_t interval;
	bool states;
};

static const struct weir_option stat_options[] = {
	WEIR_OPT_DURATION(struct stat_conf, interval, "1s", 10000000, 24 * WEIR_HOUR,
			  "length of a window"),
	WEIR_OPT_BOOL(struct stat_conf, states, "yes",
		      "count tasks in uninterruptible sleep, for which all have to be looked at"),
};

enum { OUTPUT_CPU, OUTPUT_SYSTEM, OUTPUT_LINE, OUTPUT_PRESSURE };

static const struct weir_output stat_outputs[] = {
	{ "cpu", "one row per CPU and one for all", &stat_cpu_schema, 0, 0 },
	{ "system", "load, run queue and rates of the machine", &stat_system_schema, 0, 0 },
	{ "line", "the machine in one line, as vmstat has it", &stat_line_schema, 0, 0 },
	{ "pressure", "waits for a CPU, and time lost to interrupts", &stat_pressure_schema, 0, 0 },
};

struct stat_state {
	struct weir_buffer buffer;
	struct stat_states states;
	struct stat_sample samples[2]; /* in turn the last one and the new one */
	uint32_t last;
};

static int stat_fill_output(struct weir_ctx *ctx, uint32_t output, struct weir_batch *batch,
			    const struct stat_sample *old, const struct stat_sample *new)
{
	struct stat_state *st = ctx->state;
	const struct stat_rest rest = { &st->buffer, &st->states };

	switch (output) {
	case OUTPUT_CPU:
		return stat_add_cpus(ctx, batch, old, new);
	case OUTPUT_SYSTEM:
		return stat_add_system(ctx, batch, old, new, &rest);
	case OUTPUT_LINE:
		return stat_add_line(ctx, batch, old, new, &rest);
	default:
		return stat_add_pressure(ctx, batch, old, new);
	}
}

static int stat_emit(struct weir_ctx *ctx, uint32_t output, const struct stat_sample *old,
		     const struct stat_sample *new)
{
	struct weir_batch *batch = weir_loan_window(ctx, output, new->count + 2, 0, 0);

	if (!batch)
		return 0;
	weir_sample_window(batch, &old->time, &new->time);
	return weir_commit_filled(ctx, batch, stat_fill_output(ctx, output, batch, old, new));
}

/* The clock is read first: where a recorded tree's stands still, there is nothing to say yet. */
static int stat_tick(struct weir_ctx *ctx, uint64_t now __attribute__((unused)))
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	struct stat_sample *old = &st->samples[st->last], *new = &st->samples[!st->last];
	int err = weir_sample_time(ctx, &new->time);

	if (err || weir_sample_elapsed(&old->time, &new->time) == 0)
		return err;
	err = stat_read(ctx, &st->buffer, new);
	if (err)
		return err;
	st->last = !st->last;
	if (conf->states)
		stat_states_update(ctx, &st->states, &st->buffer);
	else
		st->states.count = WEIR_ABSENT_U32;
	for (uint32_t output = OUTPUT_CPU; !err && output <= OUTPUT_PRESSURE; output++)
		err = stat_emit(ctx, output, old, new);
	return err;
}

static int stat_start(struct weir_ctx *ctx)
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	struct stat_sample *first = &st->samples[st->last];
	int err = weir_sample_time(ctx, &first->time);

	if (!err)
		err = stat_read(ctx, &st->buffer, first);
	return err ? err : weir_every(ctx, conf->interval);
}

static int stat_drain(struct weir_ctx *ctx, uint64_t deadline __attribute__((unused)))
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;

	if (!weir_sample_is_due(ctx, &st->samples[st->last].time, conf->interval))
		return 0;
	return stat_tick(ctx, 0);
}

static void stat_destroy(struct weir_ctx *ctx)
{
	struct stat_state *st = ctx->state;

	weir_buffer_release(&st->buffer);
	free(st->samples[0].cpus);
	free(st->samples[1].cpus);
}

static void stat_probe(struct weir_ctx *ctx)
{
	weir_probe_psi(ctx, "how long tasks waited for a resource");
}

WEIR_COMPONENT(
	"cpu.stat", WEIR_SOURCE, .summary = "what each CPU spends its time on",
	.doc = "Shares of each window, from the counters of /proc/stat. A CPU that came, went "
	       "or was off\nwithin the window has a row without numbers. How many tasks waited for "
	       "each is of\n/proc/schedstat. Pressure is the share of the window in which tasks "
	       "waited, from the\nkernel's totals; where it does not tell, there is no row.",
	.options_size = sizeof(struct stat_conf), .state_size = sizeof(struct stat_state),
	.options = WEIR_TABLE(stat_options), .outputs = WEIR_TABLE(stat_outputs),
	.probe = stat_probe, .start = stat_start, .tick = stat_tick, .drain = stat_drain,
	.destroy = stat_destroy);
