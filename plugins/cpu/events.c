/* SPDX-License-Identifier: BSD-2-Clause */
/* Source cpu.events: what can be counted, sampled or traced on this machine, and if not, why not. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/perf_event.h>
#include <weir/plugin.h>
#include <weir/pmu_events.h>
#include <weir/probe.h>

static const char *const events_kinds[] = { "hardware", "software", "cache", "tracepoint", "pmu" };

struct events_conf {
	uint32_t kind; /* mask of 1 << position in events_kinds; 0: all */
	uint32_t reserved;
	const char *match;
};

static const struct weir_option events_options[] = {
	WEIR_OPT_CHOICES(struct events_conf, kind, "", "hardware software cache tracepoint pmu",
			 "only these kinds"),
	WEIR_OPT_TEXT(struct events_conf, match, "*", "only names that match this pattern"),
};

struct events_row {
	char kind[16];
	struct weir_text name;
	struct weir_text use;
	struct weir_text reason;
	struct weir_text doc;
	uint64_t type;
	uint64_t config;
	uint64_t config1;
	bool available;
	uint8_t reserved[7];
};

static const struct weir_field events_fields[] = {
	WEIR_FIELD(struct events_row, kind, WEIR_NONE, WEIR_KEY, "what offers it"),
	WEIR_FIELD(struct events_row, name, WEIR_NONE, WEIR_KEY, "as `event` options take it"),
	WEIR_FIELD(struct events_row, available, WEIR_NONE, WEIR_GAUGE, "whether it works here"),
	WEIR_FIELD_WITH(struct events_row, use, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"what it can be used for"),
	WEIR_FIELD_WITH(struct events_row, reason, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"why it does not work"),
	WEIR_FIELD_WITH(struct events_row, doc, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"what it counts"),
	WEIR_FIELD_WITH(struct events_row, type, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL | WEIR_QUIET,
			"perf_event_attr.type"),
	WEIR_FIELD_WITH(struct events_row, config, WEIR_NONE, WEIR_GAUGE,
			WEIR_OPTIONAL | WEIR_QUIET | WEIR_HEX, "perf_event_attr.config"),
	WEIR_FIELD_WITH(struct events_row, config1, WEIR_NONE, WEIR_GAUGE,
			WEIR_OPTIONAL | WEIR_QUIET | WEIR_HEX, "perf_event_attr.config1"),
};
WEIR_SCHEMA(events_schema, "events", struct events_row, events_fields);

static const struct weir_output events_outputs[] = {
	{ "events", "one row per event", &events_schema, 0, 0 },
};

struct events_state {
	struct weir_pmus pmus;
	struct weir_batch *batch; /* while it is being filled */
	struct weir_ctx *ctx;
	int has_pmu;
};

static bool events_wanted(const struct weir_pmu_event *event, const struct events_conf *conf)
{
	bool kind = !conf->kind;

	for (uint32_t i = 0; i < sizeof(events_kinds) / sizeof(events_kinds[0]); i++)
		if (conf->kind & (1u << i) && strcmp(event->kind, events_kinds[i]) == 0)
			kind = true;
	return kind && (!conf->match[0] || fnmatch(conf->match, event->name, 0) == 0);
}

static int events_text(struct weir_ctx *ctx, const char *text, struct weir_text *out)
{
	const struct events_state *state = ctx->state;

	return weir_add_text(ctx, state->batch, text ? text : "", text ? strlen(text) : 0, out);
}

/* One row. `reason` NULL: available. */
static int events_add(struct weir_ctx *ctx, const struct weir_pmu_event *event, const char *use,
		      const char *reason)
{
	const struct events_state *state = ctx->state;
	struct events_row *row = weir_add_row(ctx, state->batch);

	if (!row)
		return -ENOMEM;
	snprintf(row->kind, sizeof(row->kind), "%s", event->kind);
	row->available = !reason;
	row->type = event->flags & WEIR_PMU_ENCODED ? event->type : WEIR_ABSENT_U64;
	row->config = event->flags & WEIR_PMU_ENCODED ? event->config : WEIR_ABSENT_U64;
	row->config1 = event->flags & WEIR_PMU_ENCODED ? event->config1 : WEIR_ABSENT_U64;
	if (events_text(ctx, event->name, &row->name) < 0 ||
	    events_text(ctx, reason ? NULL : use, &row->use) < 0 ||
	    events_text(ctx, event->doc, &row->doc) < 0 ||
	    events_text(ctx, reason, &row->reason) < 0)
		return -ENOMEM;
	return 0;
}

