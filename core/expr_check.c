/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: columns and operators. Types are settled here, so that evaluation asks nothing. */
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "expr_impl.h"

const char *expr_describe(const struct expr_node *node)
{
	switch (node->type) {
	case WEIR_TYPE_BOOL:
		return "a condition";
	case WEIR_TYPE_TEXT:
		return "a text";
	case WEIR_TYPE_HISTOGRAM:
		return "a histogram";
	case WEIR_TYPE_STACK:
		return "a stack";
	default:
		return node->unit ? node->unit->dimension : "a plain number";
	}
}

/* How a column is read, by its type. */
static const struct {
	expr_eval_fn *eval;
	uint32_t type;
} check_columns[] = {
	[WEIR_TYPE_UINT] = { expr_eval_uint_column, WEIR_TYPE_UINT },
	[WEIR_TYPE_INT] = { expr_eval_int_column, WEIR_TYPE_INT },
	[WEIR_TYPE_DOUBLE] = { expr_eval_double_column, WEIR_TYPE_DOUBLE },
	[WEIR_TYPE_BOOL] = { expr_eval_bool_column, WEIR_TYPE_BOOL },
	[WEIR_TYPE_CHARS] = { expr_eval_chars_column, WEIR_TYPE_TEXT },
	[WEIR_TYPE_TIME] = { expr_eval_uint_column, WEIR_TYPE_UINT },
	[WEIR_TYPE_DURATION] = { expr_eval_uint_column, WEIR_TYPE_UINT },
	[WEIR_TYPE_TEXT] = { expr_eval_text_column, WEIR_TYPE_TEXT },
	[WEIR_TYPE_NAME] = { expr_eval_name_column, WEIR_TYPE_TEXT },
	[WEIR_TYPE_HISTOGRAM] = { expr_eval_histogram_column, WEIR_TYPE_HISTOGRAM },
	[WEIR_TYPE_STACK] = { expr_eval_stack_column, WEIR_TYPE_STACK },
};

static struct expr_node *check_unknown(struct expr_compiler *c, struct expr_span span,
				       const char *name)
{
	const uint32_t count = c->schema->fields.count;
	const char **names = calloc(count ? count : 1, sizeof(*names));
	const char *nearest;

	if (!names)
		return expr_fail_memory(c);
	for (uint32_t i = 0; i < count; i++)
		names[i] = c->schema->fields.items[i].name;
	nearest = diag_nearest(name, names, count);
	free(names);
	if (nearest)
		return expr_fail(c, span, "unknown column \"%s\"; did you mean \"%s\"?", name,
				 nearest);
	return expr_fail(c, span, "unknown column \"%s\" (texts are written in quotes)", name);
}

struct expr_node *expr_check_column(struct expr_compiler *c, struct expr_span span)
{
	struct expr_node draft = { .span = span };
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)(span.end - span.start), c->text + span.start);
	draft.field = span.end - span.start < sizeof(name) ? weir_find(c->schema, name) : NULL;
	if (!draft.field)
		return check_unknown(c, span, name);
	if (draft.field->type < sizeof(check_columns) / sizeof(check_columns[0])) {
		draft.eval = check_columns[draft.field->type].eval;
		draft.type = check_columns[draft.field->type].type;
		draft.unit = draft.field->unit;
	}
	if (!draft.eval)
		return expr_fail(c, span, "column \"%s\" is a list, which expressions cannot read",
				 name);
	if (draft.field->type == WEIR_TYPE_CHARS && draft.field->bytes > EXPR_CHARS_LIMIT)
		return expr_fail(c, span, "column \"%s\" is wider than %d bytes", name,
				 EXPR_CHARS_LIMIT);
	return expr_add(c, &draft);
}

static struct expr_node *check_convert(struct expr_compiler *c, struct expr_node *node,
				       uint32_t type)
{
	const struct expr_node draft = { .eval = type == WEIR_TYPE_INT ? expr_eval_to_int
								       : expr_eval_to_double,
					 .args = { node },
					 .type = type,
					 .unit = node->unit,
					 .span = node->span };

	return node->type == type ? node : expr_add(c, &draft);
}

