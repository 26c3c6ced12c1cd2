/* SPDX-License-Identifier: BSD-2-Clause */
/* A set of metrics: from its file to words, formulas and rules that are compiled against them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "metrics.h"

WEIR_DEFINE_UNIT(metrics_joules, "energy", "J", "J", 1, 1);
WEIR_DEFINE_UNIT(metrics_mib, "data", "MiBy", "MiB", 1048576, 1);

/* What an event may be counted in. */
static const struct {
	const char *name;
	const struct weir_unit *unit;
} metrics_event_units[] = {
	{ "count", WEIR_COUNT }, { "ns", WEIR_NS },        { "B", WEIR_BYTES },
	{ "MiB", &metrics_mib }, { "J", &metrics_joules },
};

static const struct metrics_unit metrics_units[] = {
	{ "", NULL, 1, 2 },          { "%", "ratio", 0.01, 2 }, { "GHz", "frequency", 1e9, 3 },
	{ "/s", "frequency", 1, 0 }, { "ms", "time", 1e-3, 2 }, { "MB/s", "data rate", 1e6, 1 },
};

static const char *metrics_text(struct weir_ctx *ctx, const struct weir_tree *map, const char *key)
{
	const struct weir_tree *item = weir_tree_get(ctx, map, key);
	struct weir_tree_look look = { 0 };

	if (item)
		ctx->host->tree_look(item, &look);
	return look.text;
}

int metrics_set_read(struct weir_ctx *ctx, const char *name)
{
	struct metrics_state *state = ctx->state;
	struct metrics_set *set;

	if (state->set_count == METRICS_SETS)
		return weir_fail_option(ctx, "metrics", -E2BIG, "at most %d sets", METRICS_SETS);
	set = calloc(1, sizeof(*set));
	if (!set)
		return weir_fail(ctx, -ENOMEM, "set of metrics %s", name);
	state->sets[state->set_count++] = set;
	set->tree = weir_metric_set_read(ctx, &state->pmus, name);
	return set->tree ? 0 : -EINVAL;
}

static const struct weir_unit *metrics_event_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(metrics_event_units) / sizeof(metrics_event_units[0]); i++)
		if (strcmp(metrics_event_units[i].name, name) == 0)
			return metrics_event_units[i].unit;
	return NULL;
}

/* One more column, which formulas behind it may use. */
static int metrics_add_word(struct weir_ctx *ctx, struct metrics_set *set,
			    const struct weir_tree *tree, const struct metrics_word *word,
			    const struct weir_unit *unit)
{
	uint32_t i = set->count;

	if (i == METRICS_WORDS)
		return weir_tree_fail(ctx, tree, -E2BIG, "at most %d events and metrics",
				      METRICS_WORDS);
	for (uint32_t j = 0; j < i; j++)
		if (strcmp(set->words[j].name, word->name) == 0)
			return weir_tree_fail(ctx, tree, -EINVAL, "there is another %s",
					      word->name);
	set->words[i] = *word;
	set->fields[i] = (struct weir_field){
		.name = word->name,
		.doc = "",
		.unit = unit,
		.type = WEIR_TYPE_DOUBLE,
		.role = WEIR_GAUGE,
		.offset = i * (uint32_t)sizeof(double),
		.bytes = sizeof(double),
		.flags = WEIR_OPTIONAL,
	};
	set->count++;
	return 0;
}

/* The columns so far. */
static const struct weir_schema *metrics_schema(struct metrics_set *set)
{
	struct weir_schema *schema = &set->schemas[set->count - 1];

	schema->size = sizeof(*schema);
	schema->row_size = METRICS_WORDS * sizeof(double);
	schema->name = "metrics";
	schema->fields.items = set->fields;
	schema->fields.count = set->count;
	schema->fields.item_size = sizeof(set->fields[0]);
	return schema;
}

static int metrics_bind_event(struct weir_ctx *ctx, struct metrics_set *set, uint32_t i,
			      const char *event, const char *name)
{
	const struct weir_tree *item =
		ctx->host->tree_item(weir_tree_get(ctx, set->tree, "events"), i, NULL);
	const struct metrics_word word = { .name = name, .event = event };
	struct weir_tree_look look = { 0 };
	const char *unit = "count";

	ctx->host->tree_look(item, &look);
	if (look.kind == WEIR_TREE_MAP && metrics_text(ctx, item, "unit"))
		unit = metrics_text(ctx, item, "unit");
	if (!metrics_event_unit(unit))
		return weir_tree_fail(ctx, item, -EINVAL, "\"%s\" is none of count, ns, B, MiB, J",
				      unit);
	if (!event[0])
		return weir_tree_fail(ctx, item, -EINVAL, "the event's name is missing");
	return metrics_add_word(ctx, set, item, &word, metrics_event_unit(unit));
}

static bool metrics_unit_fits(const struct metrics_unit *shown, const struct weir_unit *unit)
{
	bool plain = !unit || !unit->size || strcmp(unit->dimension, "ratio") == 0 ||
		     strcmp(unit->dimension, "count") == 0;

	return shown->dimension && strcmp(shown->dimension, "ratio") != 0
		       ? unit && strcmp(unit->dimension, shown->dimension) == 0
		       : plain;
}

