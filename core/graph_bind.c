/* SPDX-License-Identifier: BSD-2-Clause */
/* Binding: schemas meet wants, in the order of the edges, before anything runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "schema.h"

int node_declare(struct node *node, uint32_t output, const struct weir_schema *schema)
{
	const struct weir_component *component = node_component(node);
	char title[NODE_TEXT_SIZE], error[NODE_TEXT_SIZE] = "no schema";
	const struct weir_schema *native = NULL;

	if (output >= component->outputs.count || node->outputs[output].schema)
		return -EINVAL;
	if (schema)
		native = schema_adopt(schema, &node->outputs[output].owned);
	if (native && schema_lint(native, error, sizeof(error)) == 0) {
		node->outputs[output].schema = native;
		return 0;
	}
	node_title(node, title, sizeof(title));
	node->broken = true;
	return diag_error(node->graph->diag, node_place(node), "%s: output \"%s\": %s", title,
			  component->outputs.items[output].name, error);
}

/* The column, by name or head, that was meant most likely; NULL: none is near. */
static const char *bind_nearest(const struct weir_schema *schema, const char *name)
{
	const char **words = calloc(2 * (size_t)schema->fields.count + 1, sizeof(*words));
	const char *nearest;
	size_t count = 0;

	for (uint32_t i = 0; words && i < schema->fields.count; i++) {
		words[count++] = schema->fields.items[i].name;
		if (schema->fields.items[i].head)
			words[count++] = schema->fields.items[i].head->text;
	}
	nearest = words ? diag_nearest(name, words, count) : NULL;
	free(words);
	return nearest;
}

int node_report_want(struct node *node, uint32_t input, const struct weir_want *want,
		     const struct place *place)
{
	const struct link *link = node->inputs[input];
	char from[NODE_TEXT_SIZE], to[NODE_TEXT_SIZE], column[128], has[NODE_TEXT_SIZE];
	const struct weir_field *field = weir_find(link->seen.schema, want->name);

	node_title(node, to, sizeof(to));
	node_title_placed(link->from, from, sizeof(from));
	schema_want_text(want, column, sizeof(column));
	schema_columns_text(link->seen.schema, has, sizeof(has));
	node->broken = true;
	if (!field) {
		const char *nearest = bind_nearest(link->seen.schema, want->name);

		return diag_error(node->graph->diag, place, "%s wants %s%s%s%s %s has: %s", to,
				  column, nearest ? "; did you mean \"" : "",
				  nearest ? nearest : "", nearest ? "\"?" : ";", from, has);
	}
	return diag_error(node->graph->diag, place, "%s wants %s; in %s it is %s%s%s%s%s", to,
			  column, from, schema_type_phrase(field->type), field->unit ? " of " : "",
			  field->unit ? field->unit->dimension : "", field->role ? ", " : "",
			  schema_role_text(field->role));
}

static void bind_check_wants(struct node *node, uint32_t input)
{
	const struct link *link = node->inputs[input];
	const struct weir_slot *slot = &node_component(node)->inputs.items[link->seen.slot];

	for (uint32_t i = 0; i < slot->wants.count; i++) {
		const struct weir_want *want = &slot->wants.items[i];
		const struct weir_field *field;
		enum schema_match match = schema_want(link->seen.schema, want, &field);

		if (match == SCHEMA_LACKS || match == SCHEMA_DIFFERS)
			node_report_want(node, input, want, &link->written->place);
	}
}

/* The schemas of all inputs; what hangs on a broken node is broken too, and says nothing. */
static void bind_inputs(struct node *node)
{
	for (uint32_t i = 0; i < node->ctx.input_count; i++) {
		struct link *link = node->inputs[i];

		link->seen.schema = link->from->outputs[link->output].schema;
		if (link->from->broken || !link->seen.schema)
			node->broken = true;
		else
			bind_check_wants(node, i);
	}
}

static void bind_known_outputs(struct node *node)
{
	const struct weir_component *component = node_component(node);

	for (uint32_t i = 0; i < component->outputs.count && !node->broken; i++) {
		const struct weir_output *output = &component->outputs.items[i];

		if (output->schema)
			node_declare(node, i, output->schema);
		else if (output->flags & WEIR_SAME_AS_INPUT && node->ctx.input_count)
			node->outputs[i].schema = node->inputs[0]->seen.schema;
	}
}

static void bind_check_outputs(struct node *node)
{
	const struct weir_component *component = node_component(node);

	for (uint32_t i = 0; i < component->outputs.count && !node->broken; i++)
		if (!node->outputs[i].schema && node->outputs[i].links)
			node_declare(node, i, NULL);
}

/* All inputs patient: then this node can be held up without a loss, too. */
static void bind_patience(struct node *node)
{
	node->patient = node->written->kind == WEIR_SOURCE
				? (node_component(node)->flags & WEIR_PATIENT) != 0
				: true;
	for (uint32_t i = 0; i < node->ctx.input_count; i++) {
		struct link *link = node->inputs[i];

		if (!link->from->patient)
			node->patient = false;
		if (link->edge.limits.when_full == QUEUE_DEFAULT)
			link->edge.limits.when_full =
				link->from->patient ? QUEUE_BLOCK : QUEUE_DROP_NEWEST;
	}
}

int graph_bind(struct graph *graph)
{
	bool broken = false;

	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct node *node = graph->order[i];

		if (!node->broken) {
			bind_inputs(node);
			bind_patience(node);
		}
		if (!node->broken)
			bind_known_outputs(node);
		if (!node->broken && node_bind(node) == 0)
			bind_check_outputs(node);
		broken |= node->broken || node->state != NODE_BOUND;
	}
	return broken ? -EINVAL : 0;
}
