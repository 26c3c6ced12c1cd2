/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph's beginning and end: which component each node is, its options, its instance. */
#include "graph.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "extra.h"
#include "node.h"
#include "param.h"
#include "sink_thread.h"

static const char *const kind_words[8] = {
	[WEIR_SOURCE] = "source",
	[WEIR_TRANSFORM] = "transform",
	[WEIR_SINK] = "sink",
	[WEIR_PROVIDER] = "provider",
};

/* The output formats that there are, for a message. */
struct formats {
	char text[NODE_TEXT_SIZE];
	size_t used;
	bool extensions;
};

static void formats_add(const char *path, const struct plugin *plugin, const char *error, void *arg)
{
	struct formats *formats = arg;

	(void)path;
	(void)error;
	if (!plugin)
		return;
	for (uint32_t i = 0; i < plugin->component.formats.count; i++) {
		const struct weir_format *format = &plugin->component.formats.items[i];
		const char *word = formats->extensions ? format->extension : format->name;
		bool again = i && !formats->extensions && strcmp(word, format[-1].name) == 0;
		int wrote;

		if (!word || again || formats->used >= sizeof(formats->text))
			continue;
		wrote = snprintf(formats->text + formats->used,
				 sizeof(formats->text) - formats->used, "%s%s",
				 formats->used ? ", " : "", word);
		formats->used += wrote > 0 ? (size_t)wrote : 0;
	}
}

/* A file "x.svg" asks for a sink by its extension; "x", "/dev/null" or ".x" do not. */
static bool graph_names_extension(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return strrchr(name, '.') > name;
}

/* The sink for --format, else for the file of -o, else for the pipeline's own format. */
static const struct plugin *graph_find_format(struct graph *graph,
					      const struct pipeline_node *written)
{
	const struct pipeline_run *run = &graph->pipeline->run;
	bool by_file = !run->format && run->output && graph_names_extension(run->output);
	const char *wanted = by_file ? run->output : run->format ? run->format : written->plugin;
	struct formats formats = { .extensions = by_file };
	const struct plugin *plugin = by_file ? plugin_for_extension(graph->plugins, wanted)
					      : plugin_for_format(graph->plugins, wanted);

	if (plugin)
		return plugin;
	plugins_each(graph->plugins, formats_add, &formats);
	diag_error(graph->diag, &written->plugin_place, "no sink for the %s \"%s\"; known %s: %s",
		   by_file ? "file" : "format", wanted, by_file ? "extensions" : "formats",
		   formats.used ? formats.text : "none");
	return NULL;
}

/* A plugin by path lies where the pipeline's file says: beside it, unless the path is absolute. */
static const struct plugin *graph_load_path(struct graph *graph, const char *path, char *error,
					    size_t error_size)
{
	const char *slash = strrchr(graph->pipeline->path, '/');
	int folder = slash ? (int)(slash - graph->pipeline->path) : 1;
	char joined[4096];
	int length;

	length = path[0] == '/' ? snprintf(joined, sizeof(joined), "%s", path)
				: snprintf(joined, sizeof(joined), "%.*s/%s", folder,
					   slash ? graph->pipeline->path : ".", path);
	if (length < 0 || (size_t)length >= sizeof(joined)) {
		snprintf(error, error_size, "the path of a plugin has at most 4095 bytes");
		return NULL;
	}
	return plugin_find(graph->plugins, joined, error, error_size);
}

static const struct plugin *graph_find_named(struct graph *graph, const char *name, char *error,
					     size_t error_size)
{
	size_t length = strlen(name);
	bool by_path = strchr(name, '/') || (length > 3 && strcmp(name + length - 3, ".so") == 0);

	return by_path ? graph_load_path(graph, name, error, error_size)
		       : plugin_find(graph->plugins, name, error, error_size);
}

static const struct plugin *graph_find_plugin(struct graph *graph,
					      const struct pipeline_node *written)
{
	const struct plugin *plugin;
	char error[NODE_TEXT_SIZE] = "";

	if (written->plugin_refused)
		return NULL;
	if (written->by_format)
		plugin = graph_find_format(graph, written);
	else
		plugin = graph_find_named(graph, written->plugin, error, sizeof(error));
	if (error[0] && !plugin)
		diag_error(graph->diag, &written->plugin_place, "%s", error);
	if (!plugin || plugin->component.kind == written->kind)
		return plugin;
	diag_error(graph->diag, &written->plugin_place, "\"%s\" is a %s, but stands under %ss",
		   plugin->note.name, kind_words[plugin->component.kind & 7u],
		   kind_words[written->kind & 7u]);
	return NULL;
}

/* Options that only the pipeline's own format has. */
static void graph_forgive(struct graph *graph, const struct plugin *plugin,
			  const struct pipeline_node *written)
{
	const struct param *format = param_find(graph->pipeline, "format");
	const struct plugin *usual =
		format ? plugin_for_format(graph->plugins, format->fallback) : NULL;

	if (usual)
		extras_forgive(&plugin->component, &usual->component, written->options);
}

