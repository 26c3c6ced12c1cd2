/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.pmu: what was counted since it was read last: of events, and of the rest of the time. */
#include <math.h>

#include "pmu.h"

/* Adds what one descriptor counted. */
static void pmu_sum_add(struct pmu_counter *counter, uint32_t i, struct pmu_sum *sum)
{
	struct pmu_reading now, *last = &counter->last[i];
	uint64_t count, enabled, running;

	if (counter->fds[i] < 0 || read(counter->fds[i], &now, sizeof(now)) != sizeof(now))
		return;
	count = now.count - last->count;
	enabled = now.enabled - last->enabled;
	running = now.running - last->running;
	*last = now;
	sum->fds++;
	sum->enabled += enabled;
	sum->running += running;
	sum->raw += count;
	if (running)
		sum->count +=
			(double)count * (running < enabled ? (double)enabled / (double)running : 1);
}

static void pmu_read_counter(const struct pmu_state *state, struct pmu_counter *counter)
{
	memset(counter->sums, 0, state->place_count * sizeof(*counter->sums));
	for (uint32_t i = 0; i < counter->fd_count; i++)
		pmu_sum_add(counter, i, &counter->sums[pmu_place(state, counter->fd_cpus[i])]);
}

/* What task-clock has counted of tasks, or a negative number: it is not there. */
static double pmu_task_clock(const struct pmu_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (strcmp(state->counters[i].name, "task-clock") == 0 &&
		    state->counters[i].sums[0].running)
			return state->counters[i].sums[0].count;
	return -1;
}

/* `running` says that it is there. */
static void pmu_own_is(struct pmu_state *state, enum pmu_own own, double ns)
{
	state->own[own] = (struct pmu_sum){ .running = 1, .enabled = 1, .fds = 1, .count = ns };
}

/*
 * The rest of the time. Children and threads that have ended are not in the scheduler's account of
 * those that are left: if it lacks more than a fiftieth of the time on a CPU, it is not told.
 */
static void pmu_read_waits(struct weir_ctx *ctx, double elapsed)
{
	struct pmu_state *state = ctx->state;
	const struct pmu_tasks *tasks = &state->tasks;
	double clock = pmu_task_clock(state), run, waited, rest;

	pmu_tasks_read(ctx);
	run = (double)tasks->window_run;
	waited = (double)tasks->window_waited;
	if (!tasks->whole || clock < 0 || fabs(clock - run) > clock / 50 + 2e6)
		return;
	rest = elapsed * tasks->tids.count - run - waited;
	pmu_own_is(state, PMU_QUEUED, waited);
	pmu_own_is(state, PMU_ASLEEP, rest > 0 ? rest : 0);
}

void pmu_read(struct weir_ctx *ctx, uint64_t elapsed)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;

	for (uint32_t i = 0; i < state->count; i++)
		pmu_read_counter(state, &state->counters[i]);
	memset(state->own, 0, sizeof(state->own));
	pmu_own_is(state, PMU_ELAPSED, (double)elapsed);
	if (state->by_task && !conf->events[0])
		pmu_read_waits(ctx, (double)elapsed);
}
