/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: arithmetic. Whole numbers stay whole, and a result that 64 bits do not hold is
 * absent, as is one that no double holds: a wrong number would be worse than none.
 */
#include "expr_impl.h"

static int number_order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Rounding the integer to a double would make neighbours equal. */
static int number_compare_uint_double(uint64_t a, double b)
{
	if (b < 0)
		return 1;
	if (b >= 0x1p64)
		return -1;
	if (a != (uint64_t)b)
		return number_order(a, (uint64_t)b);
	return -(b > (double)(uint64_t)b);
}

static int number_compare_int_double(int64_t a, double b)
{
	if (a >= 0)
		return number_compare_uint_double((uint64_t)a, b);
	return b >= 0 ? -1 : -number_compare_uint_double(-(uint64_t)a, -b);
}

static int number_compare_to_double(const struct weir_value *a, double b)
{
	if (a->type == WEIR_TYPE_UINT)
		return number_compare_uint_double(a->u, b);
	if (a->type == WEIR_TYPE_INT)
		return number_compare_int_double(a->i, b);
	return (a->d > b) - (a->d < b);
}

int expr_compare_numbers(const struct weir_value *a, const struct weir_value *b)
{
	const bool below_a = a->type == WEIR_TYPE_INT && a->i < 0;
	const bool below_b = b->type == WEIR_TYPE_INT && b->i < 0;

	if (b->type == WEIR_TYPE_DOUBLE)
		return number_compare_to_double(a, b->d);
	if (a->type == WEIR_TYPE_DOUBLE)
		return -number_compare_to_double(b, a->d);
	if (below_a != below_b)
		return below_a ? -1 : 1;
	/* Of one sign, the order of the bits is that of the numbers. */
	return number_order(a->u, b->u);
}

static void number_uint(struct weir_value *value, uint64_t u, bool ok)
{
	value->type = ok ? WEIR_TYPE_UINT : WEIR_TYPE_NONE;
	value->u = u;
}

static void number_int(struct weir_value *value, int64_t i, bool ok)
{
	value->type = ok ? WEIR_TYPE_INT : WEIR_TYPE_NONE;
	value->i = i;
}

static void number_double(struct weir_value *value, double d)
{
	value->type = __builtin_isfinite(d) ? WEIR_TYPE_DOUBLE : WEIR_TYPE_NONE;
	value->d = d;
}

/* False, with *value absent, where an argument is. */
static bool number_args(const struct expr_node *node, const struct expr_frame *frame,
			struct weir_value *a, struct weir_value *b)
{
	node->args[0]->eval(node->args[0], frame, a);
	node->args[1]->eval(node->args[1], frame, b);
	return a->type != WEIR_TYPE_NONE && b->type != WEIR_TYPE_NONE;
}

static void number_difference(uint64_t a, uint64_t b, struct weir_value *value)
{
	const uint64_t size = a > b ? a - b : b - a;

	if (a >= b)
		number_int(value, (int64_t)size, size <= INT64_MAX);
	else
		number_int(value, (int64_t)-size, size <= (uint64_t)INT64_MAX + 1);
}

void expr_eval_uint(const struct expr_node *node, const struct expr_frame *frame,
		    struct weir_value *value)
{
	struct weir_value a, b;
	uint64_t u = 0;
	bool ok = true;

	value->type = WEIR_TYPE_NONE;
	if (!number_args(node, frame, &a, &b))
		return;
	switch (node->op) {
	case EXPR_ADD:
		ok = !__builtin_add_overflow(a.u, b.u, &u);
		break;
	case EXPR_SUBTRACT:
		number_difference(a.u, b.u, value);
		return;
	case EXPR_MULTIPLY:
		ok = !__builtin_mul_overflow(a.u, b.u, &u);
		break;
	case EXPR_MODULO:
		ok = b.u != 0;
		u = ok ? a.u % b.u : 0;
		break;
	case EXPR_MIN:
		u = a.u < b.u ? a.u : b.u;
		break;
	default:
		u = a.u > b.u ? a.u : b.u;
		break;
	}
	number_uint(value, u, ok);
}

void expr_eval_int(const struct expr_node *node, const struct expr_frame *frame,
		   struct weir_value *value)
{
	struct weir_value a, b;
	int64_t i = 0;
	bool ok = true;

