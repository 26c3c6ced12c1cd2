/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.pmu: which events are counted, in which groups, and what they are to the kernel. */
#include <stdlib.h>

#include "pmu.h"

static struct pmu_counter *pmu_known(struct pmu_state *state, const char *name)
{
	for (uint32_t i = 0; i < state->count; i++)
		if (strcmp(state->counters[i].name, name) == 0)
			return &state->counters[i];
	return NULL;
}

static int pmu_add(struct weir_ctx *ctx, const char *name, size_t length, uint32_t group,
		   bool asked)
{
	struct pmu_state *state = ctx->state;
	struct pmu_counter *counters;
	char *copy = strndup(name, length);

	if (!copy)
		return weir_fail(ctx, -ENOMEM, "events");
	if (pmu_known(state, copy)) {
		free(copy);
		return 0;
	}
	counters = state->count < PMU_EVENTS_MAX
			   ? realloc(state->counters, (state->count + 1) * sizeof(*counters))
			   : NULL;
	if (!counters) {
		free(copy);
		return weir_fail(ctx, -ENOMEM, "more than %u events", state->count);
	}
	state->counters = counters;
	counters[state->count++] =
		(struct pmu_counter){ .name = copy, .group = group, .asked = asked };
	return 0;
}

/* The end of one name: a comma or brace that is not between the slashes of a PMU's terms. */
static size_t pmu_name_length(const char *text)
{
	bool terms = false;
	size_t length = 0;

	for (; text[length]; length++) {
		if (text[length] == '/')
			terms = !terms;
		if (!terms && strchr(",{}", text[length]))
			break;
	}
	return length;
}

/* "a,{b,c},d" */
static int pmu_parse(struct weir_ctx *ctx, const char *text)
{
	struct pmu_state *state = ctx->state;
	bool open = false;
	int err = 0;

	for (size_t length; !err && *text; text += length) {
		length = 1;
		if (*text == ',' || *text == ' ')
			continue;
		if (*text == '{' || *text == '}') {
			if (open == (*text == '{'))
				return weir_fail_option(ctx, "events", -EINVAL,
							"\"%c\" too many at \"%s\"", *text, text);
			open = *text == '{';
			state->groups += open;
			continue;
		}
		length = pmu_name_length(text);
		err = pmu_add(ctx, text, length, open ? state->groups : 0, true);
	}
	if (!err && open)
		return weir_fail_option(ctx, "events", -EINVAL, "\"}\" is missing");
	return err;
}

/* Which of a set's lists of what is counted together has that word, from 1; 0: none. */
static uint32_t pmu_set_group(struct weir_ctx *ctx, const struct weir_tree *set, const char *word)
{
	const struct weir_tree *groups = weir_tree_get(ctx, set, "together"), *group, *item;

	for (uint32_t i = 0; groups && (group = ctx->host->tree_item(groups, i, NULL)); i++)
		for (uint32_t j = 0; (item = ctx->host->tree_item(group, j, NULL)); j++) {
			struct weir_tree_look look = { 0 };

			ctx->host->tree_look(item, &look);
			if (look.text && strcmp(look.text, word) == 0)
				return i + 1;
		}
	return 0;
}

/* What the source tells by itself, without a counter: see pmu_rows.c. */
static bool pmu_is_own(const char *event)
{
	return strcmp(event, "run-queue-wait") == 0 || strcmp(event, "sleep") == 0 ||
	       strcmp(event, "elapsed") == 0;
}

/* `before`: groups that there were before the set's own. */
static int pmu_add_of_set(struct weir_ctx *ctx, const struct weir_tree *set, const char *event,
			  const char *word, uint32_t before)
{
	struct pmu_state *state = ctx->state;
	uint32_t group = word ? pmu_set_group(ctx, set, word) : 0;

	if (!event[0] || !word)
		return weir_tree_fail(ctx, set, -EINVAL, "%s: an event's name is missing",
				      word ? word : "events");
	if (pmu_is_own(event))
		return 0;
	if (before + group > state->groups)
		state->groups = before + group;
	return pmu_add(ctx, event, strlen(event), group ? before + group : 0, false);
}

