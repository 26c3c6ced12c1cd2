/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Source cpu.sample: what runs on the CPUs, with stacks, sampled by the kernel's perf events: of
 * everybody, of processes, of a cgroup, or of the pipeline's command.
 */
#include <sys/epoll.h>

#include <weir/probe.h>

#include "sample.h"

#define SAMPLE_EMIT_NS   UINT64_C(250000000)
#define SAMPLE_RECORD_NS UINT64_C(1000000000) /* the rings wake us when they are half full */

static const struct weir_option sample_options[] = {
	WEIR_OPT_TEXT(
		struct sample_conf, event, "",
		"what to sample by, a name of `weir events`; \"\": cycles, or cpu-clock where "
		"there is no PMU"),
	WEIR_OPT_UINT(struct sample_conf, frequency, "0", 0, 1000000,
		      "samples per second and CPU; 0: 99, unless a period is given"),
	WEIR_OPT_UINT(struct sample_conf, period, "0", 0, INT64_MAX,
		      "one sample each so many events (or ns, of a clock); 0: by frequency"),
	WEIR_OPT_TEXTS(struct sample_conf, pid, "",
		       "only these processes and their future children"),
	WEIR_OPT_TEXT(struct sample_conf, cgroup, "",
		      "only this cgroup and those below: a path below its hierarchy"),
	WEIR_OPT_BOOL(struct sample_conf, user, "true", "sample user code"),
	WEIR_OPT_BOOL(struct sample_conf, kernel, "true", "sample kernel code"),
	WEIR_OPT_BOOL(struct sample_conf, stacks, "true", "with callers; otherwise the leaf alone"),
	WEIR_OPT_UINT(struct sample_conf, max_stack, "127", 1, 65535, "longest stack, in frames"),
	WEIR_OPT_SIZE(struct sample_conf, buffer, "512KiB", 4096, 1 << 30,
		      "ring buffer for samples, per CPU"),
	WEIR_OPT_CHOICE(struct sample_conf, unwind, "fp", "fp dwarf auto",
			"how user stacks are walked: by frame pointers, in the kernel; by call "
			"frame information, from copies of the stacks; or so where a program keeps "
			"no frame pointers"),
	WEIR_OPT_SIZE(struct sample_conf, stack_size, "16KiB", 1024, 65024,
		      "bytes of a stack that are copied"),
	WEIR_OPT_CHOICE(struct sample_conf, as, "rows", "rows recording",
			"a row for each sample, or what the kernel wrote, for a file of perf"),
};

#define SAMPLE_FIELDS(name_, unit_)                                                                \
	static const struct weir_field name_[] = {                                                 \
		WEIR_FIELD_TIME(struct sample_row, time, WEIR_EVENT, "when it was taken"),         \
		WEIR_FIELD_WITH(struct sample_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,        \
				"process"),                                                        \
		WEIR_FIELD_WITH(struct sample_row, tid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,        \
				"thread"),                                                         \
		WEIR_FIELD(struct sample_row, cpu, WEIR_NONE, WEIR_KEY, "CPU it ran on"),          \
		WEIR_FIELD(struct sample_row, comm, WEIR_NONE, WEIR_KEY, "name of the thread"),    \
		WEIR_FIELD_WITH(struct sample_row, cgroup, WEIR_NONE, WEIR_KEY, WEIR_QUIET,        \
				"cgroup of the process"),                                          \
		WEIR_FIELD_WITH(struct sample_row, event, WEIR_NONE, WEIR_KEY, WEIR_QUIET,         \
				"what was sampled by"),                                            \
		WEIR_FIELD(struct sample_row, count, WEIR_SAMPLES, WEIR_DELTA, "always 1"),        \
		WEIR_FIELD(struct sample_row, weight, unit_, WEIR_DELTA,                           \
			   "events, or time of a clock, that it stands for"),                      \
		WEIR_FIELD(struct sample_row, stack, WEIR_NONE, WEIR_KEY, "code that ran"),        \
	}

SAMPLE_FIELDS(sample_clock_fields, WEIR_NS);
SAMPLE_FIELDS(sample_event_fields, WEIR_COUNT);
WEIR_SCHEMA(sample_clock_schema, "samples", struct sample_row, sample_clock_fields);
WEIR_SCHEMA(sample_event_schema, "samples", struct sample_row, sample_event_fields);

