/* SPDX-License-Identifier: BSD-2-Clause */
/* Providers: made when a node first asks for their service, once in a graph. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"

static int WEIR_PRINTF(3, 4) service_fail(struct node *asker, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	err = node_fail(asker, err, format, args);
	va_end(args);
	return err;
}

static struct node *service_known(struct graph *graph, const struct plugin *plugin)
{
	for (uint32_t i = 0; i < graph->provider_count; i++)
		if (graph->providers[i]->plugin == plugin)
			return graph->providers[i];
	return NULL;
}

static int service_append(struct graph *graph, struct node *node)
{
	struct node **grown =
		realloc(graph->providers, (graph->provider_count + 1) * sizeof(struct node *));

	if (!grown)
		return -ENOMEM;
	graph->providers = grown;
	grown[graph->provider_count++] = node;
	return 0;
}

static int service_fill(struct node *node)
{
	struct diag *diag = diag_new();
	int err;

	if (!diag)
		return -ENOMEM;
	err = option_fill(node_component(node), NULL, diag, NULL, node->options, &node->memory);
	diag_free(diag);
	return err;
}

/* The asker tells of a provider's failure as of its own: it may live without the service. */
static int service_bring_up(struct node *asker, struct node *node)
{
	struct graph *graph = asker->graph;
	struct diag *diag = graph->diag;
	bool broken = node->broken;
	int err;

	node->broken = true; /* keeps node_report() silent */
	err = node->state == NODE_NEW ? node_create(node) : 0;
	if (!err && node->state == NODE_CREATED)
		err = node_bind(node);
	if (!err && node->state == NODE_BOUND && graph->phase != GRAPH_BUILDING)
		err = node_start(node);
	node->broken = broken || err;
	graph->diag = diag;
	if (!err)
		return 0;
	if (node->reason[0])
		return service_fail(asker, err, "service \"%s\": %s", node->name, node->reason);
	return service_fail(asker, err, "service \"%s\"", node->name);
}

static int service_make(struct node *asker, const struct plugin *plugin, struct node **out)
{
	struct node *node = service_known(asker->graph, plugin);
	int err;

	*out = node;
	if (node)
		return node->busy || node->broken
			       ? service_fail(asker, -EBUSY, "service \"%s\" is not ready",
					      node->name)
			       : 0;
	node = node_new(asker->graph, NULL, plugin->note.name);
	if (!node)
		return -ENOMEM;
	err = service_append(asker->graph, node);
	if (err) {
		node_free(node);
		return err;
	}
	*out = node;
	err = node_give_plugin(node, plugin);
	if (!err)
		err = service_fill(node);
	if (err) {
		node->broken = true;
		return service_fail(asker, err, "service \"%s\"", node->name);
	}
	return service_bring_up(asker, node);
}

/* "vendor::pmu" asks for the service "pmu". */
static const char *service_plain_name(const char *name)
{
	const char *colons = strstr(name, "::");

	return colons ? colons + 2 : name;
}

static int service_offer(struct node *asker, struct node *node, const char *name, uint32_t version,
			 struct weir_service *service)
{
	const struct weir_component *component = node_component(node);
	const char *plain = service_plain_name(name);
	char offered[128] = "nothing of that name";
	size_t used = 0;

	for (uint32_t i = 0; i < component->offers.count; i++) {
		const struct weir_service_offer *offer = &component->offers.items[i];

		if (strcmp(offer->name, plain) != 0)
			continue;
		if (offer->version == version && offer->vtable) {
			*service = (struct weir_service){ offer->vtable, &node->ctx };
			return 0;
		}
		if (used < sizeof(offered))
			used += (size_t)snprintf(offered + used, sizeof(offered) - used, "%s%s/%u",
						 used ? ", " : "", offer->name, offer->version);
	}
	return service_fail(asker, -EPROTONOSUPPORT, "needs service %s/%u, but %s offers %s", name,
			    version, node->name, offered);
}

int service_get(struct node *asker, const char *name, uint32_t version,
		struct weir_service *service)
{
	char error[NODE_TEXT_SIZE] = "";
	const struct plugin *plugin;
	struct node *node;
	int err;

	if (!asker->graph->plugins)
		return service_fail(asker, -ENOSYS, "service \"%s\"", name);
	plugin = plugin_find_service(asker->graph->plugins, name, error, sizeof(error));
	if (!plugin)
		return service_fail(asker, -ENOENT, "%s", error);
	err = service_make(asker, plugin, &node);
	if (err)
		return err;
	return service_offer(asker, node, name, version, service);
}

int service_get_at(struct node *asker, const char *name, uint32_t version, uint32_t i,
		   struct weir_service *service, const char **provider)
{
	char error[NODE_TEXT_SIZE] = "";
	const struct plugin *plugin;
	struct node *node;
	int err;

	if (!asker->graph->plugins)
		return service_fail(asker, -ENOSYS, "service \"%s\"", name);
	plugin = plugin_service_at(asker->graph->plugins, name, i, error, sizeof(error));
	if (!plugin)
		return *error ? service_fail(asker, -ENOEXEC, "%s", error) : -ENOENT;
	*provider = plugin->component.name;
	err = service_make(asker, plugin, &node);
	if (err == -ENOENT) /* of the provider; ours means that there are no more */
		err = -ENODEV;
	return err ? err : service_offer(asker, node, name, version, service);
}
