/* SPDX-License-Identifier: BSD-2-Clause */
/* Source cpu.stat: what each CPU spent its time on, and the machine's run queue, from /proc/stat. */
#include <math.h>
#include <stdio.h>

#include <weir/probe.h>
#include <weir/sample.h>

#include "stat_read.h"

struct stat_conf {
	uint64_t interval;
};

static const struct weir_option stat_options[] = {
	WEIR_OPT_DURATION(struct stat_conf, interval, "1s", 10000000, 24 * WEIR_HOUR,
			  "length of a window"),
};

struct stat_row {
	char cpu[16];
	double user;
	double nice;
	double system;
	double iowait;
	double irq;
	double softirq;
	double steal;
	double guest;
	double guest_nice;
	double idle;
};

#define STAT_SHARE(member_, doc_)                                                                  \
	WEIR_FIELD_WITH(struct stat_row, member_, WEIR_RATIO, WEIR_DELTA, WEIR_OPTIONAL, doc_)

static const struct weir_field stat_fields[] = {
	WEIR_FIELD(struct stat_row, cpu, WEIR_NONE, WEIR_KEY, "CPU number, or \"all\" online ones"),
	STAT_SHARE(user, "in user code, guests not included"),
	STAT_SHARE(nice, "in user code with lowered priority, guests not included"),
	STAT_SHARE(system, "in the kernel"),
	STAT_SHARE(iowait, "idle while a task of this CPU waited for a device"),
	STAT_SHARE(irq, "in hardware interrupts"),
	STAT_SHARE(softirq, "in software interrupts"),
	STAT_SHARE(steal, "taken by the hypervisor for others"),
	STAT_SHARE(guest, "running a guest"),
	STAT_SHARE(guest_nice, "running a guest with lowered priority"),
	STAT_SHARE(idle, "idle"),
};
WEIR_SCHEMA(stat_schema, "CPU time", struct stat_row, stat_fields);

struct stat_system_row {
	double load1;
	double load5;
	double load15;
	uint32_t running;
	uint32_t blocked;
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
	WEIR_FIELD_WITH(struct stat_system_row, switches, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			"context switches"),
	WEIR_FIELD_WITH(struct stat_system_row, interrupts, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			"interrupts"),
	WEIR_FIELD_WITH(struct stat_system_row, forks, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			"tasks created"),
};
WEIR_SCHEMA(stat_system_schema, "CPU system", struct stat_system_row, stat_system_fields);

enum { OUTPUT_CPU, OUTPUT_SYSTEM };

static const struct weir_output stat_outputs[] = {
	{ "cpu", "one row per CPU and one for all", &stat_schema, 0, 0 },
	{ "system", "load, run queue and rates of the machine", &stat_system_schema, 0, 0 },
};

struct stat_state {
	struct weir_buffer buffer;
	struct stat_sample samples[2]; /* in turn the last one and the new one */
	uint32_t last;
};

static const struct stat_cpu *stat_find(const struct stat_sample *sample, uint32_t number)
{
	for (uint32_t i = 0; i < sample->count; i++)
		if (sample->cpus[i].number == number)
			return &sample->cpus[i];
	return NULL;
}

/*
 * What was added to each counter. The kernel lets idle and iowait go back a little (they are
 * computed from several clocks): such a counter adds nothing. One that fell by more than three
 * seconds belongs to a CPU that was off and came back: its history starts anew, so false.
 */
static bool stat_delta(const struct stat_cpu *old, const struct stat_cpu *new,
		       uint64_t delta[STATES])
{
	const uint64_t restart = 3 * (uint64_t)sysconf(_SC_CLK_TCK);

	for (int i = 0; i < STATES; i++) {
		if (old->ticks[i] > new->ticks[i] + restart)
			return false;
		delta[i] = new->ticks[i] > old->ticks[i] ? new->ticks[i] - old->ticks[i] : 0;
	}
	/* The kernel counts guest time in user and nice too. */
	delta[USER] -= delta[GUEST] < delta[USER] ? delta[GUEST] : delta[USER];
	delta[NICE] -= delta[GUEST_NICE] < delta[NICE] ? delta[GUEST_NICE] : delta[NICE];
	return true;
}

static void stat_fill(struct stat_row *row, const uint64_t delta[STATES])
{
	double *shares[STATES] = {
		[USER] = &row->user,       [NICE] = &row->nice,
		[SYSTEM] = &row->system,   [IDLE] = &row->idle,
		[IOWAIT] = &row->iowait,   [IRQ] = &row->irq,
		[SOFTIRQ] = &row->softirq, [STEAL] = &row->steal,
		[GUEST] = &row->guest,     [GUEST_NICE] = &row->guest_nice,
	};
	uint64_t total = 0;

	for (int i = 0; i < STATES; i++)
		total += delta[i];
	for (int i = 0; i < STATES; i++)
		*shares[i] = total ? (double)delta[i] / (double)total : NAN;
}

/* A row without numbers for a CPU that was, or is, not there: the window has a gap. */
static int stat_add_gap(struct weir_ctx *ctx, struct weir_batch *batch, uint32_t number)
{
	const uint64_t nothing[STATES] = { 0 };
	struct stat_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	snprintf(row->cpu, sizeof(row->cpu), "%u", number);
	stat_fill(row, nothing);
	batch->flags |= WEIR_BATCH_GAP;
	return 0;
}