static const char *events_refusal(const struct events_state *state,
				  const struct weir_pmu_event *event, int err)
{
	if (err == -EACCES || err == -EPERM)
		return "not permitted: kernel.perf_event_paranoid";
	if (event->type >= PERF_TYPE_MAX)
		return "the kernel refuses it";
	return state->has_pmu ? "this CPU does not have it" : "no hardware PMU here";
}

/* Whether the kernel opens it; else why not. NULL: it does. */
static const char *events_try(struct weir_ctx *ctx, const struct weir_pmu_event *event,
			      bool *sampled)
{
	const bool whole = event->flags & WEIR_PMU_WHOLE_CPU;
	struct perf_event_attr attr;
	int fd;

	weir_pmu_attr(event, &attr);
	attr.disabled = attr.exclude_kernel = attr.exclude_hv = 1;
	fd = weir_perf_open(&attr, 0, -1, 0);
	if (fd < 0 && (whole || event->type >= PERF_TYPE_MAX)) {
		attr.exclude_kernel = attr.exclude_hv = 0;
		fd = weir_perf_open(&attr, -1, whole ? (int)strtol(event->cpus, NULL, 10) : 0, 0);
	}
	if (fd < 0)
		return events_refusal(ctx->state, event, fd);
	close(fd);
	attr.sample_period = 1000000;
	fd = weir_perf_open(&attr, 0, -1, 0);
	*sampled = fd >= 0;
	if (fd >= 0)
		close(fd);
	return NULL;
}

static int events_see(const struct weir_pmu_event *event, void *with)
{
	struct events_state *state = with;
	struct weir_ctx *ctx = state->ctx;
	const char *reason;
	bool sampled = false;

	if (!events_wanted(event, ctx->options))
		return 0;
	if (event->why)
		return events_add(ctx, event, "", event->why);
	if (!(event->flags & WEIR_PMU_ENCODED))
		return events_add(ctx, event, "count, sample, trace", NULL);
	reason = events_try(ctx, event, &sampled);
	return events_add(ctx, event, sampled ? "count, sample" : "count", reason);
}

/* The providers are asked for one kind where only one is wanted: it may be much quicker. */
static int events_fill(struct weir_ctx *ctx)
{
	const struct events_conf *conf = ctx->options;
	struct events_state *state = ctx->state;
	const char *only = NULL;
	int err = 0;

	for (uint32_t i = 0; i < sizeof(events_kinds) / sizeof(events_kinds[0]); i++)
		if (conf->kind == 1u << i)
			only = events_kinds[i];
	state->ctx = ctx;
	state->has_pmu = weir_has_hardware_pmu(ctx);
	for (uint32_t i = 0; !err && i < state->pmus.count; i++)
		err = state->pmus.items[i].calls->list(state->pmus.items[i].ctx, only, events_see,
						       state);
	return err;
}

static int events_create(struct weir_ctx *ctx)
{
	struct events_state *state = ctx->state;

	return weir_pmus_open(ctx, &state->pmus);
}

static void events_destroy(struct weir_ctx *ctx)
{
	struct events_state *state = ctx->state;

	weir_pmus_close(&state->pmus);
}

static int events_start(struct weir_ctx *ctx)
{
	return weir_every(ctx, 1000000);
}

static int events_tick(struct weir_ctx *ctx, uint64_t now)
{
	const struct events_conf *conf = ctx->options;
	struct events_state *state = ctx->state;
	int err;

	state->batch = weir_loan(ctx, 0, 256, 16384);
	if (!state->batch)
		return 0; /* the next tick tries again */
	state->batch->start = state->batch->end = now;
	err = events_fill(ctx);
	if (err) {
		weir_discard(ctx, state->batch);
		return weir_fail(ctx, err, "list of events");
	}
	if (state->batch->row_count == 0)
		weir_log(ctx, WEIR_LOG_WARNING, "no event has a name like \"%s\"", conf->match);
	weir_every(ctx, 0);
	err = weir_commit(ctx, state->batch);
	weir_finished(ctx);
	return err;
}

WEIR_COMPONENT("cpu.events", WEIR_SOURCE,
	       .summary = "what can be counted, sampled or traced on this machine",
	       .options_size = sizeof(struct events_conf),
	       .state_size = sizeof(struct events_state), .options = WEIR_TABLE(events_options),
	       .outputs = WEIR_TABLE(events_outputs), .create = events_create,
	       .start = events_start, .tick = events_tick, .destroy = events_destroy);
