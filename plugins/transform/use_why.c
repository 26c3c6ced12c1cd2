/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why now: who is among the causes of a finding and began lately, what it belongs to, and who starts
 * that. What "lately" is, and which input tells of starters, the rules say.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir/quantity.h>

#include "use_row.h"
#include "use_rules.h"

#define WHY_STARTERS 4096 /* that are kept; the rest is told as lost */

int use_why_bind(struct weir_ctx *ctx, const struct weir_tree *rules)
{
	static const char *const known[] = { "lately", "input", "match", "of", "since" };
	const struct weir_tree *map = weir_tree_get(ctx, rules, "why_now"), *lately;
	struct use_state *st = ctx->state;
	struct use_why *why = &st->why;
	double ns = 0;
	int err;

	why->ask.input = USE_NONE;
	if (!map)
		return 0;
	err = use_bind_keys(ctx, map, known, COUNT_OF(known));
	lately = err ? NULL : weir_tree_get(ctx, map, "lately");
	if (!err && !lately)
		err = weir_tree_fail(ctx, map, -EINVAL, "\"lately\" is missing");
	if (!err)
		err = rules_constant(ctx, lately, &weir_ns, &ns);
	why->lately = (uint64_t)ns;
	if (err || !weir_tree_get(ctx, map, "input"))
		return err;
	err = use_bind_ask(ctx, map, NULL, "of", &why->ask);
	if (err || why->ask.input == USE_NONE)
		return err;
	if (!why->ask.of || !rules_is_name(ctx, why->ask.of) || !why->ask.match)
		return weir_tree_fail(ctx, map, -EINVAL,
				      "of an input, \"match\" and \"of\" are names");
	return rules_expr(ctx, map, "since", weir_input(ctx, why->ask.input)->schema, &why->since);
}

static struct use_starter *why_find(const struct use_why *why, const char *unit)
{
	for (uint32_t i = 0; unit[0] && i < why->count; i++)
		if (strcmp(why->starters[i].unit, unit) == 0)
			return &why->starters[i];
	return NULL;
}

/* The one of that unit, which may be new. NULL: no memory. */
static struct use_starter *why_starter(struct use_why *why, const char *unit)
{
	struct use_starter *found = why_find(why, unit), *grown;
	const uint32_t room = why->room ? 2 * why->room : 16;

	if (found)
		return found;
	if (why->count == why->room) {
		grown = realloc(why->starters, room * sizeof(*grown));
		if (!grown)
			return NULL;
		why->starters = grown;
		why->room = room;
	}
	found = &why->starters[why->count++];
	memset(found, 0, sizeof(*found));
	snprintf(found->unit, sizeof(found->unit), "%s", unit);
	return found;
}

static int why_add_row(struct weir_ctx *ctx, const struct weir_batch *batch, const void *row)
{
	struct use_state *st = ctx->state;
	struct use_why *why = &st->why;
	struct weir_value unit, name, since = { 0 };
	struct use_starter *starter;
	char text[USE_UNIT];

	if (ctx->host->expr_eval(why->ask.match, batch, row, &unit) ||
	    ctx->host->expr_eval(why->ask.of, batch, row, &name) ||
	    (why->since && ctx->host->expr_eval(why->since, batch, row, &since)) ||
	    unit.type != WEIR_TYPE_TEXT || name.type != WEIR_TYPE_TEXT)
		return 0;
	if (why->count >= WHY_STARTERS) {
		weir_lost(ctx, "more starters of units than are kept", 1, NULL);
		return 0;
	}
	/* Cut off like the names of what the causes belong to. */
	snprintf(text, sizeof(text), "%.*s", (int)unit.length, unit.text);
	starter = why_starter(why, text);
	if (!starter)
		return -ENOMEM;
	snprintf(starter->name, sizeof(starter->name), "%.*s", (int)name.length, name.text);
	starter->since = since.type == WEIR_TYPE_UINT ? since.u : 0;
	return 0;
}

int use_why_add(struct weir_ctx *ctx, uint32_t input, const struct weir_batch *batch)
{
	const struct use_state *st = ctx->state;
	int err = 0;

	if (input != st->why.ask.input)
		return 0;
	for (uint32_t i = 0; i < batch->row_count && !err; i++)
		err = why_add_row(ctx, batch, weir_row(batch, i));
	return err;
}

static bool why_is_lately(const struct use_state *st, uint64_t since)
{
	return since && since + st->why.lately >= st->start && since <= st->end;
}

static void why_age(const struct use_state *st, uint64_t since, char *age, size_t size)
{
	weir_quantity((double)(st->end - since), &weir_ns, age, size);
}

/* ", in backup.service, which backup.timer started 2 s ago". */
static void why_say_within(const struct use_state *st, const char *within, char *said, size_t size)
{
	const struct use_starter *starter = why_find(&st->why, within);
	char age[32];
	int used = within[0] ? snprintf(said, size, ", in %s", within) : 0;

	if (!starter)
		return;
	said += used;
	size -= (size_t)used;
	if (why_is_lately(st, starter->since)) {
		why_age(st, starter->since, age, sizeof(age));
		snprintf(said, size, ", which %s started %s ago", starter->name, age);
	} else {
		snprintf(said, size, ", which %s starts", starter->name);
	}
}

struct weir_text row_why_now(struct row_maker *maker, const struct use_verdict *verdict)
{
	const struct use_state *st = maker->ctx->state;
	char said[USE_TEXT] = "", within[4 * USE_UNIT] = "", age[32];

	for (uint32_t i = 0; i < verdict->causes.count && !said[0]; i++) {
		const struct use_member *member = verdict->causes.members[i];
		const struct use_member *known = use_group_known(st, member);

		if (!why_is_lately(st, known->since))
			continue;
		why_age(st, known->since, age, sizeof(age));
		why_say_within(st, known->within, within, sizeof(within));
		snprintf(said, sizeof(said), "%s (pid %u) began %s ago%s", member->name,
			 member->pid, age, within);
	}
	return row_text(maker, said);
}
