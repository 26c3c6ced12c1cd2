/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: functions, as a table of their names, shapes and checks. */
#include <stdio.h>

#include "diag.h"
#include "expr_impl.h"

struct expr_function {
	const char *name;
	uint32_t least; /* arguments */
	uint32_t most;
	struct expr_node *(*check)(struct expr_compiler *c, const struct expr_function *function,
				   const struct expr_call *call);
	expr_eval_fn *eval;
	uint32_t type; /* of what it yields; NONE: of its argument */
	enum expr_op op;
	double quantile;
};

static bool function_takes(struct expr_compiler *c, const struct expr_function *function,
			   const struct expr_node *arg, bool ok, const char *wanted)
{
	if (!ok)
		expr_fail(c, arg->span, "%s() takes %s, and this is %s", function->name, wanted,
			  expr_describe(arg));
	return ok;
}

static struct expr_node function_draft(const struct expr_function *function,
				       const struct expr_call *call)
{
	return (struct expr_node){ .eval = function->eval,
				   .args = { call->args[0] },
				   .type = function->type,
				   .op = function->op,
				   .span = call->all };
}

static struct expr_node *function_abs(struct expr_compiler *c, const struct expr_function *function,
				      const struct expr_call *call)
{
	struct expr_node draft = function_draft(function, call);
	const struct expr_node *a = call->args[0];

	if (!function_takes(c, function, a, expr_is_number(a), "a number"))
		return NULL;
	draft.type = a->type == WEIR_TYPE_DOUBLE ? WEIR_TYPE_DOUBLE : WEIR_TYPE_UINT;
	draft.unit = a->unit;
	return expr_add(c, &draft);
}

/* count, sum, mean, p50 ...; also min and max of a histogram. */
static struct expr_node *function_histogram(struct expr_compiler *c,
					    const struct expr_function *function,
					    const struct expr_call *call)
{
	struct expr_node draft = function_draft(function, call);
	const struct expr_node *a = call->args[0];

	if (!function_takes(c, function, a, a->type == WEIR_TYPE_HISTOGRAM, "a histogram"))
		return NULL;
	draft.unit = function->eval == expr_eval_count ? WEIR_COUNT : a->unit;
	draft.quantile = function->quantile;
	return expr_add(c, &draft);
}

static struct expr_node *function_quantile(struct expr_compiler *c,
					   const struct expr_function *function,
					   const struct expr_call *call)
{
	struct expr_function fixed = *function;
	struct expr_node *share = call->args[1];
	struct weir_value value;

	if (share->constant && expr_is_number(share) &&
	    (!share->unit || strcmp(share->unit->dimension, "ratio") == 0))
		share = expr_unit_base(c, share);
	else
		return expr_fail(c, share->span, "quantile() takes a fixed share, as 0.95 or 95%%");
	if (!share)
		return NULL;
	value = share->value;
	fixed.quantile = value.type == WEIR_TYPE_DOUBLE ? value.d
			 : value.type == WEIR_TYPE_UINT ? (double)value.u
							: -1;
	if (!(fixed.quantile >= 0 && fixed.quantile <= 1))
		return expr_fail(c, share->span, "a share lies between 0 and 1 (or 0%% and 100%%)");
	return function_histogram(c, &fixed, call);
}

static struct expr_node *function_extreme(struct expr_compiler *c,
					  const struct expr_function *function,
					  const struct expr_call *call)
{
	struct expr_node *best = call->args[0];

	if (best->type == WEIR_TYPE_HISTOGRAM && call->count == 1)
		return function_histogram(c, function, call);
	if (call->count == 1)
		return expr_fail(c, call->all, "%s() takes one histogram, or two and more numbers",
				 function->name);
	for (uint32_t i = 1; best && i < call->count; i++)
		best = expr_check_sum(c, function->op, best, call->args[i]);
	return best;
}

static struct expr_node *function_has(struct expr_compiler *c, const struct expr_function *function,
				      const struct expr_call *call)
{
	const struct expr_node draft = function_draft(function, call);

	return expr_add(c, &draft);
}

/* coalesce(a, b, c) is a, or else what is left of (b, c). */
static struct expr_node *function_coalesce(struct expr_compiler *c,
					   const struct expr_function *function,
					   const struct expr_call *call)
{
	struct expr_node *first = call->args[0];

	for (uint32_t i = 1; first && i < call->count; i++) {
		struct expr_node draft = function_draft(function, call);
		struct expr_node *second = call->args[i];

		if (!expr_check_alike(c, "choose between", "and", &first, &second))
			return NULL;
		draft.unit = first->unit ? first->unit : second->unit;
		if (expr_is_number(first) && !expr_check_same_type(c, &first, &second))
			return NULL;
		draft.type = first->type;
		draft.args[0] = first;
		draft.args[1] = second;
		first = expr_add(c, &draft);
	}
	return first;
}