bool expr_check_same_type(struct expr_compiler *c, struct expr_node **a, struct expr_node **b)
{
	uint32_t type = WEIR_TYPE_INT;

	if ((*a)->type == (*b)->type)
		return true;
	if ((*a)->type == WEIR_TYPE_DOUBLE || (*b)->type == WEIR_TYPE_DOUBLE)
		type = WEIR_TYPE_DOUBLE;
	*a = check_convert(c, *a, type);
	*b = *a ? check_convert(c, *b, type) : NULL;
	return *b != NULL;
}

bool expr_check_alike(struct expr_compiler *c, const char *verb, const char *joint,
		      struct expr_node **a, struct expr_node **b)
{
	if (expr_is_number(*a) && expr_is_number(*b))
		return expr_unit_alike(c, verb, joint, a, b);
	if ((*a)->type == (*b)->type &&
	    ((*a)->type == WEIR_TYPE_TEXT || (*a)->type == WEIR_TYPE_BOOL))
		return true;
	expr_fail(c, (*b)->span, "cannot %s %s %s %s", verb, expr_describe(*a), joint,
		  expr_describe(*b));
	return false;
}

static bool check_is(struct expr_compiler *c, const struct expr_node *node, bool is,
		     const char *wanted)
{
	if (!is)
		expr_fail(c, node->span, "%s is needed here, and this is %s", wanted,
			  expr_describe(node));
	return is;
}

static struct expr_span check_span(const struct expr_node *a, const struct expr_node *b)
{
	return (struct expr_span){ a->span.start, b->span.end };
}

struct expr_node *expr_check_negative(struct expr_compiler *c, struct expr_span sign,
				      struct expr_node *a)
{
	const struct expr_node draft = { .eval = expr_eval_negative,
					 .args = { a },
					 .type = a->type == WEIR_TYPE_DOUBLE ? WEIR_TYPE_DOUBLE
									     : WEIR_TYPE_INT,
					 .unit = a->unit,
					 .span = { sign.start, a->span.end } };

	return check_is(c, a, expr_is_number(a), "a number") ? expr_add(c, &draft) : NULL;
}

struct expr_node *expr_check_not(struct expr_compiler *c, struct expr_span sign,
				 struct expr_node *a)
{
	const struct expr_node draft = { .eval = expr_eval_not,
					 .args = { a },
					 .type = WEIR_TYPE_BOOL,
					 .span = { sign.start, a->span.end } };

	return check_is(c, a, a->type == WEIR_TYPE_BOOL, "a condition") ? expr_add(c, &draft)
									: NULL;
}

static struct expr_node *check_logic(struct expr_compiler *c, enum expr_op op, struct expr_node *a,
				     struct expr_node *b)
{
	const struct expr_node draft = { .eval = op == EXPR_AND ? expr_eval_and : expr_eval_or,
					 .args = { a, b },
					 .type = WEIR_TYPE_BOOL,
					 .span = check_span(a, b) };

	if (!check_is(c, a, a->type == WEIR_TYPE_BOOL, "a condition") ||
	    !check_is(c, b, b->type == WEIR_TYPE_BOOL, "a condition"))
		return NULL;
	return expr_add(c, &draft);
}

static struct expr_node *check_compare(struct expr_compiler *c, enum expr_op op,
				       struct expr_node *a, struct expr_node *b)
{
	static const uint8_t accept[EXPR_OPS] = {
		[EXPR_LESS] = 1,    [EXPR_EQUAL] = 2,   [EXPR_LESS_EQUAL] = 3,
		[EXPR_GREATER] = 4, [EXPR_UNEQUAL] = 5, [EXPR_GREATER_EQUAL] = 6,
	};
	struct expr_node draft = { .eval = expr_eval_compare,
				   .accept = accept[op],
				   .type = WEIR_TYPE_BOOL,
				   .span = check_span(a, b) };

	if (!expr_check_alike(c, "compare", "with", &a, &b))
		return NULL;
	if (a->type == WEIR_TYPE_BOOL && op != EXPR_EQUAL && op != EXPR_UNEQUAL)
		return expr_fail(c, draft.span, "conditions have no order: use == or !=");
	draft.args[0] = a;
	draft.args[1] = b;
	return expr_add(c, &draft);
}

static struct expr_node *check_match(struct expr_compiler *c, enum expr_op op, struct expr_node *a,
				     struct expr_node *b)
{
	struct expr_node draft = { .eval = expr_eval_match,
				   .args = { a },
				   .op = op,
				   .type = WEIR_TYPE_BOOL,
				   .span = check_span(a, b) };

