/* SPDX-License-Identifier: BSD-2-Clause */
/* The verdict as one row of nested tables. */
#include "use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct resource_row {
	struct weir_text resource;
	struct weir_text instance;
	double utilization;
	double saturation;
	double errors;
	struct weir_text state;
	struct weir_text reason;
};

static const struct weir_field resource_fields[] = {
	WEIR_FIELD(struct resource_row, resource, WEIR_NONE, WEIR_KEY, "kind of resource"),
	WEIR_FIELD_WITH(struct resource_row, instance, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"which one, where there are several"),
	WEIR_FIELD_WITH(struct resource_row, utilization, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			"share of it that was in use"),
	WEIR_FIELD_WITH(struct resource_row, saturation, WEIR_COUNT, WEIR_GAUGE, WEIR_OPTIONAL,
			"work that waited for it, as the rules measure it"),
	WEIR_FIELD_WITH(struct resource_row, errors, WEIR_COUNT, WEIR_DELTA, WEIR_OPTIONAL,
			"errors in the window"),
	WEIR_FIELD(struct resource_row, state, WEIR_NONE, WEIR_GAUGE,
		   "ok, busy, SATURATED, ERRORS, LIMIT, or not checked"),
	WEIR_FIELD_WITH(struct resource_row, reason, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"why a figure is not known"),
};
WEIR_SCHEMA(resource_schema, "resources", struct resource_row, resource_fields);

struct evidence_row {
	struct weir_text metric;
	double value;
	double spread;
	struct weir_text unit;
};

static const struct weir_field evidence_fields[] = {
	WEIR_FIELD(struct evidence_row, metric, WEIR_NONE, WEIR_KEY, "name of the figure"),
	WEIR_FIELD_WITH(struct evidence_row, value, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"in `unit`"),
	WEIR_FIELD_WITH(struct evidence_row, spread, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"standard deviation of its values over the windows"),
	WEIR_FIELD_WITH(struct evidence_row, unit, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"UCUM code of its unit"),
};
WEIR_SCHEMA(evidence_schema, "evidence", struct evidence_row, evidence_fields);

struct cause_row {
	uint32_t pid;
	uint32_t reserved;
	struct weir_text comm;
	double share;
	double value;
	struct weir_text unit;
	struct weir_text text;
};

