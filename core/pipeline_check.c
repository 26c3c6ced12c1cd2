/* SPDX-License-Identifier: BSD-2-Clause */
/* What can be wrong between the nodes of a pipeline, before any plugin is known. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline_node.h"

enum visit_state { VISIT_NEW = 0, VISIT_OPEN, VISIT_DONE };

struct check {
	const struct pipeline *pipeline;
	struct diag *diag;
	bool *read;               /* of each node: somebody reads it */
	enum visit_state *visits; /* of each node, in the search for cycles */
	const char **names;       /* that can be read: sources and transforms */
	uint32_t name_count;
	bool unsure; /* some input is not known, so who reads whom is not either */
	int err;
};

/* Position of a node; the count: there is none. */
static uint32_t find(const struct pipeline *pipeline, const char *name)
{
	uint32_t i = 0;

	while (i < pipeline->node_count && strcmp(pipeline->nodes[i].name, name) != 0)
		i++;
	return i;
}

static void unknown_node(struct check *check, const struct pipeline_input *input)
{
	const char *nearest = diag_nearest(input->node, check->names, check->name_count);

	check->unsure = true;
	check->err = diag_error(check->diag, &input->place, "there is no node \"%s\"%s%s%s",
				input->node, nearest ? "; did you mean \"" : "",
				nearest ? nearest : "", nearest ? "\"?" : "");
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static void check_repeated(struct check *check, const struct pipeline_node *node, uint32_t i)
{
	const struct pipeline_input *input = &node->inputs[i];

	for (uint32_t j = 0; j < i; j++) {
		const struct pipeline_input *other = &node->inputs[j];

		if (same_text(input->node, other->node) &&
		    same_text(input->output, other->output) &&
		    same_text(input->slot, other->slot)) {
			check->err = diag_error(check->diag, &input->place,
						"\"%s\" reads \"%s\" twice: see line %u",
						node->name, input->node, other->place.line);
			return;
		}
	}
}

static void check_input(struct check *check, const struct pipeline_node *node,
			const struct pipeline_input *input)
{
	const struct pipeline *pipeline = check->pipeline;
	uint32_t from = find(pipeline, input->node);

	if (from == pipeline->node_count) {
		unknown_node(check, input);
		return;
	}
	check->read[from] = true;
	if (&pipeline->nodes[from] == node)
		check->err =
			diag_error(check->diag, &input->place, "\"%s\" reads itself", node->name);
	else if (pipeline->nodes[from].kind == WEIR_SINK)
		check->err = diag_error(check->diag, &input->place,
					"\"%s\" is a sink: nothing comes out of it", input->node);
}

static void check_inputs(struct check *check, const struct pipeline_node *node)
{
	if (node->kind != WEIR_SOURCE && node->input_count == 0)
		check->unsure = true;
	for (uint32_t i = 0; i < node->input_count; i++) {
		if (!node->inputs[i].node) {
			check->unsure = true;
			continue;
		}
		check_input(check, node, &node->inputs[i]);
		check_repeated(check, node, i);
	}
}

/* Depth first against the flow; an edge into a node that is still open closes a cycle. */
static void visit(struct check *check, uint32_t i)
{
	const struct pipeline_node *node = &check->pipeline->nodes[i];

	check->visits[i] = VISIT_OPEN;
	for (uint32_t j = 0; j < node->input_count; j++) {
		const struct pipeline_input *input = &node->inputs[j];
		uint32_t from = input->node ? find(check->pipeline, input->node)
					    : check->pipeline->node_count;

		if (from == check->pipeline->node_count || from == i)
			continue;
		if (check->visits[from] == VISIT_OPEN)
			check->err = diag_error(check->diag, &input->place,
						"\"%s\" reads \"%s\", which waits for \"%s\": a "
						"pipeline has no cycles",
						node->name, input->node, node->name);
		else if (check->visits[from] == VISIT_NEW)
			visit(check, from);
	}
	check->visits[i] = VISIT_DONE;
}

static bool has_kind(const struct pipeline *pipeline, enum weir_kind kind)
{
	for (uint32_t i = 0; i < pipeline->node_count; i++)
		if (pipeline->nodes[i].kind == kind)
			return true;
	return false;
}

static void check_kind(struct check *check, enum weir_kind kind, const char *section)
{
	const struct tree *key = tree_key(check->pipeline->tree, section);
	struct place start = { check->pipeline->tree->place.text, 1, 1, 1 };

	if (has_kind(check->pipeline, kind))
		return;
	check->err = diag_error(check->diag, key ? &key->place : &start,
				"there is no %s: a pipeline has at least one in %s",
				node_kind_name(kind), section);
}

static void check_unread(struct check *check)
{
	for (uint32_t i = 0; i < check->pipeline->node_count; i++) {
		const struct pipeline_node *node = &check->pipeline->nodes[i];

		if (!check->unsure && node->kind != WEIR_SINK && !check->read[i])
			check->err =
				diag_error(check->diag, &node->place, "nobody reads the %s \"%s\"",
					   node_kind_name(node->kind), node->name);
	}
}

static int check_all(struct check *check)
{
	const struct pipeline *pipeline = check->pipeline;

	for (uint32_t i = 0; i < pipeline->node_count; i++)
		if (pipeline->nodes[i].kind != WEIR_SINK)
			check->names[check->name_count++] = pipeline->nodes[i].name;
	for (uint32_t i = 0; i < pipeline->node_count; i++)
		check_inputs(check, &pipeline->nodes[i]);
	for (uint32_t i = 0; i < pipeline->node_count; i++)
		if (check->visits[i] == VISIT_NEW)
			visit(check, i);
	check_kind(check, WEIR_SOURCE, "sources");
	check_kind(check, WEIR_SINK, "sinks");
	check_unread(check);
	return check->err;
}

int nodes_check(const struct pipeline *pipeline, struct diag *diag)
{
	struct check check = { .pipeline = pipeline, .diag = diag };
	size_t count = pipeline->node_count + 1;
	int err = -ENOMEM;

	check.read = calloc(count, sizeof(*check.read));
	check.visits = calloc(count, sizeof(*check.visits));
	check.names = calloc(count, sizeof(*check.names));
	if (check.read && check.visits && check.names)
		err = check_all(&check);
	free(check.read);
	free(check.visits);
	free(check.names);
	return err;
}
