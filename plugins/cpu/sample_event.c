/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.sample: from the name of an event to opened perf events. */
#include <time.h>

#include <weir/probe.h>

#include "sample.h"

/* Keeps what the providers say of it. They have put the reason into `why` when they fail. */
static int sample_look_up(struct weir_ctx *ctx, const char *name, char *why, size_t size)
{
	struct sample_state *state = ctx->state;
	struct sample_event *event = &state->event;
	struct weir_pmu_event known = { .size = sizeof(known) };
	int err = weir_pmus_encode(&state->pmus, name, &known, why, size);

	if (err)
		return err;
	snprintf(event->name, sizeof(event->name), "%s", known.name);
	snprintf(event->filter, sizeof(event->filter), "%s", known.filter ? known.filter : "");
	weir_pmu_attr(&known, &event->attr);
	event->clock = known.unit == WEIR_NS ||
		       (known.unit && strcmp(known.unit->ucum, WEIR_NS->ucum) == 0);
	if (known.flags & WEIR_PMU_WHOLE_CPU) {
		snprintf(why, size, "%s counts for whole CPUs: it cannot be sampled", name);
		return -EOPNOTSUPP;
	}
	return 0;
}

static int sample_say_unknown(struct weir_ctx *ctx, int err, const char *why)
{
	/* What the host does not have; what is simply not a name is bad usage. */
	if (err == -ENODEV)
		err = -EOPNOTSUPP;
	return weir_fail_option(ctx, "event", err, "%s", why);
}

int sample_event_find(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	struct sample_event *event = &state->event;
	const char *name = conf->event;
	char why[512];
	int err;

	if (!name[0])
		name = weir_has_hardware_pmu(ctx) ? "cycles" : "cpu-clock";
	if (strlen(name) >= sizeof(event->name))
		return weir_fail_option(ctx, "event", -EINVAL, "longer than %zu letters",
					sizeof(event->name) - 1);
	snprintf(event->name, sizeof(event->name), "%s", name);
	err = sample_look_up(ctx, name, why, sizeof(why));
	/* Tracepoints and what only some PMUs have: to check a pipeline, they need not be here. */
	event->later = err && strpbrk(name, ":/");
	return event->later || !err ? 0
				    : sample_say_unknown(ctx, err == -ENOENT ? -EINVAL : err, why);
}

static int sample_find_later(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;
	char why[512], name[sizeof(state->event.name)];
	int err;

	if (!state->event.later)
		return 0;
	memcpy(name, state->event.name, sizeof(name));
	err = sample_look_up(ctx, name, why, sizeof(why));
	return err ? sample_say_unknown(ctx, err, why) : 0;
}

/* Clamps what is asked to what the kernel allows now, and says so. */
static void sample_limits(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	int64_t most = 0;

	state->frequency = conf->period ? 0 : conf->frequency ? conf->frequency : 99;
	state->max_stack = conf->max_stack;
	if (weir_read_number(ctx, SAMPLE_MAX_RATE, &state->rate_max) == 0 && state->rate_max > 0 &&
	    state->frequency > (uint64_t)state->rate_max) {
		weir_log(ctx, WEIR_LOG_WARNING,
			 "frequency %llu: the kernel allows %lld "
			 "(kernel.perf_event_max_sample_rate), which is used",
			 (unsigned long long)state->frequency, (long long)state->rate_max);
		state->frequency = (uint64_t)state->rate_max;
	}
	if (weir_read_number(ctx, "proc/sys/kernel/perf_event_max_stack", &most) == 0 && most > 0 &&
	    conf->stacks && state->max_stack > most) {
		weir_log(ctx, WEIR_LOG_INFO,
			 "max_stack %u: the kernel allows %lld (kernel.perf_event_max_stack), "
			 "which is used",
			 state->max_stack, (long long)most);
		state->max_stack = (uint32_t)most;
	}
}

/* A recording tells of processes itself. */
static void sample_attr_recording(struct perf_event_attr *attr, bool copies)
{
	attr->sample_id_all = 1;
	attr->mmap = attr->mmap2 = 1;
	attr->comm = attr->comm_exec = 1;
	attr->task = 1;
	attr->build_id = 1;
	attr->ksymbol = 1;
	/* perf's walk looks for tables beside the code, through the mappings of all of the file. */
	attr->mmap_data = copies;
}