static int metrics_bind_unit(struct weir_ctx *ctx, const struct weir_tree *item,
			     struct metrics_word *word)
{
	const char *name = metrics_text(ctx, item, "unit");

	for (size_t i = 0; i < sizeof(metrics_units) / sizeof(metrics_units[0]); i++)
		if (strcmp(metrics_units[i].name, name ? name : "") == 0)
			word->unit = &metrics_units[i];
	if (!word->unit)
		return weir_tree_fail(ctx, item, -EINVAL,
				      "\"%s\" is none of %%, GHz, /s, ms, MB/s, nor nothing", name);
	if (!metrics_unit_fits(word->unit, ctx->host->expr_unit(word->expr)))
		return weir_tree_fail(ctx, item, -EINVAL, "\"%s\" is no unit of what %s is",
				      word->unit->name, word->name);
	return 0;
}

static int metrics_bind_metric(struct weir_ctx *ctx, struct metrics_set *set,
			       const struct weir_tree *item)
{
	const struct weir_tree *of = weir_tree_get(ctx, item, "of");
	struct metrics_word word = {
		.name = metrics_text(ctx, item, "metric"),
		.formula = metrics_text(ctx, item, "of"),
		.means = metrics_text(ctx, item, "means"),
	};
	uint32_t type;
	int err;

	if (!word.name || !word.formula || !word.means)
		return weir_tree_fail(ctx, item, -EINVAL,
				      "a metric takes \"metric\", \"of\" and \"means\"");
	word.expr = ctx->host->tree_expr(ctx, of, metrics_schema(set));
	if (!word.expr)
		return -EINVAL;
	type = ctx->host->expr_type(word.expr);
	err = metrics_add_word(ctx, set, item, &word, ctx->host->expr_unit(word.expr));
	if (err) {
		ctx->host->expr_free(word.expr);
		return err;
	}
	if (type == WEIR_TYPE_BOOL || type == WEIR_TYPE_TEXT)
		return weir_tree_fail(ctx, of, -EINVAL, "a metric is a number");
	return metrics_bind_unit(ctx, item, &set->words[set->count - 1]);
}

static int metrics_bind_rule(struct weir_ctx *ctx, struct metrics_set *set,
			     const struct weir_tree *item)
{
	const struct weir_tree *when = weir_tree_get(ctx, item, "when");
	struct metrics_rule *rule = &set->rules[set->rule_count];

	if (set->rule_count == METRICS_RULES)
		return weir_tree_fail(ctx, item, -E2BIG, "at most %d readings", METRICS_RULES);
	set->rule_count++;
	rule->name = metrics_text(ctx, item, "reading");
	rule->say = metrics_text(ctx, item, "say");
	rule->advice = metrics_text(ctx, item, "do");
	rule->next = metrics_text(ctx, item, "next");
	if (!rule->name || !rule->say)
		return weir_tree_fail(ctx, item, -EINVAL,
				      "a reading takes \"reading\" and \"say\"");
	if (!when)
		return 0;
	rule->when = ctx->host->tree_expr(ctx, when, metrics_schema(set));
	if (rule->when && ctx->host->expr_type(rule->when) != WEIR_TYPE_BOOL)
		return weir_tree_fail(ctx, when, -EINVAL, "when takes a condition");
	return rule->when ? 0 : -EINVAL;
}

int metrics_set_bind(struct weir_ctx *ctx, struct metrics_set *set)
{
	const struct weir_tree *metrics = weir_tree_get(ctx, set->tree, "metrics");
	const struct weir_tree *readings = weir_tree_get(ctx, set->tree, "readings"), *item;
	const struct metrics_word elapsed = { .name = "elapsed", .event = "elapsed" };
	const char *event, *word;
	int err = metrics_add_word(ctx, set, set->tree, &elapsed, WEIR_NS);

	for (uint32_t i = 0;
	     !err && (event = weir_metric_set_event(ctx, set->tree, i, &word)) && word; i++)
		err = metrics_bind_event(ctx, set, i, event, word);
	if (!err && !metrics)
		return weir_tree_fail(ctx, set->tree, -EINVAL, "\"metrics\" is missing");
	for (uint32_t i = 0; !err && (item = ctx->host->tree_item(metrics, i, NULL)); i++)
		err = metrics_bind_metric(ctx, set, item);
	for (uint32_t i = 0; !err && readings && (item = ctx->host->tree_item(readings, i, NULL));
	     i++)
		err = metrics_bind_rule(ctx, set, item);
	return err;
}

void metrics_set_free(struct weir_ctx *ctx, struct metrics_set *set)
{
	for (uint32_t i = 0; i < set->count; i++)
		ctx->host->expr_free(set->words[i].expr);
	for (uint32_t i = 0; i < set->rule_count; i++)
		ctx->host->expr_free(set->rules[i].when);
	free(set);
}
