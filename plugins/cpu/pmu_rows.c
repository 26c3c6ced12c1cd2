/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.pmu: a window's counts as rows. Multiplexed ones are scaled, and what is not there says why. */
#include <math.h>
#include <stdio.h>

#include "pmu.h"

static const struct weir_field pmu_fields[] = {
	WEIR_FIELD_WITH(struct pmu_row, place, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"CPU, core or socket; none: all of them"),
	WEIR_FIELD(struct pmu_row, event, WEIR_NONE, WEIR_KEY, "what was counted"),
	WEIR_FIELD(struct pmu_row, value, WEIR_NONE, WEIR_GAUGE,
		   "the count, for people; <not supported>: it never can be; <not counted>: it was "
		   "not in this window"),
	WEIR_FIELD_WITH(struct pmu_row, counted, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			"share of the time that it had a counter; the count is scaled up by it"),
	WEIR_FIELD_WITH(struct pmu_row, deviation, WEIR_RATIO, WEIR_GAUGE,
			WEIR_OPTIONAL | WEIR_QUIET,
			"of repeated runs: standard deviation of a run, as a share of their mean"),
	WEIR_FIELD_WITH(struct pmu_row, runs, WEIR_COUNT, WEIR_GAUGE, WEIR_OPTIONAL | WEIR_QUIET,
			"how many runs the count is the mean of; none: it is not repeated"),
	WEIR_FIELD_WITH(struct pmu_row, note, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"why it is not there, and what changes that"),
	WEIR_FIELD_WITH(struct pmu_row, count, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL | WEIR_QUIET,
			"the count"),
	WEIR_FIELD_WITH(struct pmu_row, amount, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL | WEIR_QUIET,
			"the same in `unit`"),
	WEIR_FIELD_WITH(struct pmu_row, unit, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL | WEIR_QUIET,
			"UCUM code of the amount; none: a count"),
	WEIR_FIELD_DURATION(struct pmu_row, enabled, WEIR_DELTA, WEIR_QUIET,
			    "time that it should have been counted, of all places"),
	WEIR_FIELD_DURATION(struct pmu_row, running, WEIR_DELTA, WEIR_QUIET,
			    "time that it was counted"),
};

const struct weir_schema pmu_schema = { sizeof(struct weir_schema), WEIR_ROW_SIZE(struct pmu_row),
					"counts", WEIR_TABLE(pmu_fields) };

/* "15,984.32 ms" */
static void pmu_group_digits(const char *plain, char *out, size_t size)
{
	size_t digits = strspn(plain, "0123456789"), used = 0;

	for (size_t i = 0; plain[i] && used + 2 < size; i++) {
		if (i && i < digits && (digits - i) % 3 == 0)
			out[used++] = ',';
		out[used++] = plain[i];
	}
	out[used] = '\0';
}

static bool pmu_is_time(const struct weir_unit *unit)
{
	return unit && strcmp(unit->ucum, WEIR_NS->ucum) == 0;
}

static void pmu_value_text(double amount, const struct weir_unit *unit, char *out, size_t size)
{
	char plain[48];

	if (pmu_is_time(unit))
		snprintf(plain, sizeof(plain), "%.2f ms", amount / 1e6);
	else if (unit)
		snprintf(plain, sizeof(plain), "%.2f %s", amount, unit->symbol);
	else
		snprintf(plain, sizeof(plain), "%.0f", amount);
	pmu_group_digits(plain, out, size);
}

static int pmu_text(struct weir_ctx *ctx, struct weir_batch *batch, const char *text,
		    struct weir_text *out)
{
	return weir_add_text(ctx, batch, text, strlen(text), out);
}

/* What a row says beside its numbers. */
struct pmu_words {
	const char *event;
	const char *place;
	const char *value;
	const char *note;
	const struct weir_unit *unit;
};

static int pmu_add_row(struct weir_ctx *ctx, struct weir_batch *batch,
		       const struct pmu_words *words, const struct pmu_row *numbers)
{
	struct pmu_row *row = weir_add_row(ctx, batch);

	if (!row)
		return -ENOMEM;
	*row = *numbers;
	if (pmu_text(ctx, batch, words->event, &row->event) < 0 ||
	    pmu_text(ctx, batch, words->place, &row->place) < 0 ||
	    pmu_text(ctx, batch, words->value, &row->value) < 0 ||
	    pmu_text(ctx, batch, words->unit ? words->unit->ucum : "", &row->unit) < 0 ||
	    pmu_text(ctx, batch, words->note, &row->note) < 0)
		return -ENOMEM;
	return 0;
}

static const struct pmu_row pmu_nothing = {
	.count = WEIR_ABSENT_U64,
	.amount = NAN,
	.counted = NAN,
	.deviation = NAN,
	.runs = WEIR_ABSENT_U32,
};

