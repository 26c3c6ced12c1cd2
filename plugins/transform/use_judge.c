/* SPDX-License-Identifier: BSD-2-Clause */
/* The judgement at the end of the window: figures, then findings, the most costly first. */
#include "use.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/quantity.h>

static double judge_take(const struct use_state *st, const struct use_figure *figure,
			 const struct use_total *total)
{
	const double seconds = st->inputs[figure->ask.input].seconds;

	/* Nothing happened where its input spoke of others: a sum of nothing is 0. */
	if (!total->windows)
		return (figure->take == USE_SUM || figure->take == USE_RATE) && seconds > 0 ? 0
											    : NAN;
	switch (figure->take) {
	case USE_MEAN:
	case USE_SHARE:
		return total->sum / total->seconds;
	case USE_RATE:
		return total->sum / seconds;
	case USE_SUM:
		return total->sum;
	case USE_MOST:
		return total->most;
	case USE_LEAST:
		return total->least;
	default:
		return total->last;
	}
}

static void judge_peaks(const struct use_total *total, const struct weir_unit *unit, double *value,
			char *text)
{
	double modes[USE_MODES];
	uint32_t count = total->histogram ? use_modes(total->histogram, modes) : 0;
	size_t used = 0;

	*value = total->histogram ? (double)count : (double)NAN;
	for (uint32_t i = 0; i < count && count > 1; i++) {
		char one[32];

		weir_quantity(modes[i], unit, one, sizeof(one));
		used += (size_t)snprintf(text + used, USE_TEXT - used, "%s%s",
					 i == 0          ? ""
					 : i + 1 < count ? ", "
							 : " and ",
					 one);
	}
}

const struct use_instance *use_judge_instance(const struct use_resource *resource,
					      const struct use_instance *own,
					      const struct use_ask *ask)
{
	const bool one = ask->match || ask->input == resource->ask.input;

	return one ? own : &resource->instances[0];
}

static void judge_figure(const struct use_state *st, struct use_case *found, uint32_t number)
{
	const struct use_resource *resource = found->resource;
	const struct use_figure *figure = &resource->figures[number];
	const struct use_total *total =
		&use_judge_instance(resource, found->instance, &figure->ask)->totals[number];

	if (figure->ask.input == USE_NONE)
		return;
	if (figure->peaks) {
		judge_peaks(total, figure->peaks->unit, &found->values[number],
			    found->peaks[number]);
		found->texts[number] = found->peaks[number];
		return;
	}
	if (figure->text) {
		found->texts[number] = total->text ? total->text : "";
		return;
	}
	found->values[number] = judge_take(st, figure, total);
}

bool use_judge_expr(struct weir_ctx *ctx, const double *values, const struct weir_expr *expr,
		    double *number)
{
	static const struct weir_batch batch;
	struct weir_value value;

	return expr && ctx->host->expr_eval(expr, &batch, values, &value) == 0 &&
	       use_number(&value, number);
}

bool use_judge_cost(struct weir_ctx *ctx, const double *values, const struct use_finding *finding,
		    double *cost)
{
	const struct weir_unit *unit;

	if (!use_judge_expr(ctx, values, finding->cost, cost))
		return false;
	unit = ctx->host->expr_unit(finding->cost);
	*cost *= 1e9 * (double)unit->numerator / (double)unit->denominator;
	return true;
}

static bool judge_holds(struct weir_ctx *ctx, const struct use_case *found,
			const struct weir_expr *expr)
{
	double number = 0;

	return use_judge_expr(ctx, found->values, expr, &number) && number != 0;
}

static int judge_case(struct weir_ctx *ctx, struct use_resource *resource,
		      struct use_instance *instance, struct use_case *found)
{
	const size_t count = resource->figure_count + 1;

	*found = (struct use_case){ .resource = resource, .instance = instance };
	found->values = calloc(count, sizeof(*found->values));
	found->texts = calloc(count, sizeof(*found->texts));
	found->peaks = calloc(count, sizeof(*found->peaks));
	if (!found->values || !found->texts || !found->peaks)
		return -ENOMEM;
	for (uint32_t i = 0; i < resource->figure_count; i++) {
		found->values[i] = NAN;
		found->texts[i] = "";
		if (resource->figures[i].value)
			use_judge_expr(ctx, found->values, resource->figures[i].value,
				       &found->values[i]);
		else
			judge_figure(ctx->state, found, i);
	}
	return 0;
}

/* The members of an instance's group, or of one that all instances share; NULL: it has no input. */
static const struct use_tally *judge_tally(const struct use_case *found,
					   const struct use_group *group, size_t number)
{
	if (!group || group->ask.input == USE_NONE)
		return NULL;
	return &use_judge_instance(found->resource, found->instance, &group->ask)->tallies[number];
}

