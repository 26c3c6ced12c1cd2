/* SPDX-License-Identifier: BSD-2-Clause */
/* weir describe: a component, from its own tables, or a pipeline, from its file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "cmd_words.h"
#include "diag.h"
#include "graph.h"
#include "listing.h"
#include "log.h"
#include "option.h"
#include "param.h"
#include "schema.h"

#define INDENT "  "

/* Prints what was gathered, if anything, below its title. */
static void print_section(const char *title, struct listing *listing, const char *indent)
{
	if (listing->count > 0 || listing->failed) {
		if (*title)
			printf("\n%s\n", title);
		if (listing_print(listing, stdout, indent) < 0)
			log_line(NULL, "no memory");
	}
	listing_clear(listing);
}

/* Paragraphs, without the blank lines they may end with. */
static void print_doc(const char *doc)
{
	size_t length = doc ? strlen(doc) : 0;

	while (length > 0 && doc[length - 1] == '\n')
		length--;
	if (length > 0)
		printf("\n%.*s\n", (int)length, doc);
}

static void print_options(const struct weir_component *component)
{
	struct listing listing = { .columns = 3 };

	for (uint32_t i = 0; i < component->options.count; i++) {
		const struct weir_option *option = &component->options.items[i];
		char type[512];

		option_describe(option, type, sizeof(type));
		LISTING_ADD(&listing, option->name, type, option->doc);
	}
	print_section("options", &listing, INDENT);
}

static void print_columns(const struct weir_schema *schema, const char *indent)
{
	struct listing listing = { .columns = 5 };
	char deeper[16];

	for (uint32_t i = 0; i < schema->fields.count; i++) {
		const struct weir_field *field = &schema->fields.items[i];

		LISTING_ADD(&listing, field->name, schema_type_text(field),
			    field->unit ? field->unit->ucum : "", schema_role_text(field->role),
			    field->doc);
	}
	print_section("", &listing, indent);
	snprintf(deeper, sizeof(deeper), "%s" INDENT, indent);
	for (uint32_t i = 0; i < schema->fields.count; i++) {
		const struct weir_field *field = &schema->fields.items[i];

		if (!field->rows)
			continue;
		printf("%s%s holds rows of \"%s\":\n", indent, field->name, field->rows->name);
		print_columns(field->rows, deeper);
	}
}

static void print_outputs(const struct weir_component *component)
{
	for (uint32_t i = 0; i < component->outputs.count; i++) {
		const struct weir_output *output = &component->outputs.items[i];

		printf("\noutput %s: %s\n", output->name, output->doc ? output->doc : "");
		if (output->schema)
			print_columns(output->schema, INDENT);
		else if (output->flags & WEIR_SAME_AS_INPUT)
			printf(INDENT "columns: those of the input\n");
		else
			printf(INDENT "columns: they depend on the options and the input\n");
	}
}

static const char *slot_number(uint32_t flags)
{
	static const char *const words[] = { "one", "one or more", "one or none", "any number" };

	return words[(flags & WEIR_MANY ? 1 : 0) + (flags & WEIR_MAY_LACK ? 2 : 0)];
}

static void print_inputs(const struct weir_component *component)
{
	for (uint32_t i = 0; i < component->inputs.count; i++) {
		const struct weir_slot *slot = &component->inputs.items[i];

		printf("\ninput %s (%s): %s\n", slot->name, slot_number(slot->flags),
		       slot->doc ? slot->doc : "");
		for (uint32_t j = 0; j < slot->wants.count; j++) {
			const struct weir_want *want = &slot->wants.items[j];
			char text[256];

			schema_want_text(want, text, sizeof(text));
			printf(INDENT "wants %s%s\n", text,
			       want->flags & WEIR_OPTIONAL ? ", if there is one" : "");
		}
	}
}

static void print_serves(const struct weir_component *component)
{
	struct listing formats = { .columns = 2 };
	struct listing offers = { .columns = 1 };

	for (uint32_t i = 0; i < component->formats.count; i++)
		LISTING_ADD(&formats, component->formats.items[i].name,
			    component->formats.items[i].extension);
	print_section("formats", &formats, INDENT);
	for (uint32_t i = 0; i < component->offers.count; i++) {
		const struct weir_service_offer *offer = &component->offers.items[i];
		char text[128];

		snprintf(text, sizeof(text), "%s/%u", offer->name, offer->version);
		LISTING_ADD(&offers, text);
	}
	print_section("offers the service", &offers, INDENT);
}

