/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source cpu.pmu: how often events happen: of a command, processes, threads, a cgroup, CPUs or the
 * whole machine. What cannot be counted has its row, too, with the reason.
 */
#include "pmu.h"

#include <stdlib.h>
#include <sys/epoll.h>

static const struct weir_option pmu_options[] = {
	WEIR_OPT_TEXT(struct pmu_conf, events, "",
		      "events, names of `weir events` with commas between; {a,b}: counted at the "
		      "same time; \"\": those of the metrics"),
	WEIR_OPT_TEXTS(struct pmu_conf, metrics, "",
		       "sets of metrics whose events are counted, too; \"\": generic, unless "
		       "events are given"),
	WEIR_OPT_TEXTS(struct pmu_conf, pid, "", "only these processes"),
	WEIR_OPT_TEXTS(struct pmu_conf, tid, "", "only these threads"),
	WEIR_OPT_TEXT(struct pmu_conf, cgroup, "",
		      "only this cgroup and those below: a path below its hierarchy"),
	WEIR_OPT_TEXT(struct pmu_conf, cpu, "", "only these CPUs, as in 0-3,8"),
	WEIR_OPT_DURATION(struct pmu_conf, interval, "0", 0, WEIR_HOUR,
			  "length of a window; 0: one window, until the end"),
	WEIR_OPT_CHOICE(struct pmu_conf, per, "all", "all cpu core socket", "one row for each"),
	WEIR_OPT_BOOL(struct pmu_conf, no_inherit, "false",
		      "without the children and threads that they will have"),
	WEIR_OPT_UINT(struct pmu_conf, repeat, "1", 1, 100000,
		      "the command is run so often; counts are the mean of its runs"),
};

static const struct weir_output pmu_outputs[] = {
	{ "counts", "one row per event and window", &pmu_schema, 0, 0 },
};

static void pmu_probe(struct weir_ctx *ctx)
{
	weir_probe_hardware_pmu(ctx, "hardware and cache events cannot be counted: what is left is "
				     "time, switches, faults and waits");
	weir_probe_nmi_watchdog(ctx);
	weir_probe_paranoid(ctx, 0,
			    "only own processes, and from 2 on only their user code, can "
			    "be counted");
}

static int pmu_add_ids(struct weir_ctx *ctx, const struct weir_texts *texts, const char *option,
		       struct weir_numbers *ids)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < texts->count; i++) {
		const char *text = texts->items[i];
		char path[24], *end;
		unsigned long id;

		errno = 0;
		id = strtoul(text, &end, 10);
		snprintf(path, sizeof(path), "%s[%u]", option, i);
		if (text[0] && (text[0] < '0' || text[0] > '9' || *end || errno || id > 4194304))
			return weir_fail_option(ctx, path, -EINVAL, "\"%s\" is no id", text);
		/* 0 is what a pipeline's parameter says that has not been given. */
		if (text[0] && id)
			err = weir_numbers_add(ids, (uint32_t)id);
	}
	return err;
}

static int pmu_check_target(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	uint32_t kinds =
		(state->pids.count != 0) + (state->tids.count != 0) + (conf->cgroup[0] != '\0');

	if (kinds > 1)
		return weir_fail_option(ctx, conf->cgroup[0] ? "cgroup" : "tid", -EINVAL,
					"pid, tid and cgroup exclude each other");
	state->by_task = state->pids.count || state->tids.count;
	if (state->by_task && (conf->per != PMU_PER_ALL || conf->cpu[0]))
		return weir_fail_option(ctx, conf->cpu[0] ? "cpu" : "per", -EINVAL,
					"of processes and threads there is one row for all CPUs");
	return 0;
}

static int pmu_create(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	int err = pmu_add_ids(ctx, &conf->pid, "pid", &state->pids);

	if (!err)
		err = pmu_add_ids(ctx, &conf->tid, "tid", &state->tids);
	if (err)
		return err;
	if (ctx->child && !state->pids.count && !state->tids.count && !conf->cgroup[0] &&
	    !conf->cpu[0] && conf->per == PMU_PER_ALL)
		err = weir_numbers_add(&state->pids, (uint32_t)ctx->child);
	state->command = ctx->child && state->pids.count == 1 &&
			 state->pids.items[0] == (uint32_t)ctx->child;
	if (!err)
		err = pmu_check_target(ctx);
	if (!err)
		err = weir_pmus_open(ctx, &state->pmus);
	return err ? err : pmu_choose(ctx);
}

static int pmu_ended(struct weir_ctx *ctx, int fd, uint32_t events)
{
	(void)events;
	ctx->host->watch(ctx, fd, 0, pmu_ended);
	if (pmu_over(ctx))
		weir_finished(ctx);
	return 0;
}

static int pmu_start(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	int err = pmu_repeat_check(ctx);

	if (!err)
		err = pmu_open(ctx);
	if (!err)
		err = pmu_places(ctx);
	if (!err)
		err = weir_every(ctx, conf->interval ? conf->interval : WEIR_SECOND);
	if (err)
		return err;
	for (uint32_t i = 0; !err && i < state->ends.count; i++)
		err = ctx->host->watch(ctx, (int)state->ends.items[i], EPOLLIN, pmu_ended);
	if (err)
		return err;
	pmu_enable(ctx);
	state->window = weir_now(ctx);
	return pmu_tasks_begin(ctx);
}

static int pmu_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	/* Asked before the last read, so that nothing is left behind. */
	bool over = state->by_task && !state->command && pmu_over(ctx);
	int err = conf->interval ? pmu_emit(ctx, now) : 0;

	if (!err && over)
		weir_finished(ctx);
	return err;
}

static int pmu_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	(void)deadline;
	return pmu_emit(ctx, weir_now(ctx));
}

static void pmu_stop(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;

	for (uint32_t i = 0; i < state->ends.count; i++)
		ctx->host->watch(ctx, (int)state->ends.items[i], 0, pmu_ended);
}

static void pmu_destroy(struct weir_ctx *ctx)
{
	pmu_free(ctx->state);
}

WEIR_COMPONENT("cpu.pmu", WEIR_SOURCE,
	       .summary = "how often events happen: instructions, cache misses, switches, faults",
	       .options_size = sizeof(struct pmu_conf), .state_size = sizeof(struct pmu_state),
	       .options = WEIR_TABLE(pmu_options), .outputs = WEIR_TABLE(pmu_outputs),
	       .probe = pmu_probe, .create = pmu_create, .start = pmu_start, .tick = pmu_tick,
	       .drain = pmu_drain, .stop = pmu_stop, .destroy = pmu_destroy,
	       .command_ended = pmu_command_ended);
