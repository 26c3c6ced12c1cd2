/* SPDX-License-Identifier: BSD-2-Clause */
/* The instances of resources: found by name, for each row of each figure. */
#include "use.h"

#include <stdio.h>
#include <stdlib.h>

#define INSTANCES_MAX 4096 /* of a resource; the rest is told as lost */

static void instance_name(char out[USE_NAME], const char *name, size_t length)
{
	length = length < USE_NAME ? length : USE_NAME - 1;
	memcpy(out, name, length);
	out[length] = '\0';
}

/* The instance's slot, or a free one; there is always one. */
static uint32_t *instance_slot(const struct use_resource *resource, const char *name)
{
	const uint32_t mask = resource->slot_count - 1;
	uint32_t at = use_hash(0, name) & mask;

	while (resource->slots[at] &&
	       strcmp(resource->instances[resource->slots[at] - 1].name, name) != 0)
		at = (at + 1) & mask;
	return &resource->slots[at];
}

static struct use_instance *instance_find(const struct use_resource *resource, const char *name)
{
	const uint32_t *slot = resource->slot_count ? instance_slot(resource, name) : NULL;

	return slot && *slot ? &resource->instances[*slot - 1] : NULL;
}

/* Room for one more name. */
static int instance_grow(struct use_resource *resource)
{
	const uint32_t count = resource->slot_count ? 2 * resource->slot_count : 8;
	uint32_t *slots;

	if (2 * (resource->instance_count + 1) < resource->slot_count)
		return 0;
	slots = calloc(count, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(resource->slots);
	resource->slots = slots;
	resource->slot_count = count;
	for (uint32_t i = 0; i < resource->instance_count; i++)
		*instance_slot(resource, resource->instances[i].name) = i + 1;
	return 0;
}

struct use_instance *use_instance(struct use_resource *resource, const char *name, size_t length)
{
	struct use_instance *instances, *made;
	char wanted[USE_NAME];

	instance_name(wanted, name, length);
	made = instance_find(resource, wanted);
	if (made)
		return made;
	if (instance_grow(resource) < 0)
		return NULL;
	instances =
		reallocarray(resource->instances, resource->instance_count + 1, sizeof(*instances));
	if (!instances)
		return NULL;
	resource->instances = instances;
	made = &instances[resource->instance_count];
	memset(made, 0, sizeof(*made));
	memcpy(made->name, wanted, sizeof(wanted));
	made->totals = calloc(resource->figure_count + 1, sizeof(*made->totals));
	made->tallies = calloc(2 * resource->finding_count + 1, sizeof(*made->tallies));
	made->slices = calloc(USE_SLICES * resource->figure_count + 1, sizeof(*made->slices));
	if (!made->totals || !made->tallies || !made->slices) {
		free(made->totals);
		free(made->tallies);
		free(made->slices);
		return NULL;
	}
	*instance_slot(resource, made->name) = ++resource->instance_count;
	return made;
}

void use_instance_free(const struct use_resource *resource, struct use_instance *instance)
{
	for (uint32_t i = 0; i < resource->figure_count; i++) {
		free(instance->totals[i].text);
		free(instance->totals[i].histogram);
	}
	for (uint32_t i = 0; i < 2 * resource->finding_count; i++)
		use_tally_free(&instance->tallies[i]);
	free(instance->totals);
	free(instance->tallies);
	free(instance->slices);
}

static struct use_instance *instance_named(struct weir_ctx *ctx, struct use_resource *resource,
					   const struct weir_value *name, int *err)
{
	struct use_instance *instance;
	char wanted[USE_NAME];

	if (name->type == WEIR_TYPE_UINT)
		snprintf(wanted, sizeof(wanted), "%llu", (unsigned long long)name->u);
	else
		instance_name(wanted, name->text, name->length);
	instance = instance_find(resource, wanted);
	if (instance)
		return instance;
	if (resource->instance_count >= INSTANCES_MAX) {
		weir_lost(ctx, "more instances of a resource than are kept", 1, NULL);
		return NULL;
	}
	instance = use_instance(resource, wanted, strlen(wanted));
	if (!instance)
		*err = weir_fail(ctx, -ENOMEM, "keep another instance of %s", resource->name);
	return instance;
}

struct use_instance *use_instance_of(struct weir_ctx *ctx, struct use_resource *resource,
				     const struct use_ask *ask, const struct weir_batch *batch,
				     const void *row, int *err)
{
	const bool own = ask->input == resource->ask.input && !ask->match;
	const struct weir_expr *where = !ask->where && own ? resource->ask.where : ask->where;
	const struct weir_expr *name = own ? resource->ask.of : ask->match;
	struct weir_value value;

	if (where) {
		*err = ctx->host->expr_eval(where, batch, row, &value);
		if (*err || !value.u)
			return NULL;
	}
	if (!name)
		return &resource->instances[0];
	*err = ctx->host->expr_eval(name, batch, row, &value);
	if (*err)
		return NULL;
	/* The one that has no name. */
	if (value.type == WEIR_TYPE_NONE)
		return &resource->instances[0];
	return instance_named(ctx, resource, &value, err);
}