	if (!check_is(c, a, a->type == WEIR_TYPE_TEXT, "a text"))
		return NULL;
	draft.regex = expr_regex_new(c, b);
	return draft.regex ? expr_add(c, &draft) : NULL;
}

static expr_eval_fn *check_arithmetic(const struct expr_node *node)
{
	if (node->type == WEIR_TYPE_DOUBLE)
		return expr_eval_double;
	return node->type == WEIR_TYPE_INT ? expr_eval_int : expr_eval_uint;
}

/* A node over two numbers whose units are settled. */
static struct expr_node *check_numbers(struct expr_compiler *c, enum expr_op op,
				       struct expr_node *a, struct expr_node *b,
				       const struct weir_unit *unit)
{
	struct expr_node draft = { .op = op, .unit = unit, .span = check_span(a, b) };

	if (op == EXPR_DIVIDE) {
		a = check_convert(c, a, WEIR_TYPE_DOUBLE);
		b = a ? check_convert(c, b, WEIR_TYPE_DOUBLE) : NULL;
	}
	if (!a || !b || !expr_check_same_type(c, &a, &b))
		return NULL;
	if (op == EXPR_MODULO && a->type == WEIR_TYPE_DOUBLE)
		return expr_fail(c, draft.span, "%% is for whole numbers");
	draft.eval = check_arithmetic(a);
	/* The difference of unsigned numbers has a sign. */
	draft.type = op == EXPR_SUBTRACT && a->type == WEIR_TYPE_UINT ? WEIR_TYPE_INT : a->type;
	draft.args[0] = a;
	draft.args[1] = b;
	return expr_add(c, &draft);
}

static bool check_both_numbers(struct expr_compiler *c, const struct expr_node *a,
			       const struct expr_node *b)
{
	return check_is(c, a, expr_is_number(a), "a number") &&
	       check_is(c, b, expr_is_number(b), "a number");
}

struct expr_node *expr_check_sum(struct expr_compiler *c, enum expr_op op, struct expr_node *a,
				 struct expr_node *b)
{
	static const char *const verbs[EXPR_OPS] = {
		[EXPR_ADD] = "add",     [EXPR_SUBTRACT] = "subtract", [EXPR_MODULO] = "divide",
		[EXPR_MIN] = "compare", [EXPR_MAX] = "compare",
	};

	if (!check_both_numbers(c, a, b) || !expr_unit_alike(c, verbs[op], "and", &a, &b))
		return NULL;
	return check_numbers(c, op, a, b, a->unit ? a->unit : b->unit);
}

static struct expr_node *check_product(struct expr_compiler *c, enum expr_op op,
				       struct expr_node *a, struct expr_node *b)
{
	const struct weir_unit *unit;

	if (!check_both_numbers(c, a, b))
		return NULL;
	if (op == EXPR_MULTIPLY ? !expr_unit_product(c, &a, &b, &unit)
				: !expr_unit_quotient(c, &a, &b, &unit))
		return NULL;
	return check_numbers(c, op, a, b, unit);
}

struct expr_node *expr_check_binary(struct expr_compiler *c, enum expr_op op, struct expr_node *a,
				    struct expr_node *b)
{
	switch (op) {
	case EXPR_OR:
	case EXPR_AND:
		return check_logic(c, op, a, b);
	case EXPR_MATCH:
	case EXPR_MISMATCH:
		return check_match(c, op, a, b);
	case EXPR_ADD:
	case EXPR_SUBTRACT:
	case EXPR_MODULO:
		return expr_check_sum(c, op, a, b);
	case EXPR_MULTIPLY:
	case EXPR_DIVIDE:
		return check_product(c, op, a, b);
	default:
		return check_compare(c, op, a, b);
	}
}

struct expr_node *expr_check_condition(struct expr_compiler *c, struct expr_node *condition,
				       struct expr_node *a, struct expr_node *b)
{
	struct expr_node draft = { .eval = expr_eval_condition, .span = check_span(condition, b) };

	if (!check_is(c, condition, condition->type == WEIR_TYPE_BOOL, "a condition") ||
	    !expr_check_alike(c, "choose between", "and", &a, &b) ||
	    (expr_is_number(a) && !expr_check_same_type(c, &a, &b)))
		return NULL;
	draft.type = a->type;
	draft.unit = a->unit ? a->unit : b->unit;
	draft.args[0] = condition;
	draft.args[1] = a;
	draft.args[2] = b;
	return expr_add(c, &draft);
}
