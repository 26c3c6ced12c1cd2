/* SPDX-License-Identifier: BSD-2-Clause */
/* Who causes, who suffers: rows added up by process or name, and the largest of them. */
#include "use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GROUP_MEMBERS 65536 /* of a tally; the rest is told as lost */

uint32_t use_hash(uint32_t number, const char *name)
{
	uint32_t hash = 2166136261u ^ number; /* FNV-1a */

	/* A process is known by its number: its name may change. */
	for (; !number && *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619u;
	return hash * 16777619u;
}

static bool tally_is(const struct use_member *member, uint32_t pid, const char *name)
{
	return member->pid == pid && (pid || strcmp(member->name, name) == 0);
}

static uint32_t *tally_slot(const struct use_tally *tally, uint32_t pid, const char *name)
{
	const uint32_t mask = 2 * tally->room - 1;
	uint32_t at = use_hash(pid, name) & mask;

	while (tally->slots[at] && !tally_is(&tally->members[tally->slots[at] - 1], pid, name))
		at = (at + 1) & mask;
	return &tally->slots[at];
}

static int tally_grow(struct use_tally *tally)
{
	struct use_tally grown = { .room = tally->room ? 2 * tally->room : 4,
				   .count = tally->count,
				   .total = tally->total };

	grown.members = calloc(grown.room, sizeof(*grown.members));
	grown.slots = calloc(2 * (size_t)grown.room, sizeof(*grown.slots));
	if (!grown.members || !grown.slots) {
		free(grown.members);
		free(grown.slots);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < tally->count; i++) {
		const struct use_member *member = &tally->members[i];

		grown.members[i] = *member;
		*tally_slot(&grown, member->pid, member->name) = i + 1;
	}
	use_tally_free(tally);
	*tally = grown;
	return 0;
}

/* NULL: no memory. */
static struct use_member *tally_member(struct use_tally *tally, uint32_t pid, const char *name)
{
	struct use_member *member;
	uint32_t *slot;

	/* One more than there are now has room, should this one be new. */
	if (tally->count == tally->room && tally_grow(tally) < 0)
		return NULL;
	slot = tally_slot(tally, pid, name);
	if (*slot)
		return &tally->members[*slot - 1];
	member = &tally->members[tally->count++];
	member->pid = pid;
	snprintf(member->name, USE_NAME, "%s", name);
	*slot = tally->count;
	return member;
}

void use_tally_free(struct use_tally *tally)
{
	free(tally->members);
	free(tally->slots);
	*tally = (struct use_tally){ 0 };
}

/* "/system.slice/backup.service" is backup.service; the root is nothing to speak of. */
static void group_note_within(struct weir_ctx *ctx, const struct use_group *group,
			      const struct weir_batch *batch, const void *row,
			      struct use_member *member)
{
	struct weir_value value;
	const char *name;

	if (!group->within || ctx->host->expr_eval(group->within, batch, row, &value) ||
	    value.type != WEIR_TYPE_TEXT)
		return;
	name = memrchr(value.text, '/', value.length);
	name = name ? name + 1 : value.text;
	snprintf(member->within, sizeof(member->within), "%.*s",
		 (int)(value.text + value.length - name), name);
}

static int group_count_in(struct weir_ctx *ctx, const struct use_group *group,
			  struct use_tally *tally, const struct weir_batch *batch, const void *row,
			  double number)
{
	struct weir_value who, pid = { 0 }, since = { 0 };
	struct use_member *member;
	char name[USE_NAME] = "";

	if (tally->count >= GROUP_MEMBERS) {
		weir_lost(ctx, "more causes or victims than are kept", 1, NULL);
		return 0;
	}
	ctx->host->expr_eval(group->who, batch, row, &who);
	if (group->pid)
		ctx->host->expr_eval(group->pid, batch, row, &pid);
	if (group->since)
		ctx->host->expr_eval(group->since, batch, row, &since);
	if (who.type == WEIR_TYPE_TEXT)
		snprintf(name, sizeof(name), "%.*s", (int)who.length, who.text);
	/* Of whom nothing is known, there is nothing to say but that others have not all. */
	if (pid.type != WEIR_TYPE_UINT && !name[0]) {
		tally->total += number;
		return 0;
	}
	member = tally_member(tally, pid.type == WEIR_TYPE_UINT ? (uint32_t)pid.u : 0, name);
	if (!member)
		return -ENOMEM;
	if (since.type == WEIR_TYPE_UINT)
		member->since = since.u;
	group_note_within(ctx, group, batch, row, member);
	member->windows++;
	if (group->take == USE_MOST)
		member->value = number > member->value ? number : member->value;
	else
		member->value += number;
	tally->total += number;
	return 0;
}

int use_group_add(struct weir_ctx *ctx, struct use_resource *resource, uint32_t finding,
		  bool victims, const struct weir_batch *batch)
{
	const struct use_group *group =
		victims ? resource->findings[finding].victims : resource->findings[finding].causes;
	int err = 0;

	for (uint32_t i = 0; i < batch->row_count && !err; i++) {
		const void *row = weir_row(batch, i);
		struct use_instance *instance =
			use_instance_of(ctx, resource, &group->ask, batch, row, &err);
		struct weir_value value;
		double number;

		if (!instance)
			continue;
		err = ctx->host->expr_eval(group->ask.of, batch, row, &value);
		if (!err && use_number(&value, &number) && number > 0)
			err = group_count_in(ctx, group, &instance->tallies[2 * finding + victims],
					     batch, row, number);
	}
	return err;
}

static const struct use_member *tally_known(const struct use_tally *tally, uint32_t pid)
{
	const uint32_t at = tally->room ? *tally_slot(tally, pid, "") : 0;

	return at && tally->members[at - 1].since ? &tally->members[at - 1] : NULL;
}

static const struct use_member *instance_known(const struct use_instance *instance,
					       uint32_t tallies, uint32_t pid)
{
	const struct use_member *known = NULL;

	for (uint32_t i = 0; i < tallies && !known; i++)
		known = tally_known(&instance->tallies[i], pid);
	return known;
}

const struct use_member *use_group_known(const struct use_state *st,
					 const struct use_member *member)
{
	const struct use_member *known = member->since || !member->pid ? member : NULL;

	for (uint32_t r = 0; r < st->resource_count && !known; r++) {
		const struct use_resource *resource = &st->resources[r];

		for (uint32_t i = 0; i < resource->instance_count && !known; i++)
			known = instance_known(&resource->instances[i], 2 * resource->finding_count,
					       member->pid);
	}
	return known ? known : member;
}

static double group_value(const struct use_state *st, const struct use_group *group, double value)
{
	const double seconds = st->inputs[group->ask.input].seconds;

	return (group->take == USE_RATE || group->take == USE_MEAN) && seconds > 0 ? value / seconds
										   : value;
}

static bool group_has(const struct use_group *group, const struct use_tally *tally,
		      const struct use_member *member)
{
	const uint32_t at =
		tally && tally->room ? *tally_slot(tally, member->pid, member->name) : 0;

	return at && tally->members[at - 1].value >= group->least * tally->total;
}

/* Where a member belongs among the best so far: behind those that are not smaller. */
static uint32_t group_place(const struct use_best *best, const struct use_member *member)
{
	uint32_t at = best->count;

	while (at && best->members[at - 1]->value < member->value)
		at--;
	return at;
}

/* Fills in the largest members; `not_these` are left out, unless they are NULL. */
static void group_rank(const struct use_group *group, const struct use_tally *tally,
		       const struct use_group *not_group, const struct use_tally *not_these,
		       struct use_best *best)
{
	for (uint32_t i = 0; i < tally->count; i++) {
		const struct use_member *member = &tally->members[i];
		const uint32_t at = group_place(best, member);

		if (at == group->most || member->value < group->least * tally->total ||
		    (not_these && group_has(not_group, not_these, member)))
			continue;
		best->count += best->count < group->most;
		for (uint32_t last = best->count - 1; last > at; last--)
			best->members[last] = best->members[last - 1];
		best->members[at] = member;
	}
}

void use_group_best(const struct use_state *st, const struct use_group *group,
		    const struct use_tally *tally, const struct use_group *not_group,
		    const struct use_tally *not_these, struct use_best *best)
{
	const bool others = group->others && not_group && not_these;

	group_rank(group, tally, not_group, others ? not_these : NULL, best);
	/* Who causes it may be the only one who suffers. */
	if (others && !best->count)
		group_rank(group, tally, NULL, NULL, best);
	best->total = group_value(st, group, tally->total);
	for (uint32_t i = 0; i < best->count; i++)
		best->values[i] = group_value(st, group, best->members[i]->value);
}