static const struct weir_output sample_outputs[] = {
	{ "samples", "one row per sample; the weight's unit is that of the event", NULL, 0, 0 },
};

static void sample_probe(struct weir_ctx *ctx)
{
	weir_probe_paranoid(
		ctx, -1, "only own processes, and from 2 on only their user code, can be sampled");
	weir_probe_hardware_pmu(
		ctx, "samples come from the cpu-clock timer, which cannot look into kernel "
		     "code that has interrupts off");
	weir_probe_nmi_watchdog(ctx);
}

static int sample_add_pid(struct weir_ctx *ctx, const char *text, uint32_t i)
{
	struct sample_state *state = ctx->state;
	unsigned long pid;
	char *end;
	char path[24];

	if (text[0] == '\0')
		return 0;
	errno = 0;
	pid = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || pid > 4194304) {
		snprintf(path, sizeof(path), "pid[%u]", i);
		return weir_fail_option(ctx, path, -EINVAL, "\"%s\" is no process id", text);
	}
	/* 0 is what a pipeline's parameter says that has not been given. */
	return pid ? weir_numbers_add(&state->pids, (uint32_t)pid) : 0;
}

static int sample_ask_services(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	int err = 0;

	if (conf->stacks && conf->user)
		state->unwind.how = conf->unwind;
	if (state->unwind.how != SAMPLE_UNWIND_FP && conf->as == SAMPLE_AS_ROWS)
		err = weir_service(ctx, WEIR_UNWIND_SERVICE, WEIR_UNWIND_VERSION,
				   &state->unwind.service);
	if (err || conf->as == SAMPLE_AS_RECORDING)
		return err;
	return weir_service(ctx, WEIR_PROCESS_SERVICE, WEIR_PROCESS_VERSION, &state->process);
}

static int sample_create(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	int err = 0;

	if (conf->frequency && conf->period)
		return weir_fail_option(ctx, "period", -EINVAL,
					"period and frequency exclude each other");
	if (!conf->user && !conf->kernel)
		return weir_fail_option(ctx, "user", -EINVAL,
					"neither user nor kernel: nothing is left to sample");
	for (uint32_t i = 0; !err && i < conf->pid.count; i++)
		err = sample_add_pid(ctx, conf->pid.items[i], i);
	if (conf->as == SAMPLE_AS_RECORDING && conf->unwind == SAMPLE_UNWIND_AUTO)
		return weir_fail_option(ctx, "unwind", -EINVAL,
					"a recording is of one kind: fp or dwarf");
	if (!err && state->pids.count && conf->cgroup[0])
		return weir_fail_option(ctx, "cgroup", -EINVAL,
					"pid and cgroup exclude each other");
	if (!err && ctx->child && !state->pids.count && !conf->cgroup[0])
		err = weir_numbers_add(&state->pids, (uint32_t)ctx->child);
	if (!err)
		err = weir_pmus_open(ctx, &state->pmus);
	return err ? err : sample_ask_services(ctx);
}

static int sample_bind(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	int err = sample_event_find(ctx);

	if (err)
		return err;
	if (conf->as == SAMPLE_AS_RECORDING)
		return ctx->host->declare(ctx, 0, &sample_part_schema);
	return ctx->host->declare(ctx, 0,
				  state->event.clock ? &sample_clock_schema : &sample_event_schema);
}

static int sample_ready(struct weir_ctx *ctx, int fd, uint32_t events)
{
	/* The thread of this event has ended: the fd would be ready for ever. */
	if (events & (EPOLLHUP | EPOLLERR))
		ctx->host->watch(ctx, fd, 0, sample_ready);
	return sample_read(ctx);
}

/* The provider may be refused what cpu.sample may do, and the other way round. */
static void sample_watch_processes(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;
	const struct weir_process_v1 *process = state->process.vtable;
	struct weir_process_scope scope = {
		.size = sizeof(scope),
		.pids = state->pids.items,
		.pid_count = state->pids.count,
		.cgroup_fd = -1,
	};
	int err = process->watch(state->process.ctx, &scope);

	if (err)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "the kernel does not tell of processes (%s): those that end before they "
			 "are looked up have no names",
			 strerror(-err));
}