	value->type = WEIR_TYPE_NONE;
	if (!number_args(node, frame, &a, &b))
		return;
	switch (node->op) {
	case EXPR_ADD:
		ok = !__builtin_add_overflow(a.i, b.i, &i);
		break;
	case EXPR_SUBTRACT:
		ok = !__builtin_sub_overflow(a.i, b.i, &i);
		break;
	case EXPR_MULTIPLY:
		ok = !__builtin_mul_overflow(a.i, b.i, &i);
		break;
	case EXPR_MODULO:
		ok = b.i != 0;
		/* The smallest number by -1 would trap. */
		i = ok && b.i != -1 ? a.i % b.i : 0;
		break;
	case EXPR_MIN:
		i = a.i < b.i ? a.i : b.i;
		break;
	default:
		i = a.i > b.i ? a.i : b.i;
		break;
	}
	number_int(value, i, ok);
}

void expr_eval_double(const struct expr_node *node, const struct expr_frame *frame,
		      struct weir_value *value)
{
	struct weir_value a, b;

	value->type = WEIR_TYPE_NONE;
	if (!number_args(node, frame, &a, &b))
		return;
	switch (node->op) {
	case EXPR_ADD:
		number_double(value, a.d + b.d);
		break;
	case EXPR_SUBTRACT:
		number_double(value, a.d - b.d);
		break;
	case EXPR_MULTIPLY:
		number_double(value, a.d * b.d);
		break;
	case EXPR_DIVIDE:
		if (b.d != 0)
			number_double(value, a.d / b.d);
		break;
	case EXPR_MIN:
		number_double(value, a.d < b.d ? a.d : b.d);
		break;
	default:
		number_double(value, a.d > b.d ? a.d : b.d);
		break;
	}
}

void expr_eval_negative(const struct expr_node *node, const struct expr_frame *frame,
			struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	if (value->type == WEIR_TYPE_DOUBLE)
		value->d = -value->d;
	else if (value->type == WEIR_TYPE_UINT)
		number_difference(0, value->u, value);
	else if (value->type == WEIR_TYPE_INT)
		number_int(value, (int64_t)-value->u, value->i != INT64_MIN);
}

void expr_eval_abs(const struct expr_node *node, const struct expr_frame *frame,
		   struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	if (value->type == WEIR_TYPE_DOUBLE)
		value->d = value->d < 0 ? -value->d : value->d;
	else if (value->type == WEIR_TYPE_INT)
		number_uint(value, value->i < 0 ? -value->u : value->u, true);
}

void expr_eval_to_int(const struct expr_node *node, const struct expr_frame *frame,
		      struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	if (value->type == WEIR_TYPE_UINT)
		number_int(value, (int64_t)value->u, value->u <= INT64_MAX);
}

void expr_eval_to_double(const struct expr_node *node, const struct expr_frame *frame,
			 struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	if (value->type == WEIR_TYPE_UINT)
		number_double(value, (double)value->u);
	else if (value->type == WEIR_TYPE_INT)
		number_double(value, (double)value->i);
}

static void number_scale_whole(struct weir_value *value, uint64_t factor)
{
	bool ok;

	if (value->type == WEIR_TYPE_UINT)
		ok = !__builtin_mul_overflow(value->u, factor, &value->u);
	else
		ok = factor <= INT64_MAX &&
		     !__builtin_mul_overflow(value->i, (int64_t)factor, &value->i);
	if (!ok)
		value->type = WEIR_TYPE_NONE;
}

void expr_eval_scale(const struct expr_node *node, const struct expr_frame *frame,
		     struct weir_value *value)
{
	const double numerator = (double)node->scale.numerator;
	const double denominator = (double)node->scale.denominator;

	node->args[0]->eval(node->args[0], frame, value);
	if (value->type == WEIR_TYPE_NONE)
		return;
	if (value->type != WEIR_TYPE_DOUBLE && node->scale.denominator == 1)
		number_scale_whole(value, node->scale.numerator);
	else if (value->type == WEIR_TYPE_UINT)
		number_double(value, (double)value->u * numerator / denominator);
	else if (value->type == WEIR_TYPE_INT)
		number_double(value, (double)value->i * numerator / denominator);
	else
		number_double(value, value->d * numerator / denominator);
}
