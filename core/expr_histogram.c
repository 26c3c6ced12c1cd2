/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: what histograms say. One that has counted nothing has a count and a sum only. */
#include <weir/histogram.h>

#include "expr_impl.h"

/* NULL, with *value absent: the row has none. */
static const struct weir_histogram *histogram_arg(const struct expr_node *node,
						  const struct expr_frame *frame,
						  struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	return value->type == WEIR_TYPE_NONE ? NULL : (const struct weir_histogram *)value->text;
}

static void histogram_uint(struct weir_value *value, uint64_t u, bool ok)
{
	value->type = ok ? WEIR_TYPE_UINT : WEIR_TYPE_NONE;
	value->u = u;
}

static void histogram_double(struct weir_value *value, double d)
{
	value->type = __builtin_isnan(d) ? WEIR_TYPE_NONE : WEIR_TYPE_DOUBLE;
	value->d = d;
}

void expr_eval_count(const struct expr_node *node, const struct expr_frame *frame,
		     struct weir_value *value)
{
	const struct weir_histogram *histogram = histogram_arg(node, frame, value);

	if (histogram)
		histogram_uint(value, histogram->count, true);
}

void expr_eval_sum(const struct expr_node *node, const struct expr_frame *frame,
		   struct weir_value *value)
{
	const struct weir_histogram *histogram = histogram_arg(node, frame, value);

	if (histogram)
		histogram_uint(value, histogram->sum, true);
}

void expr_eval_mean(const struct expr_node *node, const struct expr_frame *frame,
		    struct weir_value *value)
{
	const struct weir_histogram *histogram = histogram_arg(node, frame, value);

	if (histogram)
		histogram_double(value, weir_histogram_mean(histogram));
}

void expr_eval_least(const struct expr_node *node, const struct expr_frame *frame,
		     struct weir_value *value)
{
	const struct weir_histogram *histogram = histogram_arg(node, frame, value);

	if (histogram)
		histogram_uint(value, histogram->min, histogram->count != 0);
}

void expr_eval_greatest(const struct expr_node *node, const struct expr_frame *frame,
			struct weir_value *value)
{
	const struct weir_histogram *histogram = histogram_arg(node, frame, value);

	if (histogram)
		histogram_uint(value, histogram->max, histogram->count != 0);
}

void expr_eval_quantile(const struct expr_node *node, const struct expr_frame *frame,
			struct weir_value *value)
{
	const struct weir_histogram *histogram = histogram_arg(node, frame, value);

	if (histogram)
		histogram_double(value, weir_histogram_quantile(histogram, node->quantile));
}