static void sample_attr(struct weir_ctx *ctx, struct perf_event_attr *attr)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	bool command = ctx->child && state->pids.count == 1 && state->pids.items[0] == ctx->child;

	*attr = state->event.attr;
	attr->freq = state->frequency != 0;
	attr->sample_period = state->frequency ? state->frequency : conf->period;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			    PERF_SAMPLE_PERIOD;
	if (conf->stacks)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->sample_max_stack = conf->stacks ? (uint16_t)state->max_stack : 0;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			    WEIR_PERF_FORMAT_LOST;
	attr->disabled = 1;
	attr->enable_on_exec = command;
	attr->inherit = state->pids.count != 0;
	attr->exclude_user |= !conf->user;
	attr->exclude_kernel |= !conf->kernel;
	attr->exclude_hv |= !conf->kernel;
	attr->exclude_callchain_user = !conf->user;
	attr->exclude_callchain_kernel = !conf->kernel;
	/* Of the clocks only: Arm's PMUs refuse it, x86's ignore it. */
	attr->exclude_idle = attr->type == PERF_TYPE_SOFTWARE;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;
	attr->wakeup_watermark = (uint32_t)(conf->buffer / 2);
	if (conf->as == SAMPLE_AS_RECORDING)
		sample_attr_recording(attr, state->unwind.how == SAMPLE_UNWIND_DWARF);
}

static int sample_threads(struct weir_ctx *ctx, struct weir_numbers *tids)
{
	struct sample_state *state = ctx->state;
	uint32_t pid = 0;
	int err = weir_perf_threads_of(ctx, state->pids.items, state->pids.count, tids, &pid);

	if (err == -ESRCH)
		return weir_fail_option(ctx, "pid", err, "no process %u", pid);
	return err ? weir_fail(ctx, err, "threads of process %u", pid) : 0;
}

/* Goes without the newest of what a kernel may not know. False: nothing of that is left. */
static bool sample_attr_older(struct perf_event_attr *attr)
{
	if (attr->read_format & WEIR_PERF_FORMAT_LOST) /* before Linux 6.0 */
		attr->read_format &= ~(uint64_t)WEIR_PERF_FORMAT_LOST;
	else if (attr->build_id) /* 5.12 */
		attr->build_id = 0;
	else if (attr->ksymbol) /* 5.1 */
		attr->ksymbol = 0;
	else
		return false;
	return true;
}

/*
 * `auto`: the same event once more, with copies. Where that cannot be, the kernel walks all stacks; and
 * so it does where a tracepoint is sampled, for which the kernel does not ask who is to choose.
 */
static int sample_open_copies(struct weir_ctx *ctx, const struct perf_event_attr *walked,
			      const struct weir_perf_target *target)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	struct perf_event_attr attr = *walked;
	uint64_t bytes = sample_unwind_attr(conf, &attr);
	int err = weir_perf_set_open(&state->copies, &attr, target, &state->cpus, bytes);

	if (!err)
		return sample_choose_attach(state);
	weir_log(ctx, WEIR_LOG_WARNING,
		 "stacks cannot be copied (%s): programs without frame pointers have few callers",
		 strerror(-err));
	sample_choose_end(state);
	state->unwind.how = SAMPLE_UNWIND_FP;
	return 0;
}

/* Opens it with what this kernel can do. */
static int sample_open_set(struct weir_ctx *ctx, struct perf_event_attr *attr,
			   const struct weir_perf_target *target)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	uint64_t bytes = conf->buffer;
	int err;

	if (state->unwind.how == SAMPLE_UNWIND_DWARF)
		bytes = sample_unwind_attr(conf, attr);
	do
		err = weir_perf_set_open(&state->set, attr, target, &state->cpus, bytes);
	while (err == -EINVAL && sample_attr_older(attr));
	state->attr = *attr;
	for (uint32_t i = 0; !err && state->event.filter[0] && i < state->set.fd_count; i++)
		if (ioctl(state->set.fds[i], PERF_EVENT_IOC_SET_FILTER, state->event.filter) < 0)
			err = -errno;
	if (!err && state->unwind.how == SAMPLE_UNWIND_AUTO)
		err = sample_open_copies(ctx, attr, target);
	return err;
}

/* Of how user stacks are walked, what is left to be settled. */
static void sample_choose_how(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;

	if (state->unwind.how != SAMPLE_UNWIND_AUTO)
		return;
	if (state->event.attr.type == PERF_TYPE_TRACEPOINT)
		state->unwind.how = SAMPLE_UNWIND_FP;
	else if (!sample_choose_load(ctx))
		state->unwind.how = SAMPLE_UNWIND_DWARF;
}

