/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: the grammar. Each rule returns a checked node, so there is no second tree. */
#include "expr_impl.h"

/* How tightly binary operators bind; 0: not one. As in C. */
static const uint8_t parse_rank[EXPR_OPS] = {
	[EXPR_OR] = 1,       [EXPR_AND] = 2,      [EXPR_EQUAL] = 3,         [EXPR_UNEQUAL] = 3,
	[EXPR_MATCH] = 3,    [EXPR_MISMATCH] = 3, [EXPR_LESS] = 4,          [EXPR_LESS_EQUAL] = 4,
	[EXPR_GREATER] = 4,  [EXPR_IN] = 4,       [EXPR_GREATER_EQUAL] = 4, [EXPR_ADD] = 5,
	[EXPR_SUBTRACT] = 5, [EXPR_MULTIPLY] = 6, [EXPR_DIVIDE] = 6,        [EXPR_MODULO] = 6,
};

static struct expr_node *parse_conditional(struct expr_compiler *c);
static struct expr_node *parse_unary(struct expr_compiler *c);

static struct expr_node *parse_unexpected(struct expr_compiler *c, const char *wanted)
{
	const struct expr_span span = c->token.span;
	const char *word = c->text + span.start;
	const int length = span.end - span.start > 40 ? 40 : (int)(span.end - span.start);

	if (c->err)
		return NULL;
	if (c->token.op == EXPR_END)
		return expr_fail(c, span, "the expression ends where %s should follow", wanted);
	if (length == 3 && memcmp(word, "and", 3) == 0)
		return expr_fail(c, span, "unknown operator \"and\"; did you mean \"&&\"?");
	if (length == 2 && memcmp(word, "or", 2) == 0)
		return expr_fail(c, span, "unknown operator \"or\"; did you mean \"||\"?");
	if (c->token.op == EXPR_TEXT)
		return expr_fail(c, span, "unexpected text: %s should follow", wanted);
	return expr_fail(c, span, "unexpected \"%.*s\": %s should follow", length, word, wanted);
}

static bool parse_expect(struct expr_compiler *c, enum expr_op op, const char *wanted)
{
	if (c->token.op != op) {
		parse_unexpected(c, wanted);
		return false;
	}
	return expr_next(c);
}

static struct expr_node *parse_number(struct expr_compiler *c)
{
	const struct expr_token number = c->token;

	if (!expr_next(c))
		return NULL;
	return expr_add_constant(c, number.span, &number.value, number.unit);
}

static struct expr_node *parse_text(struct expr_compiler *c)
{
	struct expr_node draft = { .eval = expr_eval_constant,
				   .type = WEIR_TYPE_TEXT,
				   .constant = true,
				   .span = c->token.span };

	if (!expr_next(c))
		return NULL;
	draft.value.type = WEIR_TYPE_TEXT;
	draft.text = expr_unquote(c, draft.span, &draft.value.length);
	draft.value.text = draft.text;
	return draft.text ? expr_add(c, &draft) : NULL;
}

static bool parse_arguments(struct expr_compiler *c, struct expr_call *call)
{
	while (c->token.op != EXPR_CLOSE) {
		struct expr_node *arg;

		if (call->count && !parse_expect(c, EXPR_COMMA, "\",\" or \")\""))
			return false;
		arg = parse_conditional(c);
		if (!arg)
			return false;
		if (call->count == EXPR_ARGS_LIMIT) {
			expr_fail(c, arg->span, "more than %d arguments", EXPR_ARGS_LIMIT);
			return false;
		}
		call->args[call->count++] = arg;
	}
	call->all.end = c->token.span.end;
	return expr_next(c);
}

/* After the opening parenthesis. */
static struct expr_node *parse_call(struct expr_compiler *c, struct expr_span name)
{
	struct expr_call call = { .name = name, .all = name };
	struct expr_node *node = NULL;

	if (parse_arguments(c, &call))
		node = expr_check_call(c, &call);
	return node;
}

static struct expr_node *parse_bool(struct expr_compiler *c, struct expr_span span, bool truth)
{
	const struct weir_value value = { .type = WEIR_TYPE_BOOL, .u = truth };

	return expr_add_constant(c, span, &value, NULL);
}

static bool parse_is_word(const struct expr_compiler *c, struct expr_span span, const char *word)
{
	const size_t length = strlen(word);

	return span.end - span.start == length && memcmp(c->text + span.start, word, length) == 0;
}

static struct expr_node *parse_word(struct expr_compiler *c)
{
	const struct expr_span span = c->token.span;

