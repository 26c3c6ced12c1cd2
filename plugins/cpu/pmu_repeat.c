/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.pmu: a command that is run several times: mean and deviation of what its runs counted. */
#include <math.h>

#include "pmu.h"

int pmu_repeat_check(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;

	if (conf->repeat < 2)
		return 0;
	if (!ctx->child || !WEIR_HAS(ctx->host, command_again))
		return weir_fail_option(ctx, "repeat", -EINVAL,
					"what is repeated is a command: -- COMMAND");
	if (conf->interval)
		return weir_fail_option(ctx, "repeat", -EINVAL,
					"repeat and interval exclude each other");
	return 0;
}

static void pmu_series_add(struct pmu_series *series, const struct pmu_sum *sum)
{
	double far = sum->count - series->mean;

	series->enabled += sum->enabled;
	series->running += sum->running;
	series->fds += sum->fds;
	if (!sum->running)
		return;
	series->runs++;
	series->mean += far / series->runs;
	series->squares += far * (sum->count - series->mean);
}

static void pmu_series_mean(const struct pmu_series *series, struct pmu_sum *sum)
{
	*sum = (struct pmu_sum){
		.enabled = series->enabled,
		.running = series->running,
		.count = series->mean,
		.raw = (uint64_t)llround(series->mean),
		.fds = series->fds,
		.runs = series->runs,
		.deviation = NAN,
	};
	if (series->runs > 1)
		sum->deviation = series->squares > 0
					 ? sqrt(series->squares / (series->runs - 1)) / series->mean
					 : 0;
}

static void pmu_repeat_add(struct pmu_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		for (uint32_t j = 0; j < state->place_count; j++)
			pmu_series_add(&state->counters[i].series[j], &state->counters[i].sums[j]);
	for (uint32_t i = 0; i < PMU_OWN; i++)
		pmu_series_add(&state->own_series[i], &state->own[i]);
	state->runs++;
}

void pmu_repeat_means(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;

	if (state->runs < conf->repeat)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%u of %u runs came to their end: the one that did not is left out",
			 state->runs, conf->repeat);
	for (uint32_t i = 0; i < state->count; i++)
		for (uint32_t j = 0; j < state->place_count; j++)
			pmu_series_mean(&state->counters[i].series[j], &state->counters[i].sums[j]);
	for (uint32_t i = 0; i < PMU_OWN; i++)
		pmu_series_mean(&state->own_series[i], &state->own[i]);
}

int pmu_command_ended(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	int err;

	if (conf->repeat < 2)
		return 0;
	pmu_read(ctx, weir_now(ctx) - state->window);
	pmu_repeat_add(state);
	if (state->runs == conf->repeat)
		return 0;
	err = ctx->host->command_again(ctx);
	if (!err && state->command)
		err = pmu_open_again(ctx);
	if (err)
		return err;
	/* What CPUs did between two runs is of neither. */
	if (!state->command)
		pmu_read(ctx, 0);
	state->window = weir_now(ctx);
	return state->command ? pmu_tasks_begin(ctx) : 0;
}
