/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Expressions: what nodes do with a row. Every node has the function that fits its types, so a
 * row costs one call a node. weir allocates nothing here; regexec() may.
 */
#include <weir/histogram.h>

#include "expr_impl.h"
#include "names.h"

void expr_eval_constant(const struct expr_node *node, const struct expr_frame *frame,
			struct weir_value *value)
{
	(void)frame;
	*value = node->value;
}

static uint64_t eval_read(const uint8_t *at, uint32_t bytes)
{
	uint64_t u64;
	uint32_t u32;
	uint16_t u16;

	switch (bytes) {
	case 8:
		memcpy(&u64, at, sizeof(u64));
		return u64;
	case 4:
		memcpy(&u32, at, sizeof(u32));
		return u32;
	case 2:
		memcpy(&u16, at, sizeof(u16));
		return u16;
	default:
		return *at;
	}
}

void expr_eval_uint_column(const struct expr_node *node, const struct expr_frame *frame,
			   struct weir_value *value)
{
	const struct weir_field *field = node->field;

	value->type = WEIR_TYPE_UINT;
	value->u = eval_read(frame->row + field->offset, field->bytes);
	if ((field->flags & WEIR_OPTIONAL) && value->u == weir_absent_uint(field->bytes))
		value->type = WEIR_TYPE_NONE;
}

void expr_eval_int_column(const struct expr_node *node, const struct expr_frame *frame,
			  struct weir_value *value)
{
	const struct weir_field *field = node->field;
	const uint32_t unused = 64 - 8 * field->bytes;

	value->type = WEIR_TYPE_INT;
	value->u = eval_read(frame->row + field->offset, field->bytes);
	value->i = (int64_t)(value->u << unused) >> unused;
	if ((field->flags & WEIR_OPTIONAL) && value->i == weir_absent_int(field->bytes))
		value->type = WEIR_TYPE_NONE;
}

void expr_eval_double_column(const struct expr_node *node, const struct expr_frame *frame,
			     struct weir_value *value)
{
	memcpy(&value->d, frame->row + node->field->offset, sizeof(value->d));
	value->type = __builtin_isnan(value->d) ? WEIR_TYPE_NONE : WEIR_TYPE_DOUBLE;
}

static void eval_bool(struct weir_value *value, bool truth)
{
	value->type = WEIR_TYPE_BOOL;
	value->u = truth;
}

void expr_eval_bool_column(const struct expr_node *node, const struct expr_frame *frame,
			   struct weir_value *value)
{
	eval_bool(value, frame->row[node->field->offset] != 0);
}

static void eval_text(const struct expr_node *node, const char *text, size_t length,
		      struct weir_value *value)
{
	value->type = WEIR_TYPE_TEXT;
	value->text = text;
	value->length = (uint32_t)length;
	if (length == 0 && (node->field->flags & WEIR_OPTIONAL))
		value->type = WEIR_TYPE_NONE;
}

void expr_eval_chars_column(const struct expr_node *node, const struct expr_frame *frame,
			    struct weir_value *value)
{
	const char *text = (const char *)frame->row + node->field->offset;

	eval_text(node, text, strnlen(text, node->field->bytes), value);
}

void expr_eval_text_column(const struct expr_node *node, const struct expr_frame *frame,
			   struct weir_value *value)
{
	struct weir_text text;

	memcpy(&text, frame->row + node->field->offset, sizeof(text));
	eval_text(node, weir_text_of(frame->batch, text), text.length, value);
}

void expr_eval_name_column(const struct expr_node *node, const struct expr_frame *frame,
			   struct weir_value *value)
{
	const char *text = NULL;
	struct weir_name name;
	uint32_t length = 0;

	memcpy(&name, frame->row + node->field->offset, sizeof(name));
	if (name.id && frame->batch->names)
		text = names_text(frame->batch->names, name.id, &length);
	eval_text(node, text ? text : "", text ? length : 0, value);
}

void expr_eval_histogram_column(const struct expr_node *node, const struct expr_frame *frame,
				struct weir_value *value)
{
	struct weir_histogram_ref ref;

	memcpy(&ref, frame->row + node->field->offset, sizeof(ref));
	value->text = (const char *)weir_histogram_of(frame->batch, ref);
	value->type = value->text ? WEIR_TYPE_HISTOGRAM : WEIR_TYPE_NONE;
}

void expr_eval_stack_column(const struct expr_node *node, const struct expr_frame *frame,
			    struct weir_value *value)
{
	struct weir_stack_ref ref;

	memcpy(&ref, frame->row + node->field->offset, sizeof(ref));
	value->type = ref.count ? WEIR_TYPE_STACK : WEIR_TYPE_NONE;
	value->length = ref.count;
	value->text = ref.count ? weir_arena(frame->batch, ref.offset) : NULL;
}

/* Conditions are never absent. */
static bool eval_truth(const struct expr_node *node, const struct expr_frame *frame)
{
	struct weir_value value;

	node->eval(node, frame, &value);
	return value.u != 0;
}

void expr_eval_and(const struct expr_node *node, const struct expr_frame *frame,
		   struct weir_value *value)
{
	eval_bool(value, eval_truth(node->args[0], frame) && eval_truth(node->args[1], frame));
}

void expr_eval_or(const struct expr_node *node, const struct expr_frame *frame,
		  struct weir_value *value)
{
	eval_bool(value, eval_truth(node->args[0], frame) || eval_truth(node->args[1], frame));
}

void expr_eval_not(const struct expr_node *node, const struct expr_frame *frame,
		   struct weir_value *value)
{
	eval_bool(value, !eval_truth(node->args[0], frame));
}

void expr_eval_any(const struct expr_node *node, const struct expr_frame *frame,
		   struct weir_value *value)
{
	const struct expr_node *arg = node->args[0];

	while (arg && !eval_truth(arg, frame))
		arg = arg->sibling;
	eval_bool(value, arg != NULL);
}

void expr_eval_condition(const struct expr_node *node, const struct expr_frame *frame,
			 struct weir_value *value)
{
	const struct expr_node *branch = node->args[eval_truth(node->args[0], frame) ? 1 : 2];

	branch->eval(branch, frame, value);
}

void expr_eval_coalesce(const struct expr_node *node, const struct expr_frame *frame,
			struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	if (value->type == WEIR_TYPE_NONE)
		node->args[1]->eval(node->args[1], frame, value);
}

void expr_eval_has(const struct expr_node *node, const struct expr_frame *frame,
		   struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	eval_bool(value, value->type != WEIR_TYPE_NONE);
}

static int eval_order_texts(const struct weir_value *a, const struct weir_value *b)
{
	const int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

void expr_eval_compare(const struct expr_node *node, const struct expr_frame *frame,
		       struct weir_value *value)
{
	struct weir_value a, b;
	int order;

	node->args[0]->eval(node->args[0], frame, &a);
	node->args[1]->eval(node->args[1], frame, &b);
	eval_bool(value, false);
	if (a.type == WEIR_TYPE_NONE || b.type == WEIR_TYPE_NONE)
		return;
	if (a.type == WEIR_TYPE_TEXT)
		order = eval_order_texts(&a, &b);
	else if (a.type == WEIR_TYPE_BOOL)
		order = (a.u != 0) - (b.u != 0);
	else
		order = expr_compare_numbers(&a, &b);
	value->u = node->accept >> ((order > 0) - (order < 0) + 1) & 1;
}