static struct expr_node *function_text(struct expr_compiler *c,
				       const struct expr_function *function,
				       const struct expr_call *call)
{
	struct expr_node draft = function_draft(function, call);

	for (uint32_t i = 0; i < call->count; i++) {
		draft.args[i] = call->args[i];
		if (!function_takes(c, function, call->args[i],
				    call->args[i]->type == WEIR_TYPE_TEXT, "texts"))
			return NULL;
	}
	return expr_add(c, &draft);
}

static struct expr_node *function_has_frame(struct expr_compiler *c,
					    const struct expr_function *function,
					    const struct expr_call *call)
{
	struct expr_node draft = function_draft(function, call);
	const struct expr_node *stack = call->args[0];

	if (!function_takes(c, function, stack, stack->type == WEIR_TYPE_STACK, "a stack"))
		return NULL;
	draft.field = stack->field;
	if (draft.field->item_size < offsetof(struct weir_frame, symbol) + sizeof(uint32_t))
		return expr_fail(c, stack->span, "the frames of \"%s\" have no names",
				 draft.field->name);
	draft.regex = expr_regex_new(c, call->args[1]);
	return draft.regex ? expr_add(c, &draft) : NULL;
}

static const struct expr_function functions[] = {
	{ "abs", 1, 1, function_abs, expr_eval_abs, WEIR_TYPE_NONE, 0, 0 },
	{ "min", 1, EXPR_ARGS_LIMIT, function_extreme, expr_eval_least, WEIR_TYPE_UINT, EXPR_MIN,
	  0 },
	{ "max", 1, EXPR_ARGS_LIMIT, function_extreme, expr_eval_greatest, WEIR_TYPE_UINT, EXPR_MAX,
	  0 },
	{ "has", 1, 1, function_has, expr_eval_has, WEIR_TYPE_BOOL, 0, 0 },
	{ "coalesce", 2, EXPR_ARGS_LIMIT, function_coalesce, expr_eval_coalesce, WEIR_TYPE_NONE, 0,
	  0 },
	{ "count", 1, 1, function_histogram, expr_eval_count, WEIR_TYPE_UINT, 0, 0 },
	{ "sum", 1, 1, function_histogram, expr_eval_sum, WEIR_TYPE_UINT, 0, 0 },
	{ "mean", 1, 1, function_histogram, expr_eval_mean, WEIR_TYPE_DOUBLE, 0, 0 },
	{ "p50", 1, 1, function_histogram, expr_eval_quantile, WEIR_TYPE_DOUBLE, 0, 0.5 },
	{ "p90", 1, 1, function_histogram, expr_eval_quantile, WEIR_TYPE_DOUBLE, 0, 0.9 },
	{ "p99", 1, 1, function_histogram, expr_eval_quantile, WEIR_TYPE_DOUBLE, 0, 0.99 },
	{ "p999", 1, 1, function_histogram, expr_eval_quantile, WEIR_TYPE_DOUBLE, 0, 0.999 },
	{ "quantile", 2, 2, function_quantile, expr_eval_quantile, WEIR_TYPE_DOUBLE, 0, 0 },
	{ "starts", 2, 2, function_text, expr_eval_starts, WEIR_TYPE_BOOL, 0, 0 },
	{ "ends", 2, 2, function_text, expr_eval_ends, WEIR_TYPE_BOOL, 0, 0 },
	{ "contains", 2, 2, function_text, expr_eval_contains, WEIR_TYPE_BOOL, 0, 0 },
	{ "length", 1, 1, function_text, expr_eval_length, WEIR_TYPE_UINT, 0, 0 },
	{ "has_frame", 2, 2, function_has_frame, expr_eval_has_frame, WEIR_TYPE_BOOL, 0, 0 },
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static struct expr_node *function_unknown(struct expr_compiler *c, struct expr_span span,
					  const char *name)
{
	const char *names[FUNCTIONS];
	const char *nearest;

	for (size_t i = 0; i < FUNCTIONS; i++)
		names[i] = functions[i].name;
	nearest = diag_nearest(name, names, FUNCTIONS);
	if (nearest)
		return expr_fail(c, span, "unknown function \"%s\"; did you mean \"%s\"?", name,
				 nearest);
	return expr_fail(c, span, "unknown function \"%s\"", name);
}

struct expr_node *expr_check_call(struct expr_compiler *c, const struct expr_call *call)
{
	const struct expr_span span = call->name;
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(span.end - span.start), c->text + span.start);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		const struct expr_function *function = &functions[i];

		if (strcmp(function->name, name) != 0)
			continue;
		if (call->count < function->least || call->count > function->most)
			return expr_fail(c, call->all, "%s() takes %u argument%s%s, not %u", name,
					 function->least, function->least == 1 ? "" : "s",
					 function->most > function->least ? " or more" : "",
					 call->count);
		return function->check(c, function, call);
	}
	return function_unknown(c, span, name);
}
