/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.sample: the rate that was asked and the rate that was obtained, and why they differ. */
#include <stddef.h>
#include <stdio.h>

#include <weir/probe.h>

#include "sample.h"

#define SAMPLE_TICKS_PER_SECOND 100.0

/* Ticks that all CPUs together were busy, from the first line of /proc/stat. 0: not known. */
uint64_t sample_busy_ticks(struct weir_ctx *ctx)
{
	struct weir_buffer stat = { NULL, 0, 0 };
	unsigned long long user = 0, nice = 0, system = 0, idle, iowait, irq = 0, softirq = 0;

	if (weir_read_file(ctx, "proc/stat", &stat) < 0 ||
	    sscanf(stat.bytes, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system,
		   &idle, &iowait, &irq, &softirq) != 7)
		user = nice = system = irq = softirq = 0;
	weir_buffer_release(&stat);
	return user + nice + system + irq + softirq;
}

/* Seconds that the events of threads ran; children are part of it. */
static double sample_running_seconds(const struct weir_perf_set *set)
{
	struct sample_counted {
		uint64_t value;
		uint64_t enabled;
		uint64_t running;
		uint64_t lost; /* with WEIR_PERF_FORMAT_LOST */
	} counts;
	double seconds = 0;

	for (uint32_t i = 0; i < set->fd_count; i++)
		if (read(set->fds[i], &counts, sizeof(counts)) >=
		    (ssize_t)offsetof(struct sample_counted, lost))
			seconds += (double)counts.running / 1e9;
	return seconds;
}

/* A rate means something for a clock whose every firing is a sample: see exclude_idle. */
static bool sample_rate_known(const struct sample_conf *conf, const struct sample_state *state)
{
	return state->frequency && state->event.clock && conf->user && conf->kernel &&
	       !state->user_only && !conf->cgroup[0];
}

static void sample_report_rate(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	const struct sample_state *state = ctx->state;
	unsigned long long samples = state->counts.samples;
	double seconds;

	if (state->pids.count)
		seconds = sample_running_seconds(&state->set);
	else
		seconds = state->drained ? (double)state->busy_ticks / SAMPLE_TICKS_PER_SECOND : 0;
	if (sample_rate_known(conf, state) && seconds >= 0.5)
		weir_log(ctx, WEIR_LOG_INFO,
			 "asked %llu Hz, got %.1f Hz per busy CPU (%llu samples of %s, "
			 "%.1f s of CPU time)",
			 (unsigned long long)state->frequency, (double)samples / seconds, samples,
			 state->event.name, seconds);
	else if (state->frequency)
		weir_log(ctx, WEIR_LOG_INFO, "asked %llu Hz, got %llu samples of %s",
			 (unsigned long long)state->frequency, samples, state->event.name);
	else
		weir_log(ctx, WEIR_LOG_INFO, "asked for each %llu, got %llu samples of %s",
			 (unsigned long long)conf->period, samples, state->event.name);
}

/* Events belong to the CPUs that were online when they were opened. */
static void sample_report_cpus(struct weir_ctx *ctx)
{
	const struct sample_state *state = ctx->state;
	struct weir_numbers now = { NULL, 0, 0 };
	uint32_t missed = 0;

	if (weir_perf_cpus(ctx, &now) == 0)
		for (uint32_t i = 0; i < now.count; i++) {
			uint32_t known = 0;

			while (known < state->cpus.count &&
			       state->cpus.items[known] != now.items[i])
				known++;
			missed += known == state->cpus.count;
		}
	weir_numbers_release(&now);
	if (missed)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%u CPUs came online after the start: what ran on them is missing",
			 missed);
}

void sample_report(struct weir_ctx *ctx)
{
	const struct sample_state *state = ctx->state;
	int64_t rate_max = state->rate_max;

	sample_report_rate(ctx);
	sample_report_cpus(ctx);
	if (!state->counts.throttled)
		return;
	weir_read_number(ctx, SAMPLE_MAX_RATE, &rate_max);
	weir_log(ctx, WEIR_LOG_WARNING, "throttled %llu times by the kernel%s",
		 (unsigned long long)state->counts.throttled,
		 rate_max < state->rate_max ? ", which has lowered its limit:" : "");
	if (rate_max < state->rate_max)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "kernel.perf_event_max_sample_rate is now %lld, was %lld",
			 (long long)rate_max, (long long)state->rate_max);
}
