/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables that cross the border carry the size of their items. A plugin that was built for
 * another minor version has smaller or larger ones; here its tables become this weir's: what
 * it lacks is zero, what this weir does not know is left out. Tables that fit are not copied.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin_parts.h"
#include "schema.h"

#define ITEMS_MAX      4096
#define ITEM_BYTES_MAX 4096

/* What WEIR_TABLE_OF() makes, whatever the items are. */
struct table {
	const void *items;
	uint32_t count;
	uint32_t item_size;
};

/* What a kind of item must have and may have. */
struct item {
	const char *what;
	uint32_t ours;
	uint32_t minimum;
};

/* Bytes of a struct as far as that member, which was its last one in ABI 1.0: it never gets more. */
#define THROUGH(type_, member_) (offsetof(type_, member_) + sizeof(((type_ *)0)->member_))

static const struct item item_option = { "options", sizeof(struct weir_option),
					 offsetof(struct weir_option, minimum) };
static const struct item item_output = { "outputs", sizeof(struct weir_output),
					 offsetof(struct weir_output, flags) };
static const struct item item_slot = { "inputs", sizeof(struct weir_slot),
				       offsetof(struct weir_slot, flags) };
static const struct item item_want = { "wants", sizeof(struct weir_want),
				       offsetof(struct weir_want, flags) };
static const struct item item_format = { "formats", sizeof(struct weir_format),
					 THROUGH(struct weir_format, extension) };
static const struct item item_offer = { "offers", sizeof(struct weir_service_offer),
					THROUGH(struct weir_service_offer, vtable) };

/* What was copied is a chain, so that one pointer frees all of it. */
struct kept {
	struct kept *next;
	void *memory;
};

struct conversion {
	void **memory;
	char *why;
	size_t why_size;
};

static int WEIR_PRINTF(3, 4)
	refuse(struct conversion *conversion, int error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(conversion->why, conversion->why_size, format, args);
	va_end(args);
	return error;
}

/* Takes over malloc'd memory, also when it fails. */
static int keep(struct conversion *conversion, void *memory)
{
	struct kept *kept = memory ? malloc(sizeof(*kept)) : NULL;

	if (!kept) {
		free(memory);
		refuse(conversion, -ENOMEM, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	*kept = (struct kept){ *conversion->memory, memory };
	*conversion->memory = kept;
	return 0;
}

static int check_table(struct conversion *conversion, const struct table *table,
		       const struct item *item)
{
	if (table->count == 0)
		return 0;
	if (!table->items || table->count > ITEMS_MAX || table->item_size < item->minimum ||
	    table->item_size > ITEM_BYTES_MAX || table->item_size % _Alignof(void *) != 0)
		return refuse(conversion, -EINVAL,
			      "its table of %s is damaged (%u items of %u bytes, where ABI %u.%u "
			      "has %u): make it by WEIR_TABLE()",
			      item->what, table->count, table->item_size, WEIR_ABI_MAJOR,
			      WEIR_ABI_MINOR, item->ours);
	return 0;
}

/* Replaces the table by a copy with our item size. */
static int copy_table(struct conversion *conversion, struct table *table, const struct item *item)
{
	uint32_t bytes = table->item_size < item->ours ? table->item_size : item->ours;
	uint8_t *items = calloc(table->count, item->ours);

	if (keep(conversion, items) < 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->count; i++)
		memcpy(items + (size_t)i * item->ours,
		       (const uint8_t *)table->items + (size_t)i * table->item_size, bytes);
	table->items = items;
	table->item_size = item->ours;
	return 0;
}

/* `place` is a WEIR_TABLE_OF() of any type. */
static int convert_table(struct conversion *conversion, void *place, const struct item *item)
{
	struct table table;
	int err;

	memcpy(&table, place, sizeof(table));
	err = check_table(conversion, &table, item);
	if (err < 0 || table.count == 0 || table.item_size == item->ours)
		return err;
	err = copy_table(conversion, &table, item);
	memcpy(place, &table, sizeof(table));
	return err;
}

/* A table whose items are to be changed must be ours. */
static int own_table(struct conversion *conversion, void *place, const struct item *item)
{
	struct table table;
	int err;

	memcpy(&table, place, sizeof(table));
	if (table.count == 0)
		return 0;
	err = copy_table(conversion, &table, item);
	memcpy(place, &table, sizeof(table));
	return err;
}

static int convert_schema(struct conversion *conversion, const struct weir_schema **schema)
{
	void *owned;

	*schema = schema_adopt(*schema, &owned);
	if (!*schema)
		return refuse(conversion, -EINVAL,
			      "a schema of its outputs is damaged: make it by WEIR_SCHEMA()");
	return owned ? keep(conversion, owned) : 0;
}

static int convert_outputs(struct conversion *conversion, struct weir_component *component)
{
	int err = convert_table(conversion, &component->outputs, &item_output);

	if (err == 0)
		err = own_table(conversion, &component->outputs, &item_output);
	for (uint32_t i = 0; i < component->outputs.count && err == 0; i++) {
		struct weir_output *output = (struct weir_output *)&component->outputs.items[i];

		if (output->schema)
			err = convert_schema(conversion, &output->schema);
	}
	return err;
}

static int convert_inputs(struct conversion *conversion, struct weir_component *component)
{
	int err = convert_table(conversion, &component->inputs, &item_slot);

	if (err == 0)
		err = own_table(conversion, &component->inputs, &item_slot);
	for (uint32_t i = 0; i < component->inputs.count && err == 0; i++) {
		struct weir_slot *slot = (struct weir_slot *)&component->inputs.items[i];

		err = convert_table(conversion, &slot->wants, &item_want);
	}
	return err;
}

int plugin_tables_convert(struct weir_component *component, void **memory, char *why,
			  size_t why_size)
{
	struct conversion conversion = { .memory = memory };
	int err;

	conversion.why = why;
	conversion.why_size = why_size;
	err = convert_table(&conversion, &component->options, &item_option);
	if (err == 0)
		err = convert_outputs(&conversion, component);
	if (err == 0)
		err = convert_inputs(&conversion, component);
	if (err == 0)
		err = convert_table(&conversion, &component->formats, &item_format);
	if (err == 0)
		err = convert_table(&conversion, &component->offers, &item_offer);
	return err;
}

void plugin_tables_free(void *memory)
{
	struct kept *kept = memory;

	while (kept) {
		struct kept *next = kept->next;

		free(kept->memory);
		free(kept);
		kept = next;
	}
}