static const struct weir_field cause_fields[] = {
	WEIR_FIELD_WITH(struct cause_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process"),
	WEIR_FIELD(struct cause_row, comm, WEIR_NONE, WEIR_KEY, "its name"),
	WEIR_FIELD_WITH(struct cause_row, share, WEIR_RATIO, WEIR_GAUGE, WEIR_OPTIONAL,
			"of what all together did"),
	WEIR_FIELD(struct cause_row, value, WEIR_NONE, WEIR_GAUGE, "in `unit`"),
	WEIR_FIELD_WITH(struct cause_row, unit, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"UCUM code of its unit"),
	WEIR_FIELD_WITH(struct cause_row, text, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"the same for people"),
};
WEIR_SCHEMA(cause_schema, "causes", struct cause_row, cause_fields);

struct victim_row {
	uint32_t pid;
	uint32_t reserved;
	struct weir_text comm;
	double wait_s;
	struct weir_text text;
};

static const struct weir_field victim_fields[] = {
	WEIR_FIELD_WITH(struct victim_row, pid, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL, "process"),
	WEIR_FIELD(struct victim_row, comm, WEIR_NONE, WEIR_KEY, "its name"),
	WEIR_FIELD_WITH(struct victim_row, wait_s, WEIR_SECONDS, WEIR_DELTA, WEIR_OPTIONAL,
			"time that it waited"),
	WEIR_FIELD_WITH(struct victim_row, text, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"the same for people"),
};
WEIR_SCHEMA(victim_schema, "victims", struct victim_row, victim_fields);

struct finding_row {
	uint32_t rank;
	uint32_t reserved;
	struct weir_text resource;
	struct weir_text instance;
	struct weir_text kind;
	double cost_s;
	struct weir_text summary;
	struct weir_text because;
	struct weir_text why_now;
	struct weir_rows_ref evidence;
	struct weir_rows_ref causes;
	struct weir_rows_ref victims;
	struct weir_names_ref next;
};

#define FINDING_ROWS(member_, schema_, flags_, label_, doc_)                                       \
	{                                                                                          \
		.name = #member_, .doc = doc_, .type = WEIR_TYPE_ROWS,                             \
		.offset = offsetof(struct finding_row, member_),                                   \
		.bytes = sizeof(struct weir_rows_ref), .flags = flags_, .rows = &schema_,          \
		.head = WEIR_HEAD(label_, NULL, 0),                                                \
	}

static const struct weir_field finding_fields[] = {
	WEIR_FIELD(struct finding_row, rank, WEIR_NONE, WEIR_KEY, "1: the most costly"),
	WEIR_FIELD(struct finding_row, resource, WEIR_NONE, WEIR_KEY, "kind of resource"),
	WEIR_FIELD_WITH(struct finding_row, instance, WEIR_NONE, WEIR_KEY, WEIR_OPTIONAL,
			"which one, where there are several"),
	WEIR_FIELD(struct finding_row, kind, WEIR_NONE, WEIR_KEY,
		   "saturation, errors, limit, imbalance or churn"),
	WEIR_FIELD_WITH(struct finding_row, cost_s, WEIR_SECONDS, WEIR_DELTA, WEIR_OPTIONAL,
			"time that processes lost by waiting for it"),
	WEIR_FIELD_WITH(struct finding_row, summary, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"what was found"),
	WEIR_FIELD(struct finding_row, because, WEIR_NONE, WEIR_GAUGE,
		   "why that is a finding: the rule's reason"),
	FINDING_ROWS(evidence, evidence_schema, WEIR_QUIET, "evidence", "the figures behind it"),
	FINDING_ROWS(causes, cause_schema, 0, "cause", "who uses the resource, most first"),
	FINDING_ROWS(victims, victim_schema, 0, "victim", "who waits for it, longest first"),
	WEIR_FIELD_HEAD(struct finding_row, why_now, WEIR_NONE, WEIR_GAUGE,
			WEIR_OPTIONAL | WEIR_SENTENCE, WEIR_HEAD("why now", NULL, 0),
			"what has begun lately"),
	WEIR_FIELD_WITH(struct finding_row, next, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"what to run next"),
};
WEIR_SCHEMA(finding_schema, "findings", struct finding_row, finding_fields);

struct unchecked_row {
	struct weir_text resource;
	struct weir_text what;
	struct weir_text reason;
	struct weir_text cure;
};

static const struct weir_field unchecked_fields[] = {
	WEIR_FIELD(struct unchecked_row, resource, WEIR_NONE, WEIR_KEY, "kind of resource"),
	WEIR_FIELD(struct unchecked_row, what, WEIR_NONE, WEIR_KEY, "the input that is missing"),
	WEIR_FIELD(struct unchecked_row, reason, WEIR_NONE, WEIR_GAUGE, "why"),
	WEIR_FIELD_WITH(struct unchecked_row, cure, WEIR_NONE, WEIR_GAUGE, WEIR_OPTIONAL,
			"what allows it"),
};
WEIR_SCHEMA(unchecked_schema, "not checked", struct unchecked_row, unchecked_fields);

struct lost_row {
	struct weir_text node;
	struct weir_text reason;
	uint64_t count;
};

static const struct weir_field lost_fields[] = {
	WEIR_FIELD(struct lost_row, node, WEIR_NONE, WEIR_KEY, "who lost it"),
	WEIR_FIELD(struct lost_row, reason, WEIR_NONE, WEIR_KEY, "why"),
	WEIR_FIELD(struct lost_row, count, WEIR_COUNT, WEIR_DELTA, "rows or events"),
};
WEIR_SCHEMA(lost_schema, "lost", struct lost_row, lost_fields);

struct verdict_row {
	struct weir_text summary;
	struct weir_rows_ref resources;
	struct weir_rows_ref findings;
	struct weir_rows_ref not_checked;
	struct weir_rows_ref lost;
};

static const struct weir_field verdict_fields[] = {
	WEIR_FIELD_WITH(struct verdict_row, summary, WEIR_NONE, WEIR_GAUGE, WEIR_SENTENCE,
			"how many findings, and how much was looked at"),
	WEIR_FIELD_ROWS(struct verdict_row, resources, &resource_schema, "what was looked at"),
	WEIR_FIELD_ROWS(struct verdict_row, findings, &finding_schema,
			"what holds the machine back, the most costly first"),
	WEIR_FIELD_ROWS(struct verdict_row, not_checked, &unchecked_schema,
			"what could not be looked at"),
	WEIR_FIELD_ROWS(struct verdict_row, lost, &lost_schema, "what sources have lost"),
};
const struct weir_schema use_schema = { sizeof(struct weir_schema), sizeof(struct verdict_row),
					"verdict", WEIR_TABLE(verdict_fields) };

/* The batch in the making. Offsets stay when its arena moves, pointers do not. */
struct row_maker {
	struct weir_ctx *ctx;
	struct weir_batch *batch;
	const struct use_judgement *judgement;
	int err;
};

static struct weir_text row_text(struct row_maker *maker, const char *text)
{
	struct weir_text made = { 0, 0 };

	if (!maker->err && text)
		maker->err = weir_add_text(maker->ctx, maker->batch, text, strlen(text), &made);
	return made;
}

/* Room for a nested table; its rows are put in by row_put(). */
static struct weir_rows_ref row_table(struct row_maker *maker, uint32_t count, uint32_t row_size)
{
	struct weir_rows_ref rows = { 0, count };

	if (!maker->err && count &&
	    !weir_add_bytes(maker->ctx, maker->batch, count * row_size, &rows.offset))
		maker->err = -ENOMEM;
	return rows;
}

static void row_put(struct row_maker *maker, struct weir_rows_ref rows, uint32_t i, const void *row,
		    uint32_t row_size)
{
	if (!maker->err)
		memcpy(maker->batch->arena + rows.offset + (size_t)i * row_size, row, row_size);
}

static const char *row_unit(const struct weir_unit *unit)
{
	return unit->size && strcmp(unit->ucum, "1") != 0 ? unit->ucum : "";
}

static double row_figure(const struct use_case *found, uint32_t figure, bool base)
{
	const struct weir_unit *unit;

	if (figure == USE_NONE)
		return NAN;
	unit = &found->resource->figures[figure].unit;
	return base && unit->size
		       ? found->values[figure] * (double)unit->numerator / (double)unit->denominator
		       : found->values[figure];
}

static const char *row_state(struct weir_ctx *ctx, const struct use_judgement *judgement,
			     const struct use_case *found)
{
	static const struct weir_batch batch;
	struct weir_value busy = { 0 };
	const char *state = NULL;

	for (uint32_t i = 0; i < judgement->verdict_count; i++) {
		const char *kind = judgement->verdicts[i].finding->kind;

		if (judgement->verdicts[i].found != found)
			continue;
		if (strcmp(kind, "saturation") == 0)
			return "SATURATED";
		state = strcmp(kind, "errors") == 0 ? "ERRORS" : state ? state : "LIMIT";
	}
	if (found->resource->busy)
		ctx->host->expr_eval(found->resource->busy, &batch, found->values, &busy);
	return state ? state : busy.u ? "busy" : "ok";
}

/* Why a figure that has a role is not there, as the rules say it. */
static const char *row_reason(struct weir_ctx *ctx, const struct use_case *found)
{
	const struct use_resource *resource = found->resource;
	const uint32_t roles[] = { resource->utilization, resource->saturation, resource->errors };
	struct weir_tree_look look = { 0 };

	for (size_t i = 0; i < 3; i++) {
		const struct weir_tree *tree;

		if (roles[i] == USE_NONE || !isnan(found->values[roles[i]]))
			continue;
		tree = weir_tree_get(ctx, resource->unknown, resource->figures[roles[i]].name);
		if (tree)
			ctx->host->tree_look(tree, &look);
		return look.text ? look.text : "";
	}
	return "";
}

static bool row_is_dropped(struct weir_ctx *ctx, const struct use_judgement *judgement,
			   const struct use_case *found)
{
	static const struct weir_batch batch;
	struct weir_value drop = { 0 };

	if (found->resource->drop)
		ctx->host->expr_eval(found->resource->drop, &batch, found->values, &drop);
	for (uint32_t i = 0; drop.u && i < judgement->verdict_count; i++)
		drop.u = judgement->verdicts[i].found != found;
	return drop.u;
}

/* The reason why nothing came of an input: NULL when something may have. */
static const char *row_absent(struct weir_ctx *ctx, const struct use_ask *ask, const char **cure)
{
	const struct weir_input *input =
		ask->input == USE_NONE ? NULL : weir_input(ctx, ask->input);

	*cure = "";
	if (!input)
		return "this pipeline has no such input";
	*cure = input->cure ? input->cure : "";
	return input->absent;
}

static uint32_t row_add_unchecked_resource(struct row_maker *maker, struct weir_rows_ref rows,
					   uint32_t at, const struct use_resource *resource)
{
	const char *cure, *reason = row_absent(maker->ctx, &resource->ask, &cure);
	struct resource_row row = { .utilization = NAN, .saturation = NAN, .errors = NAN };

	if (!reason)
		return at;
	row.resource = row_text(maker, resource->name);
	row.state = row_text(maker, "not checked");
	row.reason = row_text(maker, reason);
	row_put(maker, rows, at, &row, sizeof(row));
	return at + 1;
}

static struct weir_rows_ref row_resources(struct row_maker *maker)
{
	const struct use_judgement *judgement = maker->judgement;
	const struct use_state *st = maker->ctx->state;
	struct weir_rows_ref rows = row_table(maker, judgement->case_count + st->resource_count,
					      sizeof(struct resource_row));
	uint32_t count = 0;

	for (uint32_t i = 0; i < judgement->case_count; i++) {
		const struct use_case *found = &judgement->cases[i];
		struct resource_row row = {
			.utilization = row_figure(found, found->resource->utilization, true),
			.saturation = row_figure(found, found->resource->saturation, true),
			.errors = row_figure(found, found->resource->errors, true),
		};

		if (row_is_dropped(maker->ctx, judgement, found))
			continue;
		row.resource = row_text(maker, found->resource->name);
		row.instance = row_text(maker, found->instance->name);
		row.state = row_text(maker, row_state(maker->ctx, judgement, found));
		row.reason = row_text(maker, row_reason(maker->ctx, found));
		row_put(maker, rows, count++, &row, sizeof(row));
	}
	for (uint32_t i = 0; i < st->resource_count; i++)
		count = row_add_unchecked_resource(maker, rows, count, &st->resources[i]);
	rows.count = count;
	return rows;
}

static struct weir_rows_ref row_evidence(struct row_maker *maker, const struct use_verdict *verdict)
{
	const struct use_finding *finding = verdict->finding;
	const struct use_case *found = verdict->found;
	struct weir_rows_ref rows =
		row_table(maker, finding->evidence_count, sizeof(struct evidence_row));

	for (uint32_t i = 0; i < finding->evidence_count; i++) {
		const uint32_t number = finding->evidence[i];
		const struct use_figure *figure = &found->resource->figures[number];
		const struct evidence_row row = {
			.metric = row_text(maker, figure->name),
			.value = found->values[number],
			.spread = found->spreads[number],
			.unit = row_text(maker, row_unit(&figure->unit)),
		};

		row_put(maker, rows, i, &row, sizeof(row));
	}
	return rows;
}

static struct weir_text row_say(struct row_maker *maker, const struct use_words *words,
				const char *text)
{
	char said[USE_TEXT];

	use_say(words, text, said, sizeof(said));
	return row_text(maker, said);
}

static struct weir_rows_ref row_causes(struct row_maker *maker, const struct use_verdict *verdict)
{
	const struct use_group *group = verdict->finding->causes;
	struct weir_rows_ref rows =
		row_table(maker, verdict->cause_count, sizeof(struct cause_row));

	for (uint32_t i = 0; i < verdict->cause_count; i++) {
		const struct use_member *member = verdict->causes[i];
		const double value = verdict->cause_values[i], total = verdict->cause_total;
		const struct use_words words = {
			maker->ctx->state, verdict->found, verdict, group, member, value, total
		};
		const struct cause_row row = {
			.pid = member->pid ? member->pid : WEIR_ABSENT_U32,
			.comm = row_text(maker, member->name),
			.share = total > 0 ? value / total : NAN,
			.value = value,
			.unit = row_text(maker, row_unit(&group->unit)),
			.text = row_say(maker, &words, group->say),
		};

		row_put(maker, rows, i, &row, sizeof(row));
	}
	return rows;
}

static struct weir_rows_ref row_victims(struct row_maker *maker, const struct use_verdict *verdict)
{
	const struct use_group *group = verdict->finding->victims;
	struct weir_rows_ref rows =
		row_table(maker, verdict->victim_count, sizeof(struct victim_row));

	for (uint32_t i = 0; i < verdict->victim_count; i++) {
		const struct use_member *member = verdict->victims[i];
		const double value = verdict->victim_values[i];
		const bool time = group->unit.size && strcmp(group->unit.dimension, "time") == 0;
		const struct use_words words = {
			maker->ctx->state, verdict->found, verdict, group, member, value, 0
		};
		const struct victim_row row = {
			.pid = member->pid ? member->pid : WEIR_ABSENT_U32,
			.comm = row_text(maker, member->name),
			.wait_s = time ? value * (double)group->unit.numerator /
						  (double)group->unit.denominator
				       : NAN,
			.text = row_say(maker, &words, group->say),
		};

		row_put(maker, rows, i, &row, sizeof(row));
	}
	return rows;
}

/* Commands whose placeholders can all be filled in. */
static struct weir_names_ref row_next(struct row_maker *maker, const struct use_words *words)
{
	const struct weir_tree *next = words->verdict->finding->next, *item;
	struct use_state *st = maker->ctx->state;
	struct weir_names_ref ids = { 0, 0 };
	struct weir_tree_look look;
	char said[USE_TEXT];
	uint32_t found[16];

	for (uint32_t i = 0; next && ids.count < 16; i++) {
		item = maker->ctx->host->tree_item(next, i, NULL);
		if (!item)
			break;
		maker->ctx->host->tree_look(item, &look);
		if (!look.text || !use_say(words, look.text, said, sizeof(said)))
			continue;
		found[ids.count++] = maker->ctx->host->names_intern(st->names, said, strlen(said));
	}
	if (!maker->err && ids.count) {
		uint32_t *room =
			weir_add_bytes(maker->ctx, maker->batch, 4 * ids.count, &ids.offset);

		if (room)
			memcpy(room, found, 4 * (size_t)ids.count);
		else
			maker->err = -ENOMEM;
	}
	return ids;
}

/* The first of the causes that began within the window or a minute before it. */
static struct weir_text row_why_now(struct row_maker *maker, const struct use_verdict *verdict)
{
	const uint64_t lately = 60ull * 1000000000;
	const struct use_state *st = maker->ctx->state;
	char said[USE_TEXT] = "";

	for (uint32_t i = 0; i < verdict->cause_count && !said[0]; i++) {
		const struct use_member *member = verdict->causes[i];
		char age[32];

		if (!member->since || member->since + lately < st->start || member->since > st->end)
			continue;
		use_quantity((double)(st->end - member->since), &weir_ns, age, sizeof(age));
		snprintf(said, sizeof(said), "%s (pid %u) began %s ago", member->name, member->pid,
			 age);
	}
	return row_text(maker, said);
}

static void row_finding(struct row_maker *maker, const struct use_verdict *verdict,
			struct finding_row *row)
{
	const struct use_case *found = verdict->found;
	const struct use_words words = { .st = maker->ctx->state,
					 .found = found,
					 .verdict = verdict,
					 .group = &(const struct use_group){ .most = 0 } };

	row->resource = row_text(maker, found->resource->name);
	row->instance = row_text(maker, found->instance->name);
	row->kind = row_text(maker, verdict->finding->kind);
	row->cost_s = verdict->cost / 1e9;
	row->summary = row_say(maker, &words, verdict->finding->summary);
	row->because = row_text(maker, verdict->finding->because);
	row->evidence = row_evidence(maker, verdict);
	row->causes = row_causes(maker, verdict);
	row->victims = row_victims(maker, verdict);
	row->why_now = row_why_now(maker, verdict);
	row->next = row_next(maker, &words);
}

static struct weir_rows_ref row_findings(struct row_maker *maker)
{
	const struct use_judgement *judgement = maker->judgement;
	struct weir_rows_ref rows =
		row_table(maker, judgement->verdict_count, sizeof(struct finding_row));

	rows.count = 0;
	for (uint32_t i = 0; i < judgement->verdict_count; i++) {
		struct finding_row row = { .rank = rows.count + 1 };

		if (judgement->verdicts[i].explained)
			continue;
		row_finding(maker, &judgement->verdicts[i], &row);
		row_put(maker, rows, rows.count++, &row, sizeof(row));
	}
	return rows;
}

/* Each input that a resource asks, once: its position among all that it asks, or USE_NONE. */
static bool row_is_first(const struct use_resource *resource, uint32_t figure)
{
	const char *name = resource->figures[figure].ask.name;

	if (!name || strcmp(name, resource->ask.name) == 0)
		return false;
	for (uint32_t i = 0; i < figure; i++)
		if (resource->figures[i].ask.name &&
		    strcmp(resource->figures[i].ask.name, name) == 0)
			return false;
	return true;
}

static void row_unchecked(struct row_maker *maker, const struct use_resource *resource,
			  const struct use_ask *ask, struct weir_rows_ref *rows)
{
	const char *cure, *reason = row_absent(maker->ctx, ask, &cure);
	struct unchecked_row row;

	if (!reason)
		return;
	row.resource = row_text(maker, resource->name);
	row.what = row_text(maker, ask->name);
	row.reason = row_text(maker, reason);
	row.cure = row_text(maker, cure);
	row_put(maker, *rows, rows->count++, &row, sizeof(row));
}

static struct weir_rows_ref row_not_checked(struct row_maker *maker)
{
	const struct use_state *st = maker->ctx->state;
	struct weir_rows_ref rows;
	uint32_t most = 0;

	for (uint32_t i = 0; i < st->resource_count; i++)
		most += 1 + st->resources[i].figure_count;
	rows = row_table(maker, most, sizeof(struct unchecked_row));
	rows.count = 0;
	for (uint32_t i = 0; i < st->resource_count; i++) {
		const struct use_resource *resource = &st->resources[i];

		row_unchecked(maker, resource, &resource->ask, &rows);
		for (uint32_t f = 0; f < resource->figure_count; f++)
			if (row_is_first(resource, f))
				row_unchecked(maker, resource, &resource->figures[f].ask, &rows);
	}
	return rows;
}

struct row_losses {
	struct row_maker *maker;
	struct weir_rows_ref rows;
	uint32_t room;
};

static void row_loss(const struct weir_loss *loss, void *arg)
{
	struct row_losses *losses = arg;
	struct lost_row row;

	if (losses->rows.count >= losses->room)
		return;
	row.node = row_text(losses->maker, loss->node);
	row.reason = row_text(losses->maker, loss->reason);
	row.count = loss->n;
	row_put(losses->maker, losses->rows, losses->rows.count++, &row, sizeof(row));
}

static void row_count_loss(const struct weir_loss *loss, void *arg)
{
	(void)loss;
	++*(uint32_t *)arg;
}

/* Losses that come between both looks are told by the ledger at exit. */
static struct weir_rows_ref row_lost(struct row_maker *maker)
{
	struct row_losses losses = { .maker = maker };

	maker->ctx->host->losses(maker->ctx, row_count_loss, &losses.room);
	losses.rows = row_table(maker, losses.room, sizeof(struct lost_row));
	losses.rows.count = 0;
	maker->ctx->host->losses(maker->ctx, row_loss, &losses);
	return losses.rows;
}

static struct weir_text row_summary(struct row_maker *maker, const struct verdict_row *row)
{
	const struct use_state *st = maker->ctx->state;
	char window[32], unchecked[64] = "", said[USE_TEXT];

	use_quantity((double)(st->end - st->start), &weir_ns, window, sizeof(window));
	if (row->not_checked.count)
		snprintf(unchecked, sizeof(unchecked), "; %u not checked", row->not_checked.count);
	if (row->findings.count)
		snprintf(said, sizeof(said), "%u finding%s in %s%s", row->findings.count,
			 row->findings.count == 1 ? "" : "s", window, unchecked);
	else
		snprintf(said, sizeof(said), "nothing holds this machine back in %s%s", window,
			 unchecked);
	return row_text(maker, said);
}

int use_send(struct weir_ctx *ctx, const struct use_judgement *judgement)
{
	struct use_state *st = ctx->state;
	struct row_maker maker = { .ctx = ctx, .judgement = judgement };
	struct verdict_row row;

	maker.batch = weir_loan(ctx, 0, 1, 4096);
	if (!maker.batch) {
		weir_lost(ctx, "no room behind the verdict", 1, NULL);
		return 0;
	}
	maker.batch->start = st->start;
	maker.batch->end = st->end;
	maker.batch->names = st->names;
	row.resources = row_resources(&maker);
	row.findings = row_findings(&maker);
	row.not_checked = row_not_checked(&maker);
	row.lost = row_lost(&maker);
	row.summary = row_summary(&maker, &row);
	if (maker.err) {
		weir_discard(ctx, maker.batch);
		return maker.err;
	}
	memcpy(maker.batch->rows, &row, sizeof(row));
	maker.batch->row_count = 1;
	return weir_commit(ctx, maker.batch);
}