static void add_need(const struct weir_component *component, const struct weir_need *need,
		     void *arg)
{
	(void)component;
	LISTING_ADD(arg, need->name, cmd_need_state(need->state), need->found, need->effect,
		    need->cure);
}

static void print_component(const struct plugin *plugin)
{
	const struct weir_component *component = &plugin->component;
	struct listing needs = { .columns = 5 };

	printf("%s: %s\n", component->name, component->summary);
	printf("%s, ABI %u.%u, %s\n", cmd_kind(component->kind), plugin->note.abi_major,
	       plugin->note.abi_minor, *plugin->path ? plugin->path : "in weir itself");
	print_doc(component->doc);
	print_options(component);
	print_inputs(component);
	print_outputs(component);
	print_serves(component);
	graph_probe(plugin, "/", add_need, &needs);
	print_section("needs: name, state, found, effect, cure", &needs, INDENT);
}

static void print_params(const struct pipeline *pipeline)
{
	struct listing listing = { .columns = 3 };

	for (uint32_t i = 0; i < pipeline->param_count; i++) {
		const struct param *param = &pipeline->params[i];
		struct weir_option option = param_option(param);
		char type[512];

		if (param->builtin)
			continue;
		option_describe(&option, type, sizeof(type));
		LISTING_ADD(&listing, param->name, type, param->help);
	}
	print_section("parameters", &listing, INDENT);
}

static void print_nodes(const struct pipeline *pipeline)
{
	struct listing listing = { .columns = 4 };

	for (uint32_t i = 0; i < pipeline->node_count; i++) {
		const struct pipeline_node *node = &pipeline->nodes[i];
		char inputs[256] = "";
		size_t used = 0;

		for (uint32_t j = 0; j < node->input_count && used < sizeof(inputs); j++)
			used += (size_t)snprintf(
				inputs + used, sizeof(inputs) - used, "%s%s%s%s", j ? ", " : "",
				node->inputs[j].node, node->inputs[j].output ? "." : "",
				node->inputs[j].output ? node->inputs[j].output : "");
		LISTING_ADD(&listing, node->name, cmd_kind(node->kind),
			    node->plugin ? node->plugin : "by format", inputs);
	}
	print_section("nodes: name, kind, component, inputs", &listing, INDENT);
}

static void print_pipeline(const struct pipeline *pipeline)
{
	printf("%s\npipeline, %s\n", pipeline->name, pipeline->path);
	print_doc(pipeline->doc);
	print_params(pipeline);
	print_nodes(pipeline);
}

/* False when there is no such pipeline; *status is what came of one that there is. */
static bool describe_pipeline(const char *name, int *status)
{
	struct diag *diag = diag_new();
	char *path = diag ? pipeline_locate(name, diag) : NULL;
	struct pipeline *pipeline = NULL;
	int err;

	if (!path) {
		diag_free(diag);
		return false;
	}
	err = pipeline_look(path, diag, &pipeline);
	if (pipeline && pipeline->node_count > 0)
		print_pipeline(pipeline);
	if (err < 0)
		diag_print(diag, stderr);
	*status = err < 0 ? CMD_USAGE : CMD_DONE;
	pipeline_free(pipeline);
	free(path);
	diag_free(diag);
	return true;
}

static bool is_pipeline_path(const char *name)
{
	const char *end = strrchr(name, '.');

	return end && strcmp(end, ".yaml") == 0;
}

int cmd_describe(struct cmd *cmd)
{
	const char *name = cmd->argv[0];
	int status = CMD_USAGE;
	char error[1024];
	const struct plugin *plugin;

	if (is_pipeline_path(name))
		return describe_pipeline(name, &status) ? status : CMD_USAGE;
	plugin = plugin_find(cmd->plugins, name, error, sizeof(error));
	if (plugin) {
		print_component(plugin);
		return CMD_DONE;
	}
	if (!strchr(name, '/') && describe_pipeline(name, &status))
		return status;
	log_line(NULL, "%s", error);
	return CMD_USAGE;
}
