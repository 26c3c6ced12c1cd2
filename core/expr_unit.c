/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: units. Numbers are brought to one unit by whole factors wherever there is one, so
 * that nothing is lost; what cannot be meant is an error that names both dimensions.
 */
#include "expr_impl.h"

WEIR_DEFINE_UNIT(unit_data_rate, "data rate", "By/s", "B/s", 1, 1);

/* Physical dimensions: a * b = product, all in base units. NULL: a plain number. */
static const struct {
	const struct weir_unit *a;
	const struct weir_unit *b;
	const struct weir_unit *product;
} unit_products[] = {
	{ WEIR_HERTZ, WEIR_SECONDS, NULL },
	{ &unit_data_rate, WEIR_SECONDS, WEIR_BYTES },
};

#define UNIT_PRODUCTS (sizeof(unit_products) / sizeof(unit_products[0]))

/* An example for messages, or NULL: numbers of that unit are written bare. */
static const char *unit_example(const struct weir_unit *unit)
{
	static const char *const examples[][2] = { { "time", "ms" },
						   { "data", "KiB" },
						   { "frequency", "Hz" } };

	for (size_t i = 0; unit && i < sizeof(examples) / sizeof(examples[0]); i++)
		if (strcmp(unit->dimension, examples[i][0]) == 0)
			return examples[i][1];
	if (unit && strcmp(unit->dimension, "ratio") == 0 && unit->numerator != unit->denominator)
		return "%";
	return NULL;
}

static bool unit_same_dimension(const struct weir_unit *a, const struct weir_unit *b)
{
	return a == b || (a && b && strcmp(a->dimension, b->dimension) == 0);
}

static bool unit_is(const struct weir_unit *unit, const char *dimension)
{
	return unit && strcmp(unit->dimension, dimension) == 0;
}

/* Counts, ratios and what vendors count: numbers of things, which may scale anything. */
static bool unit_is_plain(const struct weir_unit *unit)
{
	return !unit_is(unit, "time") && !unit_is(unit, "data") && !unit_is(unit, "frequency") &&
	       !unit_is(unit, "data rate");
}

static uint64_t unit_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a ? a : 1;
}

/* The factor from one unit to another, reduced. False: too large for 64 bits. */
static bool unit_factor(const struct weir_unit *from, const struct weir_unit *to,
			uint64_t *numerator, uint64_t *denominator)
{
	const uint64_t above = unit_divisor(from->numerator, to->numerator);
	const uint64_t below = unit_divisor(from->denominator, to->denominator);
	uint64_t common;

	if (__builtin_mul_overflow(from->numerator / above, to->denominator / below, numerator) ||
	    __builtin_mul_overflow(from->denominator / below, to->numerator / above, denominator))
		return false;
	common = unit_divisor(*numerator, *denominator);
	*numerator /= common;
	*denominator /= common;
	return *numerator && *denominator;
}

static struct expr_node *unit_scale(struct expr_compiler *c, struct expr_node *node,
				    uint64_t numerator, uint64_t denominator,
				    const struct weir_unit *unit)
{
	const struct expr_node draft = { .eval = expr_eval_scale,
					 .args = { node },
					 .scale = { numerator, denominator },
					 .type = denominator == 1 ? node->type : WEIR_TYPE_DOUBLE,
					 .unit = unit,
					 .span = node->span };

	return expr_add(c, &draft);
}

/* A constant that stays whole in the coarser unit, so that the column need not be scaled. */
static bool unit_shrinks(const struct expr_node *node, uint64_t factor)
{
	return node->constant && node->value.type == WEIR_TYPE_UINT && node->value.u % factor == 0;
}

static struct expr_node *unit_shrink(struct expr_compiler *c, struct expr_node *node,
				     uint64_t factor, const struct weir_unit *unit)
{
	struct weir_value value = node->value;

	value.u /= factor;
	return expr_add_constant(c, node->span, &value, unit);
}

/* Units of one dimension: towards the finer one, by a whole factor. */
static bool unit_join(struct expr_compiler *c, struct expr_node **a, struct expr_node **b)
{
	const struct weir_unit *unit_a = (*a)->unit;
	const struct weir_unit *unit_b = (*b)->unit;
	uint64_t numerator, denominator;

	if (!unit_factor(unit_a, unit_b, &numerator, &denominator)) {
		expr_fail(c, (*b)->span, "cannot convert \"%s\" to \"%s\"", unit_b->symbol,
			  unit_a->symbol);
		return false;
	}
	if (numerator == denominator)
		return true;
	if (denominator == 1 && unit_shrinks(*b, numerator))
		*b = unit_shrink(c, *b, numerator, unit_a);
	else if (numerator == 1 && unit_shrinks(*a, denominator))
		*a = unit_shrink(c, *a, denominator, unit_b);
	else if (numerator == 1)
		*b = unit_scale(c, *b, denominator, 1, unit_a);
	else
		*a = unit_scale(c, *a, numerator, denominator, unit_b);
	return *a && *b;
}

static bool unit_is_zero(const struct expr_node *node)
{
	return node->constant && node->value.type == WEIR_TYPE_UINT && node->value.u == 0;
}

/* A number without unit takes the other's: 0 always, others where that cannot be mistaken. */
static bool unit_adopt(struct expr_compiler *c, const char *verb, const char *joint,
		       struct expr_node *bare, const struct expr_node *other)
{
	const char *example = unit_example(other->unit);
	const char *text = c->text + bare->span.start;
	const uint32_t size = bare->span.end - bare->span.start;
	const int length = size > 40 ? 40 : (int)size;

