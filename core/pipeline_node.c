/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections sources, transforms and sinks: from tree to nodes. */
#include "pipeline_node.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"
#include "substitute.h"

static const struct section {
	const char *name;
	const char *one;
	enum weir_kind kind;
} sections[] = {
	{ "sources", "source", WEIR_SOURCE },
	{ "transforms", "transform", WEIR_TRANSFORM },
	{ "sinks", "sink", WEIR_SINK },
};

enum { SECTION_COUNT = sizeof(sections) / sizeof(sections[0]) };

const char *node_kind_name(enum weir_kind kind)
{
	return sections[kind - WEIR_SOURCE].one;
}

void nodes_free(struct pipeline *pipeline)
{
	for (uint32_t i = 0; i < pipeline->node_count; i++) {
		free(pipeline->nodes[i].name);
		free(pipeline->nodes[i].plugin);
		inputs_free(&pipeline->nodes[i]);
	}
	free(pipeline->nodes);
}

/* True for words like those of nodes, joined by dots: "disk.latency". */
static bool is_component_name(const char *text)
{
	size_t size = strlen(text);

	return text[0] >= 'a' && text[0] <= 'z' && size < WEIR_NAME_MAX && text[size - 1] != '.' &&
	       !strstr(text, "..") &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_.") == size;
}

static int check_plugin(const struct tree *plugin, struct diag *diag)
{
	const char *text = plugin->text;
	size_t size = strlen(text);
	bool is_file = size > 3 && strcmp(text + size - 3, ".so") == 0;

	if (is_file && !strchr(text, '/'))
		return diag_error(
			diag, &plugin->place,
			"\"%s\" looks like a file: write \"./%s\", or the component's name", text,
			text);
	if (is_file || is_component_name(text))
		return 0;
	return diag_error(diag, &plugin->place,
			  "\"%s\" is no plugin: a name like disk.latency, or a path that ends in "
			  ".so, is expected",
			  text);
}

static int read_plugin(struct pipeline_node *node, const struct tree *plugin, struct diag *diag)
{
	int err;

	node->plugin_place = plugin ? plugin->place : node->place;
	if (!plugin)
		return diag_error(diag, &node->place, "%s \"%s\" needs a plugin: NAME",
				  node_kind_name(node->kind), node->name);
	if (plugin->kind != TREE_SCALAR || tree_is_null(plugin))
		return diag_error(diag, &plugin->place, "plugin takes one name, not %s",
				  tree_kind_name(plugin));
	node->plugin = strdup(plugin->text);
	if (!node->plugin)
		return -ENOMEM;
	err = check_plugin(plugin, diag);
	node->plugin_refused = err < 0;
	return err;
}

static int read_inputs(struct pipeline_node *node, const struct tree *inputs, struct diag *diag)
{
	if (inputs && node->kind == WEIR_SOURCE)
		return diag_error(diag, &tree_key(node->options, "inputs")->place,
				  "source \"%s\" reads no inputs: should it be a transform?",
				  node->name);
	if (inputs)
		return inputs_read(node, inputs, diag);
	if (node->kind == WEIR_SOURCE)
		return 0;
	return diag_error(diag, &node->place, "%s \"%s\" needs inputs: [NODE]",
			  node_kind_name(node->kind), node->name);
}

/* `optional: true`, of a source. */
static int read_optional(struct pipeline_node *node, const struct tree *optional, struct diag *diag)
{
	if (!optional)
		return 0;
	if (node->kind != WEIR_SOURCE)
		return diag_error(diag, &tree_key(node->options, "optional")->place,
				  "only a source can be optional, and \"%s\" is a %s", node->name,
				  node_kind_name(node->kind));
	if (optional->kind != TREE_SCALAR ||
	    (strcmp(optional->text, "true") != 0 && strcmp(optional->text, "false") != 0))
		return diag_error(diag, &optional->place, "optional is true or false");
	node->optional = optional->text[0] == 't';
	return 0;
}

/* Reads what is within a node, substituted as far as it goes. */
static int read_node(const struct pipeline *pipeline, struct pipeline_node *node, struct tree *item,
		     struct diag *diag)
{
	const struct tree *plugin = tree_get(item, "plugin");
	int wrong;
	int err;

	if (item->kind != TREE_MAP)
		return diag_error(diag, &node->place,
				  "%s \"%s\" takes plugin: NAME and options, not %s",
				  node_kind_name(node->kind), node->name, tree_kind_name(item));
	node->options = item;
	node->by_format = node->kind == WEIR_SINK && plugin && substitute_refers(plugin, "format");
	err = substitute(pipeline, item, diag);
	if (err)
		return err;
	err = read_plugin(node, plugin, diag);
	wrong = read_inputs(node, tree_get(item, "inputs"), diag);
	if (!wrong)
		wrong = read_optional(node, tree_get(item, "optional"), diag);
	tree_free(tree_take(item, "optional"));
	tree_free(tree_take(item, "plugin"));
	tree_free(tree_take(item, "inputs"));
	return err ? err : wrong;
}

static const struct pipeline_node *find_node(const struct pipeline *pipeline, const char *name)
{
	for (uint32_t i = 0; i < pipeline->node_count; i++)
		if (strcmp(pipeline->nodes[i].name, name) == 0)
			return &pipeline->nodes[i];
	return NULL;
}

static int add_node(struct pipeline *pipeline, enum weir_kind kind, const struct tree *key,
		    struct tree *item, struct diag *diag)
{
	struct pipeline_node *node = &pipeline->nodes[pipeline->node_count];
	const struct pipeline_node *first = find_node(pipeline, key->text);
	int err = 0;
	int wrong;

	if (first)
		err = diag_error(diag, &key->place, "\"%s\" is a %s already: see line %u",
				 key->text, node_kind_name(first->kind), first->place.line);
	if (!keys_name(key->text))
		err = diag_error(diag, &key->place,
				 "\"%s\" is no name for a node: a to z, 0 to 9 and _, beginning "
				 "with a letter",
				 key->text);
	node->name = strdup(key->text);
	if (!node->name)
		return -ENOMEM;
	node->kind = kind;
	node->place = key->place;
	pipeline->node_count++;
	wrong = read_node(pipeline, node, item, diag);
	return wrong ? wrong : err;
}

static int read_section(struct pipeline *pipeline, const struct section *section, struct diag *diag)
{
	const struct tree *tree = tree_get(pipeline->tree, section->name);
	int err = 0;

	if (!tree || tree->kind != TREE_MAP)
		return 0;
	for (uint32_t i = 0; i < tree->count; i++) {
		int wrong = add_node(pipeline, section->kind, tree->keys[i], tree->items[i], diag);

		err = wrong ? wrong : err;
	}
	return err;
}

int nodes_read(struct pipeline *pipeline, struct diag *diag)
{
	size_t count = 1;
	int err = 0;

	for (size_t i = 0; i < SECTION_COUNT; i++) {
		const struct tree *tree = tree_get(pipeline->tree, sections[i].name);

		count += tree && tree->kind == TREE_MAP ? tree->count : 0;
	}
	pipeline->node_count = 0;
	pipeline->nodes = calloc(count, sizeof(*pipeline->nodes));
	if (!pipeline->nodes)
		return -ENOMEM;
	for (size_t i = 0; i < SECTION_COUNT; i++) {
		int wrong = read_section(pipeline, &sections[i], diag);

		err = wrong ? wrong : err;
	}
	return err;
}
