/* SPDX-License-Identifier: BSD-2-Clause */
/* What weights are; see value_type.h. */
#include <stdio.h>

#include "value_type.h"

/* By unit: what a weight without an event is called, and the unit's word. */
static const struct value_unit {
	const char *ucum;
	const char *name;
	const char *word;
} value_units[] = {
	{ "ns", "time", "nanoseconds" },  { "us", "time", "microseconds" },
	{ "ms", "time", "milliseconds" }, { "s", "time", "seconds" },
	{ "By", "space", "bytes" },
};

/* By event: of all others, weights tell how many there were. */
static const struct value_event {
	const char *name;
	const char *word;
} value_events[] = {
	{ "cpu", "nanoseconds" },   { "wall", "nanoseconds" },      { "time", "nanoseconds" },
	{ "delay", "nanoseconds" }, { "cpu-clock", "nanoseconds" }, { "task-clock", "nanoseconds" },
	{ "space", "bytes" },       { "alloc_space", "bytes" },     { "inuse_space", "bytes" },
};

static const struct value_unit *value_unit_of(const struct weir_unit *unit)
{
	uint32_t i;

	for (i = 0; unit && i < sizeof(value_units) / sizeof(value_units[0]); i++)
		if (strcmp(unit->ucum, value_units[i].ucum) == 0)
			return &value_units[i];
	return NULL;
}

void value_type_bind(struct weir_ctx *ctx, struct value_type *type)
{
	const struct weir_schema *schema = weir_input(ctx, 0)->schema;
	const struct weir_field *weight = weir_find(schema, "weight");
	const struct value_unit *unit;

	type->event = weir_find(schema, "event");
	if (type->event && type->event->type != WEIR_TYPE_NAME)
		type->event = NULL;
	type->unit = weight ? weight->unit : NULL;
	unit = value_unit_of(type->unit);
	snprintf(type->name, sizeof(type->name), "%s", unit ? unit->name : "events");
}

void value_type_note(struct weir_ctx *ctx, struct value_type *type, const struct weir_batch *batch)
{
	struct weir_name event;

	if (!type->event || type->noted || !batch->row_count || !batch->names)
		return;
	memcpy(&event, (const uint8_t *)weir_row(batch, 0) + type->event->offset, sizeof(event));
	type->noted = true;
	if (event.id)
		snprintf(type->name, sizeof(type->name), "%s",
			 ctx->host->names_text(batch->names, event.id, NULL));
}

bool value_type_is_known(const struct value_type *type)
{
	return value_unit_of(type->unit);
}

const char *value_type_unit(const struct value_type *type)
{
	const struct value_unit *unit = value_unit_of(type->unit);
	size_t length = strcspn(type->name, ":/");
	uint32_t i;

	if (unit)
		return unit->word;
	for (i = 0; i < sizeof(value_events) / sizeof(value_events[0]); i++)
		if (strlen(value_events[i].name) == length &&
		    memcmp(type->name, value_events[i].name, length) == 0)
			return value_events[i].word;
	return "count";
}