	if (!example || unit_is_zero(bare))
		return true;
	if (bare->constant)
		expr_fail(c, bare->span, "%.*s has no unit, but the other side is %s: write %.*s%s",
			  length, text, expr_describe(other), length, text, example);
	else
		expr_fail(c, bare->span, "cannot %s a plain number %s %s", verb, joint,
			  expr_describe(other));
	return false;
}

bool expr_unit_alike(struct expr_compiler *c, const char *verb, const char *joint,
		     struct expr_node **a, struct expr_node **b)
{
	if (unit_same_dimension((*a)->unit, (*b)->unit))
		return !(*a)->unit || unit_join(c, a, b);
	if (!(*a)->unit && unit_is((*b)->unit, "ratio") && !(*a)->constant)
		return (*b = expr_unit_base(c, *b)) != NULL;
	if (!(*b)->unit && unit_is((*a)->unit, "ratio") && !(*b)->constant)
		return (*a = expr_unit_base(c, *a)) != NULL;
	if (!(*a)->unit)
		return unit_adopt(c, verb, joint, *a, *b);
	if (!(*b)->unit)
		return unit_adopt(c, verb, joint, *b, *a);
	expr_fail(c, (*b)->span, "cannot %s %s %s %s", verb, expr_describe(*a), joint,
		  expr_describe(*b));
	return false;
}

struct expr_node *expr_unit_base(struct expr_compiler *c, struct expr_node *node)
{
	const struct weir_unit *unit = node->unit;

	if (!unit || unit->numerator == unit->denominator)
		return node;
	return unit_scale(c, node, unit->numerator, unit->denominator, NULL);
}

static bool unit_both_base(struct expr_compiler *c, struct expr_node **a, struct expr_node **b)
{
	*a = expr_unit_base(c, *a);
	*b = *a ? expr_unit_base(c, *b) : NULL;
	return *b != NULL;
}

static bool unit_of_product(const struct weir_unit *a, const struct weir_unit *b,
			    const struct weir_unit **unit)
{
	for (size_t i = 0; i < UNIT_PRODUCTS; i++) {
		const struct weir_unit *x = unit_products[i].a;
		const struct weir_unit *y = unit_products[i].b;

		if ((unit_same_dimension(a, x) && unit_same_dimension(b, y)) ||
		    (unit_same_dimension(a, y) && unit_same_dimension(b, x))) {
			*unit = unit_products[i].product;
			return true;
		}
	}
	return false;
}

/* The unit of a / b: what times b is a. */
static bool unit_of_quotient(const struct weir_unit *a, const struct weir_unit *b,
			     const struct weir_unit **unit)
{
	for (size_t i = 0; i < UNIT_PRODUCTS; i++) {
		const struct weir_unit *x = unit_products[i].a;
		const struct weir_unit *y = unit_products[i].b;
		const struct weir_unit *product = unit_products[i].product;

		if (product ? !unit_same_dimension(a, product) : !unit_is_plain(a))
			continue;
		if (unit_same_dimension(b, x) || unit_same_dimension(b, y)) {
			*unit = unit_same_dimension(b, x) ? y : x;
			return true;
		}
	}
	return false;
}

/* A plain number scales the other, whose unit stays: wait * 2, bytes * 50%, busy * count. */
static bool unit_scale_by(struct expr_compiler *c, struct expr_node **plain,
			  const struct expr_node *other, const struct weir_unit **unit)
{
	*unit = other->unit;
	*plain = expr_unit_base(c, *plain);
	return *plain != NULL;
}

bool expr_unit_product(struct expr_compiler *c, struct expr_node **a, struct expr_node **b,
		       const struct weir_unit **unit)
{
	const struct weir_unit *unit_a = (*a)->unit;
	const struct weir_unit *unit_b = (*b)->unit;

	if (!unit_b || (unit_is(unit_b, "ratio") && unit_is_plain(unit_a)))
		return unit_scale_by(c, b, *a, unit);
	if (!unit_a || (unit_is(unit_a, "ratio") && unit_is_plain(unit_b)))
		return unit_scale_by(c, a, *b, unit);
	if (unit_is_plain(unit_b) && !unit_is_plain(unit_a))
		return unit_scale_by(c, b, *a, unit);
	if (unit_is_plain(unit_a) && !unit_is_plain(unit_b))
		return unit_scale_by(c, a, *b, unit);
	if (!unit_is_plain(unit_a) && !unit_of_product(unit_a, unit_b, unit)) {
		expr_fail(c, (*b)->span, "cannot multiply %s by %s", expr_describe(*a),
			  expr_describe(*b));
		return false;
	}
	if (unit_is_plain(unit_a))
		*unit = NULL;
	return unit_both_base(c, a, b);
}

bool expr_unit_quotient(struct expr_compiler *c, struct expr_node **a, struct expr_node **b,
			const struct weir_unit **unit)
{
	const struct weir_unit *unit_a = (*a)->unit;
	const struct weir_unit *unit_b = (*b)->unit;

	if (unit_a && unit_same_dimension(unit_a, unit_b)) {
		*unit = WEIR_RATIO;
		return unit_join(c, a, b);
	}
	if (!unit_b || unit_is(unit_b, "ratio") ||
	    (unit_is_plain(unit_b) && !unit_is_plain(unit_a)))
		return unit_scale_by(c, b, *a, unit);
	*unit = NULL;
	if (!unit_is_plain(unit_b) && !unit_of_quotient(unit_a, unit_b, unit) &&
	    !unit_is_plain(unit_a)) {
		expr_fail(c, (*b)->span, "cannot divide %s by %s", expr_describe(*a),
			  expr_describe(*b));
		return false;
	}
	return unit_both_base(c, a, b);
}
