/* SPDX-License-Identifier: BSD-2-Clause */
/* The inputs of a node: "node", "node.output" or {from, slot, queue}. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "option_text.h"
#include "pipeline_node.h"

static const char *const input_keys[] = { "from", "slot", "queue" };
static const char *const queue_keys[] = { "rows", "bytes", "when_full" };

void inputs_free(struct pipeline_node *node)
{
	for (uint32_t i = 0; i < node->input_count; i++) {
		free(node->inputs[i].node);
		free(node->inputs[i].output);
		free(node->inputs[i].slot);
	}
	free(node->inputs);
}

static bool is_text(const struct tree *tree)
{
	return tree && tree->kind == TREE_SCALAR && !tree_is_null(tree);
}

/* "node.output" */
static int read_from(struct pipeline_input *input, const struct tree *from, struct diag *diag)
{
	const char *dot;

	if (!is_text(from))
		return diag_error(diag, &from->place, "the name of a node is expected, not %s",
				  tree_kind_name(from));
	dot = strchrnul(from->text, '.');
	input->place = from->place;
	input->node = strndup(from->text, (size_t)(dot - from->text));
	if (!input->node)
		return -ENOMEM;
	if (!keys_name(input->node) || (*dot && !keys_name(dot + 1))) {
		free(input->node);
		input->node = NULL;
		return diag_error(diag, &from->place,
				  "\"%s\" is no input: NODE or NODE.OUTPUT is expected",
				  from->text);
	}
	if (!*dot)
		return 0;
	input->output = strdup(dot + 1);
	return input->output ? 0 : -ENOMEM;
}

static int read_limit(const struct weir_option *option, const struct tree *tree, uint64_t *value,
		      struct diag *diag)
{
	union option_value parsed;
	char why[768];
	int err;

	if (!tree)
		return 0;
	if (!is_text(tree))
		return diag_error(diag, &tree->place, "%s takes one value, not %s", option->name,
				  tree_kind_name(tree));
	err = option_parse(option, tree->text, &parsed, why, sizeof(why));
	*value = parsed.u;
	if (err == -ENOMEM)
		return err;
	return err ? diag_error(diag, &tree->place, "%s: %s", option->name, why) : 0;
}

static int read_queue(struct queue_limits *queue, const struct tree *tree, struct diag *diag)
{
	static const struct weir_option rows = {
		.name = "rows", .type = WEIR_OPTION_UINT, .minimum = 1, .maximum = INT64_MAX
	};
	static const struct weir_option bytes = {
		.name = "bytes", .type = WEIR_OPTION_SIZE, .minimum = 1, .maximum = INT64_MAX
	};
	static const struct weir_option when_full = { .name = "when_full",
						      .type = WEIR_OPTION_CHOICE,
						      .choices = "block drop_newest drop_oldest" };
	uint64_t policy = 0;
	int wrong;
	int err;

	if (tree->kind != TREE_MAP)
		return diag_error(diag, &tree->place,
				  "queue takes {rows, bytes, when_full}, not %s",
				  tree_kind_name(tree));
	err = keys_check(tree, "queue", queue_keys, sizeof(queue_keys) / sizeof(queue_keys[0]),
			 diag);
	wrong = read_limit(&rows, tree_get(tree, "rows"), &queue->rows, diag);
	err = wrong ? wrong : err;
	wrong = read_limit(&bytes, tree_get(tree, "bytes"), &queue->bytes, diag);
	err = wrong ? wrong : err;
	wrong = read_limit(&when_full, tree_get(tree, "when_full"), &policy, diag);
	if (!wrong && tree_get(tree, "when_full"))
		queue->when_full = (enum queue_policy)(QUEUE_BLOCK + policy);
	return wrong ? wrong : err;
}

static int read_slot(struct pipeline_input *input, const struct tree *slot, struct diag *diag)
{
	if (!is_text(slot))
		return diag_error(diag, &slot->place, "slot takes one name, not %s",
				  tree_kind_name(slot));
	input->slot = strdup(slot->text);
	return input->slot ? 0 : -ENOMEM;
}

static int read_map(struct pipeline_input *input, const struct tree *map, struct diag *diag)
{
	const struct tree *from = tree_get(map, "from");
	const struct tree *slot = tree_get(map, "slot");
	const struct tree *queue = tree_get(map, "queue");
	int err = keys_check(map, "an input", input_keys,
			     sizeof(input_keys) / sizeof(input_keys[0]), diag);
	int wrong;

	if (!from)
		err = diag_error(diag, &map->place, "an input needs from: NODE");
	wrong = from ? read_from(input, from, diag) : 0;
	err = wrong ? wrong : err;
	wrong = slot ? read_slot(input, slot, diag) : 0;
	err = wrong ? wrong : err;
	wrong = queue ? read_queue(&input->queue, queue, diag) : 0;
	return wrong ? wrong : err;
}

static int read_input(struct pipeline_node *node, const struct tree *tree, struct diag *diag)
{
	struct pipeline_input *input = &node->inputs[node->input_count++];

	input->place = tree->place;
	if (tree->kind == TREE_MAP)
		return read_map(input, tree, diag);
	return read_from(input, tree, diag);
}

int inputs_read(struct pipeline_node *node, const struct tree *inputs, struct diag *diag)
{
	bool list = inputs->kind == TREE_LIST;
	int err = 0;

	if (tree_is_null(inputs) || (list && inputs->count == 0))
		return diag_error(diag, &inputs->place, "%s \"%s\" needs inputs: [NODE]",
				  node_kind_name(node->kind), node->name);
	node->inputs = calloc(list ? inputs->count : 1, sizeof(*node->inputs));
	if (!node->inputs)
		return -ENOMEM;
	if (!list)
		return read_input(node, inputs, diag);
	for (uint32_t i = 0; i < inputs->count; i++) {
		int wrong = read_input(node, inputs->items[i], diag);

		err = wrong ? wrong : err;
	}
	return err;
}