/* The row of a CPU that is there now; what it did is added to `sum`. */
static int stat_add_cpu_row(struct weir_ctx *ctx, struct weir_batch *batch,
			    const struct stat_sample *old, const struct stat_cpu *cpu,
			    uint64_t sum[STATES])
{
	const struct stat_cpu *before = stat_find(old, cpu->number);
	uint64_t delta[STATES];
	struct stat_row *row;

	if (!before || !stat_delta(before, cpu, delta))
		return stat_add_gap(ctx, batch, cpu->number);
	row = weir_add_row(ctx, batch);
	if (!row)
		return -ENOMEM;
	snprintf(row->cpu, sizeof(row->cpu), "%u", cpu->number);
	stat_fill(row, delta);
	for (int i = 0; i < STATES; i++)
		sum[i] += delta[i];
	return 0;
}

static int stat_add_cpus(struct weir_ctx *ctx, struct weir_batch *batch,
			 const struct stat_sample *old, const struct stat_sample *new)
{
	uint64_t sum[STATES] = { 0 };
	struct stat_row *row = weir_add_row(ctx, batch);
	int err = row ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < new->count; i++)
		err = stat_add_cpu_row(ctx, batch, old, &new->cpus[i], sum);
	for (uint32_t i = 0; !err && i < old->count; i++)
		if (!stat_find(new, old->cpus[i].number))
			err = stat_add_gap(ctx, batch, old->cpus[i].number);
	if (err)
		return err;
	row = (struct stat_row *)batch->rows;
	memcpy(row->cpu, "all", 4);
	stat_fill(row, sum);
	return 0;
}

static int stat_add_system(struct weir_ctx *ctx, struct weir_batch *batch,
			   const struct stat_sample *old, const struct stat_sample *new)
{
	struct stat_state *st = ctx->state;
	struct stat_system_row *row = weir_add_row(ctx, batch);
	int err;

	if (!row)
		return -ENOMEM;
	err = weir_read_file(ctx, "proc/loadavg", &st->buffer);
	if (err)
		return weir_fail(ctx, err, "read /proc/loadavg");
	if (sscanf(st->buffer.bytes, "%lf %lf %lf", &row->load1, &row->load5, &row->load15) != 3)
		return weir_fail(ctx, -EBADMSG, "/proc/loadavg: cannot read \"%s\"",
				 st->buffer.bytes);
	row->running = (uint32_t) new->numbers[RUNNING];
	row->blocked = (uint32_t) new->numbers[BLOCKED];
	row->switches = weir_sample_added(batch, old->numbers[SWITCHES], new->numbers[SWITCHES]);
	row->interrupts =
		weir_sample_added(batch, old->numbers[INTERRUPTS], new->numbers[INTERRUPTS]);
	row->forks = weir_sample_added(batch, old->numbers[FORKS], new->numbers[FORKS]);
	return 0;
}

typedef int stat_add_fn(struct weir_ctx *ctx, struct weir_batch *batch,
			const struct stat_sample *old, const struct stat_sample *new);

static int stat_emit(struct weir_ctx *ctx, uint32_t output, stat_add_fn *add,
		     const struct stat_sample *old, const struct stat_sample *new)
{
	struct weir_batch *batch = weir_loan(ctx, output, new->count + 2, 0);
	int err;

	if (!batch) {
		weir_lost(ctx, "a full queue held the source up", 1, NULL);
		return 0;
	}
	batch->start = old->time;
	batch->end = new->time;
	err = add(ctx, batch, old, new);
	if (err) {
		weir_discard(ctx, batch);
		return err == -ENOMEM ? weir_fail(ctx, err, "rows of %u CPUs", new->count) : err;
	}
	return weir_commit(ctx, batch);
}

static int stat_tick(struct weir_ctx *ctx, uint64_t now)
{
	struct stat_state *st = ctx->state;
	struct stat_sample *old = &st->samples[st->last], *new = &st->samples[!st->last];
	int err = stat_read(ctx, &st->buffer, new);

	(void)now;
	if (!err)
		err = stat_emit(ctx, OUTPUT_CPU, stat_add_cpus, old, new);
	if (!err)
		err = stat_emit(ctx, OUTPUT_SYSTEM, stat_add_system, old, new);
	st->last = !st->last;
	return err;
}

static int stat_start(struct weir_ctx *ctx)
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	int err = stat_read(ctx, &st->buffer, &st->samples[st->last]);

	return err ? err : weir_every(ctx, conf->interval);
}

/* The last window is shorter. One too short for counters of 10 ms to say anything is left out. */
static int stat_drain(struct weir_ctx *ctx, uint64_t deadline)
{
	const struct stat_conf *conf = ctx->options;
	struct stat_state *st = ctx->state;
	uint64_t now = weir_now(ctx);

	(void)deadline;
	if ((now - st->samples[st->last].time) * 10 < conf->interval)
		return 0;
	return stat_tick(ctx, now);
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
	       "or was off\nwithin the window has a row without numbers.",
	.options_size = sizeof(struct stat_conf), .state_size = sizeof(struct stat_state),
	.options = WEIR_TABLE(stat_options), .outputs = WEIR_TABLE(stat_outputs),
	.probe = stat_probe, .start = stat_start, .tick = stat_tick, .drain = stat_drain,
	.destroy = stat_destroy);