static int graph_make_node(struct graph *graph, const struct pipeline_node *written)
{
	struct node *node = node_new(graph, written, NULL);
	const struct plugin *plugin;

	if (!node)
		return -ENOMEM;
	graph->nodes[graph->node_count++] = node;
	node->ctx.child = graph->pipeline->run.child;
	plugin = graph_find_plugin(graph, written);
	node->broken = !plugin;
	if (!plugin)
		return -EINVAL;
	if (node_give_plugin(node, plugin) < 0)
		return -ENOMEM;
	if (written->by_format)
		graph_forgive(graph, plugin, written);
	if (written->by_format &&
	    extras_give(graph->pipeline, &plugin->component, written->options) < 0)
		return -ENOMEM;
	node->broken = option_fill(&plugin->component, written->options, graph->diag,
				   &written->place, node->options, &node->memory) < 0;
	if (node->broken)
		return -EINVAL;
	if (plugin->component.flags & WEIR_BLOCKS && written->kind == WEIR_SINK) {
		node->thread = sink_thread_new(node);
		if (!node->thread)
			return -ENOMEM;
	}
	return node_create(node);
}

/* All nodes, to report all their errors. */
static int graph_make_nodes(struct graph *graph)
{
	const struct pipeline *pipeline = graph->pipeline;
	int err = 0;

	graph->nodes = calloc(pipeline->node_count + 1, sizeof(struct node *));
	graph->order = calloc(pipeline->node_count + 1, sizeof(struct node *));
	if (!graph->nodes || !graph->order)
		return -ENOMEM;
	for (uint32_t i = 0; i < pipeline->node_count; i++) {
		int failed = graph_make_node(graph, &pipeline->nodes[i]);

		if (failed == -ENOMEM)
			return failed;
		err = failed ? failed : err;
	}
	return err ? err : extras_check(pipeline, graph->diag);
}

static int graph_open_root(struct graph *graph)
{
	const char *root = graph->pipeline->run.root ? graph->pipeline->run.root : "/";

	graph->root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (graph->root >= 0)
		return 0;
	diag_error(graph->diag, NULL, "open the root directory %s: %s", root, strerror(errno));
	return -errno;
}

static int graph_build(struct graph *graph)
{
	int err = graph_open_root(graph), connected;

	if (err)
		return err;
	err = graph_make_nodes(graph);
	if (err == -ENOMEM)
		return err;
	/* Inputs that could not be read would only be missed here: that is not another error. */
	if (graph->pipeline->faulty)
		return err ? err : -EINVAL;
	connected = graph_connect(graph);
	if (!connected)
		connected = graph_bind(graph);
	return err ? err : connected;
}

int graph_new(const struct pipeline *pipeline, struct plugins *plugins, struct diag *diag,
	      struct graph **made)
{
	struct graph *graph = calloc(1, sizeof(*graph));
	int err;

	*made = graph;
	if (!graph)
		return -ENOMEM;
	graph->pipeline = pipeline;
	graph->plugins = plugins;
	graph->diag = diag;
	graph->root = graph->wake = graph->signals = -1;
	err = graph_build(graph);
	if (err == -ENOMEM)
		diag_error(diag, NULL, "no memory");
	graph->diag = NULL;
	return err;
}

/* Threads that hang are left alone. */
static void graph_join(struct graph *graph)
{
	for (uint32_t i = 0; i < graph->node_count; i++) {
		struct node *node = graph->nodes[i];

		if (!node->thread || node->abandoned || !sink_thread_ended(node->thread))
			continue;
		sink_thread_free(node->thread);
		node->thread = NULL;
	}
}

/* Who reads before who writes, where that is known: a schema may lie in the state of its maker. */
static void graph_free_nodes(struct graph *graph)
{
	uint32_t count = graph->node_count;
	struct node **nodes =
		count && graph->order && graph->order[count - 1] ? graph->order : graph->nodes;

	for (uint32_t i = count; i-- > 0;)
		node_free(nodes[i]);
}

bool graph_free(struct graph *graph)
{
	if (!graph)
		return true;
	graph_join(graph);
	if (graph->abandoned)
		return false;
	/* Providers last: who uses them may do so until its own destroy(). */
	graph_free_nodes(graph);
	for (uint32_t i = graph->provider_count; i-- > 0;)
		node_free(graph->providers[i]);
	loop_free(graph->loop);
	if (graph->root >= 0)
		close(graph->root);
	if (graph->wake >= 0)
		close(graph->wake);
	if (graph->signals >= 0)
		close(graph->signals);
	free(graph->nodes);
	free(graph->order);
	free(graph->providers);
	free(graph);
	return true;
}
