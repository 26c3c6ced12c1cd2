/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: the doors of expr.h, the nodes of a tree and the errors of its text. */
#include <stdio.h>
#include <stdlib.h>

#include <weir/utf8.h>

#include "expr_impl.h"

void *expr_fail(struct expr_compiler *c, struct expr_span span, const char *format, ...)
{
	va_list args;

	if (c->err)
		return NULL;
	c->err = -EINVAL;
	c->error->column = 1 + weir_utf8_count(c->text, span.start);
	c->error->length = weir_utf8_count(c->text + span.start, span.end - span.start);
	if (c->error->length == 0)
		c->error->length = 1;
	va_start(args, format);
	vsnprintf(c->error->message, sizeof(c->error->message), format, args);
	va_end(args);
	return NULL;
}

void *expr_fail_memory(struct expr_compiler *c)
{
	if (!c->err)
		c->err = -ENOMEM;
	return NULL;
}

static void expr_release(char *text, regex_t *regex)
{
	free(text);
	if (regex)
		regfree(regex);
	free(regex);
}

/* Height of the tree below, and whether all of it is constant. */
static void expr_survey(struct expr_node *node)
{
	node->constant = node->args[0] != NULL;
	for (uint32_t i = 0; i < 3; i++)
		for (const struct expr_node *arg = node->args[i]; arg; arg = arg->sibling) {
			if (arg->height >= node->height)
				node->height = arg->height + 1;
			node->constant = node->constant && arg->constant;
		}
}

static void expr_fold(struct expr_node *node)
{
	static const struct weir_batch no_batch;
	const struct expr_frame frame = { &no_batch, NULL };
	struct weir_value value;

	node->eval(node, &frame, &value);
	node->value = value;
	node->eval = expr_eval_constant;
}

struct expr_node *expr_add(struct expr_compiler *c, const struct expr_node *draft)
{
	struct expr_node *node = malloc(sizeof(*node));

	if (!node) {
		expr_release(draft->text, draft->regex);
		return expr_fail_memory(c);
	}
	*node = *draft;
	node->next = c->expr->nodes;
	c->expr->nodes = node;
	if (node->eval == expr_eval_constant)
		return node;
	expr_survey(node);
	if (node->height > EXPR_HEIGHT_LIMIT)
		return expr_fail(c, node->span, "the expression has too many parts in a row");
	if (node->constant)
		expr_fold(node);
	return node;
}

struct expr_node *expr_add_constant(struct expr_compiler *c, struct expr_span span,
				    const struct weir_value *value, const struct weir_unit *unit)
{
	const struct expr_node draft = { .eval = expr_eval_constant,
					 .value = *value,
					 .type = value->type,
					 .unit = unit,
					 .constant = true,
					 .span = span };

	return expr_add(c, &draft);
}

/* A result must be what struct weir_value can hold. */
static bool expr_is_value(struct expr_compiler *c, const struct expr_node *root)
{
	if (root->type == WEIR_TYPE_HISTOGRAM)
		expr_fail(c, root->span,
			  "a histogram is not a value: take count(), sum(), mean(), min(), max(), "
			  "p50(), p90(), p99(), p999() or quantile() of it");
	else if (root->type == WEIR_TYPE_STACK)
		expr_fail(c, root->span, "a stack is not a value: use has() or has_frame()");
	return !c->err;
}

static void expr_build(struct expr_compiler *c)
{
	const size_t size = strlen(c->text);

	if (size > EXPR_TEXT_LIMIT) {
		expr_fail(c, (struct expr_span){ 0, 0 }, "the expression is longer than %d bytes",
			  EXPR_TEXT_LIMIT);
		return;
	}
	c->size = (uint32_t)size;
	c->expr->root = expr_parse(c);
	if (c->expr->root && !expr_is_value(c, c->expr->root))
		c->expr->root = NULL;
}

int expr_compile(const char *text, const struct weir_schema *schema, struct weir_expr **expr,
		 struct expr_error *error)
{
	struct expr_compiler c = { .text = text, .schema = schema, .error = error };

	*expr = NULL;
	c.expr = calloc(1, sizeof(*c.expr));
	if (!c.expr)
		return -ENOMEM;
	expr_build(&c);
	if (c.err) {
		expr_free(c.expr);
		return c.err;
	}
	*expr = c.expr;
	return 0;
}

uint32_t expr_type(const struct weir_expr *expr)
{
	return expr->root->type;
}

const struct weir_unit *expr_unit(const struct weir_expr *expr)
{
	return expr->root->unit;
}

int expr_eval(const struct weir_expr *expr, const struct weir_batch *batch, const void *row,
	      struct weir_value *value)
{
	const struct expr_frame frame = { batch, row };

	expr->root->eval(expr->root, &frame, value);
	return 0;
}

void expr_free(struct weir_expr *expr)
{
	struct expr_node *node = expr ? expr->nodes : NULL;

	while (node) {
		struct expr_node *next = node->next;

		expr_release(node->text, node->regex);
		free(node);
		node = next;
	}
	free(expr);
}