static int sample_watch(struct weir_ctx *ctx, const struct weir_perf_set *set, uint32_t events)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < set->ring_count; i++)
		err = ctx->host->watch(ctx, set->ring_fds[i], events, sample_ready);
	return err;
}

static void sample_control(struct sample_state *state, unsigned long request)
{
	weir_perf_set_control(&state->set, request);
	weir_perf_set_control(&state->copies, request);
}

static int sample_start(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	int err;

	err = sample_open(ctx);
	/* Before the events are enabled, so that no sampled process is unknown. */
	if (!err && conf->as == SAMPLE_AS_RECORDING)
		err = sample_record_begin(ctx);
	else if (!err)
		sample_watch_processes(ctx);
	if (!err)
		err = sample_unwind_begin(ctx);
	if (!err)
		err = sample_watch(ctx, &state->set, EPOLLIN);
	if (!err)
		err = sample_watch(ctx, &state->copies, EPOLLIN);
	if (!err)
		err = weir_every(ctx, conf->as == SAMPLE_AS_RECORDING ? SAMPLE_RECORD_NS
								      : SAMPLE_EMIT_NS);
	if (err)
		return err;
	state->busy_ticks = sample_busy_ticks(ctx);
	state->window = weir_now(ctx);
	/* A command's events begin with its exec. */
	if (!ctx->child || state->pids.count != 1 || state->pids.items[0] != ctx->child)
		sample_control(state, PERF_EVENT_IOC_ENABLE);
	return 0;
}

static int sample_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct sample_state *state = ctx->state;
	bool over = state->pids.count && weir_perf_set_over(&state->set);
	int err = sample_read(ctx);

	(void)now;
	/* Asked before the last read, so that nothing is left behind. */
	if (!err && over)
		weir_finished(ctx);
	return err;
}

/* What was lost behind the last record that found room. */
static int sample_end_lost(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	uint64_t lost = weir_perf_set_lost(&state->set, state->attr.read_format) +
			weir_perf_set_lost(&state->copies, state->attr.read_format);

	if (lost <= state->counts.all_lost)
		return 0;
	lost -= state->counts.all_lost;
	state->counts.all_lost += lost;
	state->counts.ring_lost += lost;
	sample_say_lost(ctx);
	return conf->as == SAMPLE_AS_RECORDING ? sample_record_lost(ctx, lost) : 0;
}

static int sample_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	struct sample_state *state = ctx->state;
	int err;

	(void)deadline;
	sample_control(state, PERF_EVENT_IOC_DISABLE);
	state->busy_ticks = sample_busy_ticks(ctx) - state->busy_ticks;
	state->drained = true;
	err = sample_read(ctx);
	return err ? err : sample_end_lost(ctx);
}

static void sample_stop(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;

	if (state->window)
		sample_report(ctx);
	sample_unwind_report(ctx);
	sample_choose_report(ctx);
	sample_watch(ctx, &state->set, 0);
	sample_watch(ctx, &state->copies, 0);
	weir_perf_set_close(&state->set);
	weir_perf_set_close(&state->copies);
}

static void sample_cost(struct weir_ctx *ctx, struct weir_cost *cost)
{
	sample_choose_cost(ctx->state, cost);
}

static void sample_destroy(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;

	weir_perf_set_close(&state->set);
	weir_perf_set_close(&state->copies);
	sample_choose_end(state);
	sample_unwind_end(ctx);
	weir_numbers_release(&state->cpus);
	weir_numbers_release(&state->pids);
	weir_pmus_close(&state->pmus);
	ctx->host->names_release(state->names);
}

WEIR_COMPONENT("cpu.sample", WEIR_SOURCE, .summary = "what runs on the CPUs, sampled with stacks",
	       .options_size = sizeof(struct sample_conf),
	       .state_size = sizeof(struct sample_state), .options = WEIR_TABLE(sample_options),
	       .outputs = WEIR_TABLE(sample_outputs), .probe = sample_probe,
	       .create = sample_create, .bind = sample_bind, .start = sample_start,
	       .tick = sample_tick, .drain = sample_drain, .stop = sample_stop,
	       .destroy = sample_destroy, .cost = sample_cost);