	if (!expr_next(c))
		return NULL;
	if (c->token.op == EXPR_OPEN)
		return expr_next(c) ? parse_call(c, span) : NULL;
	if (parse_is_word(c, span, "true") || parse_is_word(c, span, "false"))
		return parse_bool(c, span, parse_is_word(c, span, "true"));
	return expr_check_column(c, span);
}

static struct expr_node *parse_group(struct expr_compiler *c)
{
	const uint32_t start = c->token.span.start;
	struct expr_node *node = expr_next(c) ? parse_conditional(c) : NULL;
	const uint32_t end = c->token.span.end;

	if (!node || !parse_expect(c, EXPR_CLOSE, "\")\" or an operator"))
		return NULL;
	node->span = (struct expr_span){ start, end };
	return node;
}

static struct expr_node *parse_sign(struct expr_compiler *c)
{
	const struct expr_token sign = c->token;
	struct expr_node *node = expr_next(c) ? parse_unary(c) : NULL;

	if (!node)
		return NULL;
	return sign.op == EXPR_NOT ? expr_check_not(c, sign.span, node)
				   : expr_check_negative(c, sign.span, node);
}

static struct expr_node *parse_operand(struct expr_compiler *c)
{
	switch (c->token.op) {
	case EXPR_NUMBER:
		return parse_number(c);
	case EXPR_TEXT:
		return parse_text(c);
	case EXPR_WORD:
		return parse_word(c);
	case EXPR_OPEN:
		return parse_group(c);
	case EXPR_NOT:
	case EXPR_SUBTRACT:
		return parse_sign(c);
	default:
		return parse_unexpected(c, "a value");
	}
}

/* All recursion of the grammar passes here or through parse_conditional(). */
static struct expr_node *parse_unary(struct expr_compiler *c)
{
	struct expr_node *node;

	if (c->depth >= EXPR_DEPTH_LIMIT)
		return expr_fail(c, c->token.span, "nested more than %d deep", EXPR_DEPTH_LIMIT);
	c->depth++;
	node = parse_operand(c);
	c->depth--;
	return node;
}

/* `a in (b, c)`: true when one comparison of a list is. `a` is shared by all of them. */
static struct expr_node *parse_list(struct expr_compiler *c, struct expr_node *a)
{
	struct expr_node draft = { .eval = expr_eval_any, .type = WEIR_TYPE_BOOL, .span = a->span };
	struct expr_node **end = &draft.args[0];

	if (!parse_expect(c, EXPR_OPEN, "\"(\""))
		return NULL;
	do {
		struct expr_node *b = parse_conditional(c);

		*end = b ? expr_check_binary(c, EXPR_EQUAL, a, b) : NULL;
		if (!*end)
			return NULL;
		end = &(*end)->sibling;
	} while (c->token.op == EXPR_COMMA && expr_next(c));
	draft.span.end = c->token.span.end;
	if (!parse_expect(c, EXPR_CLOSE, "\",\" or \")\""))
		return NULL;
	return expr_add(c, &draft);
}

static struct expr_node *parse_binary(struct expr_compiler *c, uint32_t rank)
{
	struct expr_node *a = parse_unary(c);

	while (a && parse_rank[c->token.op] >= rank) {
		const enum expr_op op = c->token.op;
		struct expr_node *b;

		if (!expr_next(c))
			return NULL;
		if (op == EXPR_IN) {
			a = parse_list(c, a);
			continue;
		}
		b = parse_binary(c, parse_rank[op] + 1u);
		a = b ? expr_check_binary(c, op, a, b) : NULL;
	}
	return a;
}

static struct expr_node *parse_branches(struct expr_compiler *c, struct expr_node *condition)
{
	struct expr_node *a = expr_next(c) ? parse_conditional(c) : NULL;
	struct expr_node *b;

	if (!a || !parse_expect(c, EXPR_COLON, "\":\" or an operator"))
		return NULL;
	b = parse_conditional(c);
	return b ? expr_check_condition(c, condition, a, b) : NULL;
}

static struct expr_node *parse_conditional(struct expr_compiler *c)
{
	struct expr_node *node = parse_binary(c, 1);

	if (!node || c->token.op != EXPR_QUESTION)
		return node;
	if (c->depth >= EXPR_DEPTH_LIMIT)
		return expr_fail(c, c->token.span, "nested more than %d deep", EXPR_DEPTH_LIMIT);
	c->depth++;
	node = parse_branches(c, node);
	c->depth--;
	return node;
}

struct expr_node *expr_parse(struct expr_compiler *c)
{
	struct expr_node *node = expr_next(c) ? parse_conditional(c) : NULL;

	if (node && c->token.op != EXPR_END)
		return parse_unexpected(c, "an operator or the end");
	return node;
}