static int pmu_add_set(struct weir_ctx *ctx, const char *name)
{
	struct pmu_state *state = ctx->state;
	const struct weir_tree *set = weir_metric_set_read(ctx, &state->pmus, name);
	const uint32_t before = state->groups;
	const char *event, *word;
	int err = set ? 0 : -EINVAL;

	for (uint32_t i = 0; !err && (event = weir_metric_set_event(ctx, set, i, &word)); i++)
		err = pmu_add_of_set(ctx, set, event, word, before);
	return err;
}

/* Keeps what the providers say. 0, or why not in counter->why. */
static int pmu_look_up(struct weir_ctx *ctx, struct pmu_counter *counter)
{
	struct pmu_state *state = ctx->state;
	struct weir_pmu_event event = { .size = sizeof(event) };
	int err = weir_pmus_encode(&state->pmus, counter->name, &event, counter->why,
				   sizeof(counter->why));

	counter->error = err;
	if (err)
		return err;
	weir_pmu_attr(&event, &counter->attr);
	snprintf(counter->filter, sizeof(counter->filter), "%s", event.filter ? event.filter : "");
	counter->unit = event.unit;
	counter->scale = event.scale != 0 ? event.scale : 1;
	counter->whole_cpu = event.flags & WEIR_PMU_WHOLE_CPU;
	counter->known = true;
	if (counter->whole_cpu && event.cpus && weir_numbers_parse(&counter->cpus, event.cpus) < 0)
		return weir_fail(ctx, -EBADMSG, "%s: CPUs \"%s\"", counter->name, event.cpus);
	return 0;
}

/* What only some machines have need not be here when a pipeline is checked. */
static bool pmu_may_come(const struct pmu_counter *counter)
{
	return strpbrk(counter->name, ":/") || counter->error == -EACCES ||
	       counter->error == -ENODEV;
}

int pmu_choose(struct weir_ctx *ctx)
{
	const struct pmu_conf *conf = ctx->options;
	struct pmu_state *state = ctx->state;
	bool given = false;
	int err = pmu_parse(ctx, conf->events);

	for (uint32_t i = 0; !err && i < conf->metrics.count; i++)
		if (conf->metrics.items[i][0]) {
			given = true;
			err = pmu_add_set(ctx, conf->metrics.items[i]);
		}
	if (!err && !given && !conf->events[0])
		err = pmu_add_set(ctx, "generic");
	for (uint32_t i = 0; !err && i < state->count; i++) {
		struct pmu_counter *counter = &state->counters[i];

		if (pmu_look_up(ctx, counter) < 0 && counter->asked && !pmu_may_come(counter))
			return weir_fail_option(
				ctx, "events", counter->error == -ENOENT ? -EINVAL : counter->error,
				"%s", counter->why);
	}
	return err;
}

int pmu_encode(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;

	for (uint32_t i = 0; i < state->count; i++) {
		struct pmu_counter *counter = &state->counters[i];

		if (counter->error && pmu_look_up(ctx, counter) == -ENOENT && counter->asked)
			return weir_fail_option(ctx, "events", -ENOENT, "%s", counter->why);
	}
	return 0;
}

static void pmu_counter_free(struct pmu_counter *counter)
{
	pmu_close(counter);
	weir_numbers_release(&counter->cpus);
	free(counter->name);
	free(counter->sums);
	free(counter->series);
}

void pmu_free(struct pmu_state *state)
{
	for (uint32_t i = 0; i < state->count; i++)
		pmu_counter_free(&state->counters[i]);
	free(state->counters);
	free(state->places);
	free(state->tasks.run);
	free(state->tasks.waited);
	weir_numbers_release(&state->tasks.tids);
	weir_numbers_release(&state->place_of);
	weir_numbers_release(&state->cpus);
	for (uint32_t i = 0; i < state->ends.count; i++)
		close((int)state->ends.items[i]);
	weir_numbers_release(&state->ends);
	weir_numbers_release(&state->pids);
	weir_numbers_release(&state->tids);
	weir_pmus_close(&state->pmus);
}
