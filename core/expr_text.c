/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions: texts, which need not end with a NUL, and the frames of stacks. */
#include "expr_impl.h"
#include "names.h"

static void text_bool(struct weir_value *value, bool truth)
{
	value->type = WEIR_TYPE_BOOL;
	value->u = truth;
}

/* Only fixed texts, which are short, may lack the closing NUL that regexec() needs. */
static bool text_matches(const regex_t *regex, const char *text, uint32_t length)
{
	char copy[EXPR_CHARS_LIMIT + 1];

	if (length <= EXPR_CHARS_LIMIT) {
		memcpy(copy, text, length);
		copy[length] = '\0';
		text = copy;
	}
	return regexec(regex, text, 0, NULL, 0) == 0;
}

void expr_eval_match(const struct expr_node *node, const struct expr_frame *frame,
		     struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	text_bool(value, value->type != WEIR_TYPE_NONE &&
				 text_matches(node->regex, value->text, value->length) ==
					 (node->op == EXPR_MATCH));
}

static bool text_args(const struct expr_node *node, const struct expr_frame *frame,
		      struct weir_value *a, struct weir_value *b)
{
	node->args[0]->eval(node->args[0], frame, a);
	node->args[1]->eval(node->args[1], frame, b);
	return a->type != WEIR_TYPE_NONE && b->type != WEIR_TYPE_NONE;
}

void expr_eval_starts(const struct expr_node *node, const struct expr_frame *frame,
		      struct weir_value *value)
{
	struct weir_value a, b;

	text_bool(value, text_args(node, frame, &a, &b) && a.length >= b.length &&
				 memcmp(a.text, b.text, b.length) == 0);
}

void expr_eval_ends(const struct expr_node *node, const struct expr_frame *frame,
		    struct weir_value *value)
{
	struct weir_value a, b;

	text_bool(value, text_args(node, frame, &a, &b) && a.length >= b.length &&
				 memcmp(a.text + a.length - b.length, b.text, b.length) == 0);
}

void expr_eval_contains(const struct expr_node *node, const struct expr_frame *frame,
			struct weir_value *value)
{
	struct weir_value a, b;

	text_bool(value, text_args(node, frame, &a, &b) &&
				 memmem(a.text, a.length, b.text, b.length) != NULL);
}

void expr_eval_length(const struct expr_node *node, const struct expr_frame *frame,
		      struct weir_value *value)
{
	node->args[0]->eval(node->args[0], frame, value);
	if (value->type == WEIR_TYPE_NONE)
		return;
	value->type = WEIR_TYPE_UINT;
	value->u = value->length;
}

static bool text_frame_matches(const struct expr_node *node, const struct weir_batch *batch,
			       const char *frame)
{
	const char *text;
	uint32_t symbol;
	uint32_t length;

	memcpy(&symbol, frame + offsetof(struct weir_frame, symbol), sizeof(symbol));
	if (!symbol || !batch->names)
		return false;
	text = names_text(batch->names, symbol, &length);
	return text && text_matches(node->regex, text, length);
}

void expr_eval_has_frame(const struct expr_node *node, const struct expr_frame *frame,
			 struct weir_value *value)
{
	const size_t item_size = node->field->item_size;
	bool found = false;

	node->args[0]->eval(node->args[0], frame, value);
	for (uint32_t i = 0; value->type != WEIR_TYPE_NONE && !found && i < value->length; i++)
		found = text_frame_matches(node, frame->batch, value->text + i * item_size);
	text_bool(value, found);
}