/* An unprivileged user may sample user code of own processes: better than nothing, and said. */
static int sample_open_target(struct weir_ctx *ctx, const struct weir_perf_target *target)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	struct perf_event_attr attr;
	struct weir_grant grant;
	int err;

	sample_attr(ctx, &attr);
	err = sample_open_set(ctx, &attr, target);
	if ((err != -EACCES && err != -EPERM) || !conf->kernel || !conf->user ||
	    target->tid_count == 0)
		return err;
	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.exclude_callchain_kernel = 1;
	err = sample_open_set(ctx, &attr, target);
	if (err)
		return err;
	state->user_only = true;
	weir_log(ctx, WEIR_LOG_WARNING,
		 "user code only: kernel.perf_event_paranoid hides the kernel from this user: "
		 "sysctl kernel.perf_event_paranoid=1, %s",
		 weir_grant(&grant, 0));
	return 0;
}

static int sample_say_refused(struct weir_ctx *ctx, int err, uint32_t tid_count)
{
	const struct sample_state *state = ctx->state;
	const char *name = state->event.name;
	struct weir_grant grant;
	int64_t level = 0;

	switch (err) {
	case -EACCES:
	case -EPERM:
		weir_read_number(ctx, "proc/sys/kernel/perf_event_paranoid", &level);
		return weir_fail(ctx, err,
				 "event %s: kernel.perf_event_paranoid is %lld: sysctl "
				 "kernel.perf_event_paranoid=-1, %s. Without, own processes can be "
				 "sampled: --pid, or a command after --",
				 name, (long long)level, weir_grant(&grant, 0));
	case -EMFILE:
		return weir_fail(ctx, err,
				 "event %s: %u threads on %u CPUs need as many open files; `ulimit "
				 "-n %u` permits them",
				 name, tid_count, state->cpus.count,
				 tid_count * state->cpus.count * 2 + 256);
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
		if (state->event.attr.type == PERF_TYPE_HARDWARE ||
		    state->event.attr.type == PERF_TYPE_RAW ||
		    state->event.attr.type == PERF_TYPE_HW_CACHE)
			return weir_fail_option(
				ctx, "event", -EOPNOTSUPP, "%s: %s", name,
				weir_has_hardware_pmu(ctx)
					? "this CPU does not have it"
					: "there is no hardware PMU here; cpu-clock "
					  "works without");
		return weir_fail_option(ctx, "event", -EOPNOTSUPP, "%s cannot be sampled here",
					name);
	case -ESRCH:
		return weir_fail(ctx, err, "the process has ended");
	default:
		return weir_fail(ctx, err, "perf event %s", name);
	}
}

static int sample_open_pids(struct weir_ctx *ctx)
{
	struct weir_numbers tids = { NULL, 0, 0 };
	int err = sample_threads(ctx, &tids);

	if (!err) {
		struct weir_perf_target target = { tids.items, tids.count, -1 };

		err = sample_open_target(ctx, &target);
		if (err)
			err = sample_say_refused(ctx, err, tids.count);
	}
	weir_numbers_release(&tids);
	return err;
}

static int sample_open_everybody(struct weir_ctx *ctx)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	struct weir_perf_target target = { NULL, 0, -1 };
	int err = conf->cgroup[0] ? sample_cgroup_open(ctx, &target.cgroup_fd) : 0;

	if (err)
		return err;
	err = sample_open_target(ctx, &target);
	if (target.cgroup_fd >= 0) {
		close(target.cgroup_fd);
		target.cgroup_fd = -1;
		if (err == -EINVAL || err == -EBADF || err == -ENOENT) {
			weir_log(ctx, WEIR_LOG_INFO,
				 "this kernel does not sample by cgroup: samples are chosen by "
				 "their process's cgroup instead");
			state->filter_cgroup = true;
			err = sample_open_target(ctx, &target);
		}
	}
	return err ? sample_say_refused(ctx, err, 1) : 0;
}

int sample_open(struct weir_ctx *ctx)
{
	struct sample_state *state = ctx->state;
	int err = sample_find_later(ctx);

	if (err)
		return err;
	err = weir_perf_cpus(ctx, &state->cpus);
	if (err)
		return weir_fail(ctx, err, "/sys/devices/system/cpu/online");
	sample_limits(ctx);
	sample_choose_how(ctx);
	return state->pids.count ? sample_open_pids(ctx) : sample_open_everybody(ctx);
}