/* A number, with what repeated runs say of it. */
static int pmu_add_amount(struct weir_ctx *ctx, struct weir_batch *batch,
			  const struct pmu_words *told, const struct pmu_sum *sum,
			  struct pmu_row *row)
{
	struct pmu_words words = *told;
	char value[80];
	size_t length;

	pmu_value_text(row->amount, words.unit, value, sizeof(value));
	length = strlen(value);
	if (sum->runs) {
		row->runs = sum->runs;
		row->deviation = sum->deviation;
	}
	if (sum->runs && !isnan(sum->deviation))
		snprintf(value + length, sizeof(value) - length, " +- %.2f %%",
			 sum->deviation * 100);
	words.value = value;
	return pmu_add_row(ctx, batch, &words, row);
}

static int pmu_add_sum(struct weir_ctx *ctx, struct weir_batch *batch,
		       const struct pmu_counter *counter, const struct pmu_sum *sum,
		       const char *place)
{
	struct pmu_words words = { counter->name, place, "<not counted>", "", counter->unit };
	struct pmu_row row = pmu_nothing;
	char note[256];

	row.enabled = sum->enabled;
	row.running = sum->running;
	if (sum->running == 0) {
		pmu_not_counted(ctx, counter, sum, note, sizeof(note));
		words.note = note;
		return pmu_add_row(ctx, batch, &words, &row);
	}
	if (counter->user_only)
		words.note = "user code only: kernel.perf_event_paranoid hides the kernel";
	/* What was not scaled is exact. */
	row.count = sum->running == sum->enabled ? sum->raw : (uint64_t)llround(sum->count);
	if (sum->running < sum->enabled)
		row.counted = (double)sum->running / (double)sum->enabled;
	row.amount = (sum->runs ? sum->count : (double)row.count) * counter->scale;
	return pmu_add_amount(ctx, batch, &words, sum, &row);
}

static int pmu_add_counter(struct weir_ctx *ctx, struct weir_batch *batch,
			   const struct pmu_counter *counter)
{
	const struct pmu_state *state = ctx->state;
	const struct pmu_words words = { counter->name, "", "<not supported>", counter->why, NULL };
	int err = 0;

	if (counter->error)
		return pmu_add_row(ctx, batch, &words, &pmu_nothing);
	for (uint32_t i = 0; !err && i < state->place_count; i++)
		if (counter->sums[i].fds)
			err = pmu_add_sum(ctx, batch, counter, &counter->sums[i], state->places[i]);
	return err;
}

static int pmu_add_own(struct weir_ctx *ctx, struct weir_batch *batch, enum pmu_own own)
{
	static const char *const names[PMU_OWN] = { "run-queue-wait", "sleep", "elapsed" };
	const struct pmu_state *state = ctx->state;
	const struct pmu_sum *sum = &state->own[own];
	struct pmu_words words = { names[own], "", "<not counted>", "", WEIR_NS };
	struct pmu_row row = pmu_nothing;

	row.amount = sum->count;
	if (sum->running)
		return pmu_add_amount(ctx, batch, &words, sum, &row);
	words.note = "not all threads lived through the window: `weir why` and `weir runqlat` see "
		     "them";
	return pmu_add_row(ctx, batch, &words, &pmu_nothing);
}

static int pmu_fill(struct weir_ctx *ctx, struct weir_batch *batch)
{
	const struct pmu_conf *conf = ctx->options;
	const struct pmu_state *state = ctx->state;
	int err = 0;

	for (uint32_t i = 0; !err && i < state->count; i++)
		err = pmu_add_counter(ctx, batch, &state->counters[i]);
	for (int own = 0; !err && own < PMU_OWN; own++)
		if (own == PMU_ELAPSED || (state->by_task && !conf->events[0]))
			err = pmu_add_own(ctx, batch, (enum pmu_own)own);
	return err;
}

/* Where the command is repeated, the window is as long as a run is on the average. */
int pmu_emit(struct weir_ctx *ctx, uint64_t now)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	struct weir_batch *batch;
	int err;

	if (!state->window || now <= state->window)
		return 0;
	batch = weir_loan(ctx, 0, state->count * state->place_count + PMU_OWN, 8192);
	if (!batch) {
		/* The counters go on: the next window has what this one would have had. */
		return 0;
	}
	if (conf->repeat > 1)
		pmu_repeat_means(ctx);
	else
		pmu_read(ctx, now - state->window);
	batch->end = now;
	batch->start = now - (uint64_t)state->own[PMU_ELAPSED].count;
	err = pmu_fill(ctx, batch);
	state->window = now;
	if (!err)
		return weir_commit(ctx, batch);
	weir_discard(ctx, batch);
	return weir_fail(ctx, err, "counts of %u events", state->count);
}