static void judge_people(struct weir_ctx *ctx, struct use_verdict *verdict, uint32_t number)
{
	const struct use_finding *finding = verdict->finding;
	const struct use_state *st = ctx->state;
	const struct use_tally *causes =
		judge_tally(verdict->found, finding->causes, 2 * (size_t)number);
	const struct use_tally *victims =
		judge_tally(verdict->found, finding->victims, 2 * (size_t)number + 1);

	if (causes)
		use_group_best(st, finding->causes, causes, NULL, NULL, &verdict->causes);
	if (victims)
		use_group_best(st, finding->victims, victims, finding->causes, causes,
			       &verdict->victims);
}

static int judge_findings(struct weir_ctx *ctx, struct use_judgement *judgement,
			  const struct use_resource *resource, const struct use_case *found)
{
	for (uint32_t i = 0; i < resource->finding_count; i++) {
		const struct use_finding *finding = &resource->findings[i];
		struct use_verdict *verdicts, *verdict;

		if (!judge_holds(ctx, found, finding->when))
			continue;
		verdicts = reallocarray(judgement->verdicts, judgement->verdict_count + 1,
					sizeof(*verdicts));
		if (!verdicts)
			return -ENOMEM;
		judgement->verdicts = verdicts;
		verdict = &verdicts[judgement->verdict_count++];
		*verdict = (struct use_verdict){ .finding = finding, .found = found, .cost = NAN };
		use_judge_cost(ctx, found->values, finding, &verdict->cost);
		judge_people(ctx, verdict, i);
	}
	return 0;
}

/* "memory" or "memory/saturation". */
static bool judge_is(const struct use_verdict *verdict, const char *what)
{
	const char *resource = verdict->found->resource->name;
	const size_t length = strcspn(what, "/");

	return strlen(resource) == length && strncmp(resource, what, length) == 0 &&
	       (!what[length] || strcmp(verdict->finding->kind, what + length + 1) == 0);
}

static bool judge_is_explained(struct weir_ctx *ctx, const struct use_judgement *judgement,
			       const struct use_verdict *verdict)
{
	const struct weir_tree *unless = verdict->finding->unless, *item;
	struct weir_tree_look look;

	for (uint32_t i = 0; unless && (item = ctx->host->tree_item(unless, i, NULL)); i++) {
		ctx->host->tree_look(item, &look);
		for (uint32_t v = 0; look.text && v < judgement->verdict_count; v++) {
			const struct use_verdict *other = &judgement->verdicts[v];

			if (other != verdict && !other->explained && judge_is(other, look.text))
				return true;
		}
	}
	return false;
}

static void judge_explain(struct weir_ctx *ctx, struct use_judgement *judgement)
{
	for (uint32_t i = 0; i < judgement->verdict_count; i++)
		judgement->verdicts[i].explained =
			judge_is_explained(ctx, judgement, &judgement->verdicts[i]);
}

/* The most costly first; those of unknown cost in the order of the rules. */
static void judge_rank(struct use_judgement *judgement)
{
	for (uint32_t i = 1; i < judgement->verdict_count; i++) {
		const struct use_verdict verdict = judgement->verdicts[i];
		const double cost = isnan(verdict.cost) ? -1 : verdict.cost;
		uint32_t at = i;

		for (; at; at--) {
			const double before = judgement->verdicts[at - 1].cost;

			if ((isnan(before) ? -1 : before) >= cost)
				break;
			judgement->verdicts[at] = judgement->verdicts[at - 1];
		}
		judgement->verdicts[at] = verdict;
	}
}

/* That of what belongs to no instance has no name, and stays the first. */
static int judge_by_name(const void *a, const void *b)
{
	return strverscmp(((const struct use_instance *)a)->name,
			  ((const struct use_instance *)b)->name);
}

static int judge_resource(struct weir_ctx *ctx, struct use_resource *resource,
			  struct use_judgement *judgement)
{
	int err = 0;

	qsort(resource->instances, resource->instance_count, sizeof(*resource->instances),
	      judge_by_name);
	for (uint32_t i = 0; i < resource->instance_count && !err; i++) {
		struct use_case *found = &judgement->cases[judgement->case_count];

		if (!resource->instances[i].own)
			continue;
		judgement->case_count++;
		err = judge_case(ctx, resource, &resource->instances[i], found);
		if (!err)
			err = judge_findings(ctx, judgement, resource, found);
	}
	return err;
}

int use_judge(struct weir_ctx *ctx, struct use_judgement *judgement)
{
	struct use_state *st = ctx->state;
	size_t most = 1;
	int err = 0;

	for (uint32_t i = 0; i < st->resource_count; i++)
		most += st->resources[i].instance_count;
	judgement->cases = calloc(most, sizeof(*judgement->cases));
	if (!judgement->cases)
		return -ENOMEM;
	for (uint32_t i = 0; i < st->resource_count && !err; i++)
		err = judge_resource(ctx, &st->resources[i], judgement);
	judge_explain(ctx, judgement);
	judge_rank(judgement);
	return err;
}

void use_judgement_free(struct use_judgement *judgement)
{
	for (uint32_t i = 0; i < judgement->case_count; i++) {
		free(judgement->cases[i].values);
		free(judgement->cases[i].levels);
		free(judgement->cases[i].texts);
		free(judgement->cases[i].peaks);
	}
	free(judgement->cases);
	free(judgement->verdicts);
}
