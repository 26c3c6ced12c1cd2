/* SPDX-License-Identifier: BSD-2-Clause */
/* The mock host's services: real providers, each an instance of its own. */
#include "mock_parts.h"

/* An instance of the provider, which lives as long as the one that asked for it. */
static struct mock *helper_new(struct mock *mock, const struct plugin *plugin)
{
	struct subject *subject = mock->subject;
	struct mock *helper;

	if (mock->helper_count == MOCK_HELPERS_MAX)
		return NULL;
	helper = mock_new(subject, &plugin->component, mock->hardships);
	if (!helper)
		return NULL;
	mock->helpers[mock->helper_count++] = helper;
	return mock_step(helper, 'c') && mock_step(helper, 'b') && mock_step(helper, 's') ? helper
											  : NULL;
}

static int mock_offer(struct weir_ctx *ctx, const struct plugin *plugin, const char *name,
		      uint32_t version, struct weir_service *service)
{
	struct mock *mock = mock_of(ctx), *helper;

	for (uint32_t i = 0; i < plugin->component.offers.count; i++) {
		if (plugin->component.offers.items[i].version != version)
			continue;
		helper = helper_new(mock, plugin);
		if (!helper)
			return mock_fails(ctx, -EIO, "service %s: its provider does not start",
					  name);
		service->vtable = plugin->component.offers.items[i].vtable;
		service->ctx = &helper->ctx;
		return 0;
	}
	return mock_fails(ctx, -ENOENT, "service %s: there is no version %u", name, version);
}

int mock_service(struct weir_ctx *ctx, const char *name, uint32_t version,
		 struct weir_service *service)
{
	struct mock *mock = mock_of(ctx);
	const struct plugin *plugin;
	char error[512] = "refused";

	plugin = mock->hardships & HARD_REFUSED
			 ? NULL
			 : plugin_find_service(mock->subject->plugins, name, error, sizeof(error));
	if (!plugin)
		return mock_fails(ctx, -ENOENT, "service %s/%u: %s", name, version, error);
	return mock_offer(ctx, plugin, name, version, service);
}

int mock_service_at(struct weir_ctx *ctx, const char *name, uint32_t version, uint32_t i,
		    struct weir_service *service, const char **provider)
{
	struct mock *mock = mock_of(ctx);
	const struct plugin *plugin;
	char error[512] = "";
	int err;

	plugin = mock->hardships & HARD_REFUSED
			 ? NULL
			 : plugin_service_at(mock->subject->plugins, name, i, error, sizeof(error));
	if (!plugin)
		return *error ? mock_fails(ctx, -ENOEXEC, "%s", error) : -ENOENT;
	*provider = plugin->component.name;
	err = mock_offer(ctx, plugin, name, version, service);
	return err == -ENOENT ? -ENODEV : err;
}
