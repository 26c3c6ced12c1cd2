/* SPDX-License-Identifier: BSD-2-Clause */
/* The profile.proto that older profiles are made into; see pprof_legacy.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pprof.h"
#include "pprof_legacy.h"

static void list_add(struct legacy *legacy, struct legacy_list *list, uint64_t item)
{
	if (list->count == list->capacity) {
		uint32_t capacity = list->capacity ? list->capacity * 2 : 256;
		void *items = reallocarray(list->items, capacity, sizeof(*list->items));

		legacy->failed |= !items;
		if (!items)
			return;
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->count++] = item;
}

/* The first string of a profile is empty. */
static uint64_t made_string(struct legacy *legacy, const char *text, size_t length)
{
	if (!legacy->strings)
		wire_bytes(&legacy->out, PPROF_STRING, "", 0);
	wire_bytes(&legacy->out, PPROF_STRING, text, length);
	return ++legacy->strings;
}

static uint64_t made_text(struct legacy *legacy, const struct legacy_text *text)
{
	if (!text || text->at == text->end)
		return 0;
	return made_string(legacy, text->at, (size_t)(text->end - text->at));
}

/* A path, whose first word may stand for another. */
static uint64_t made_path(struct legacy *legacy, const struct legacy_text *path)
{
	uint64_t text;

	for (uint32_t i = 0; i < legacy->word_count; i++) {
		const struct legacy_word *word = &legacy->words[i];
		struct legacy_text rest = { path->at + 1, path->end };
		size_t length = (size_t)(word->name.end - word->name.at);

		if (path->at == path->end || *path->at != '$' ||
		    (size_t)(rest.end - rest.at) < length ||
		    memcmp(rest.at, word->name.at, length) != 0)
			continue;
		wire_append(&legacy->item, word->value.at,
			    (size_t)(word->value.end - word->value.at));
		wire_append(&legacy->item, rest.at + length, (size_t)(rest.end - rest.at) - length);
		text = made_string(legacy, (const char *)legacy->item.bytes, legacy->item.used);
		legacy->item.used = 0;
		return text;
	}
	return made_text(legacy, path);
}

void legacy_type(struct legacy *legacy, const char *type, const char *unit)
{
	uint64_t type_text = made_string(legacy, type, strlen(type));

	wire_number(&legacy->part, PPROF_TYPE_TYPE, type_text);
	wire_number(&legacy->part, PPROF_TYPE_UNIT, made_string(legacy, unit, strlen(unit)));
	wire_message(&legacy->out, PPROF_SAMPLE_TYPE, &legacy->part);
	legacy->value_count++;
}

uint64_t legacy_address(struct legacy *legacy, uint64_t address, bool call)
{
	uint32_t place;

	if (call && address && !legacy->java)
		address--;
	if (legacy->stack.count >= LEGACY_DEPTH)
		return address;
	place = intmap_get(&legacy->locations, address, 0);
	if (!place) {
		list_add(legacy, &legacy->addresses, address);
		place = legacy->addresses.count;
		if (!legacy->failed && intmap_add(&legacy->locations, address, 0, place))
			legacy->failed = true;
	}
	list_add(legacy, &legacy->stack, place);
	return address;
}

void legacy_sample(struct legacy *legacy)
{
	uint32_t i;

	for (i = 0; i < legacy->stack.count; i++)
		wire_item(&legacy->item, legacy->stack.items[i]);
	wire_message(&legacy->part, PPROF_SAMPLE_LOCATION, &legacy->item);
	for (i = 0; i < legacy->value_count; i++)
		wire_item(&legacy->item, legacy->values[i]);
	wire_message(&legacy->part, PPROF_SAMPLE_VALUE, &legacy->item);
	wire_message(&legacy->out, PPROF_SAMPLE, &legacy->part);
	legacy->depth = legacy->stack.count;
	legacy->stack.count = 0;
	legacy->samples++;
}

void legacy_again(struct legacy *legacy)
{
	if (!legacy->stack.count)
		legacy->stack.count = legacy->depth;
}

void legacy_map(struct legacy *legacy, uint64_t start, uint64_t end, uint64_t offset,
		const struct legacy_text *path)
{
	uint64_t file = made_path(legacy, path);

	if (!file || end <= start)
		return;
	legacy->mappings++;
	wire_number(&legacy->part, PPROF_MAPPING_ID, legacy->mappings);
	wire_number(&legacy->part, PPROF_MAPPING_START, start);
	wire_number(&legacy->part, PPROF_MAPPING_END, end);
	wire_number(&legacy->part, PPROF_MAPPING_OFFSET, offset);
	wire_number(&legacy->part, PPROF_MAPPING_FILE, file);
	wire_message(&legacy->out, PPROF_MAPPING, &legacy->part);
	list_add(legacy, &legacy->maps, start);
	list_add(legacy, &legacy->maps, end);
	list_add(legacy, &legacy->maps, legacy->mappings);
}

static struct legacy_name *name_new(struct legacy *legacy)
{
	if (legacy->name_count == legacy->name_capacity) {
		uint32_t capacity = legacy->name_capacity ? legacy->name_capacity * 2 : 256;
		void *names = reallocarray(legacy->names, capacity, sizeof(*legacy->names));

		legacy->failed |= !names;
		if (!names)
			return NULL;
		legacy->names = names;
		legacy->name_capacity = capacity;
	}
	return &legacy->names[legacy->name_count++];
}

void legacy_name(struct legacy *legacy, uint64_t address, const struct legacy_text *function,
		 const struct legacy_text *file, uint64_t line)
{
	uint32_t place = intmap_get(&legacy->named, address, 0);
	struct legacy_name *name;

	if (place && legacy->names[place - 1].sample != legacy->samples)
		return;
	name = name_new(legacy);
	if (!name)
		return;
	*name = (struct legacy_name){ .function = made_text(legacy, function),
				      .file = made_text(legacy, file),
				      .line = line,
				      .sample = legacy->samples };
	if (!place) {
		legacy->failed |= intmap_add(&legacy->named, address, 0, legacy->name_count) != 0;
		return;
	}
	while (legacy->names[place - 1].next)
		place = legacy->names[place - 1].next;
	legacy->names[place - 1].next = legacy->name_count;
}

/* 0: it lies in none. */
static uint64_t made_mapping(const struct legacy *legacy, uint64_t address)
{
	const struct legacy_list *maps = &legacy->maps;

	for (uint32_t i = 0; i + 2 < maps->count; i += 3)
		if (address >= maps->items[i] && address < maps->items[i + 1])
			return maps->items[i + 2];
	return 0;
}

static void made_line(struct legacy *legacy, const struct legacy_name *name)
{
	struct wire function = { 0 };

	legacy->functions++;
	wire_number(&function, PPROF_FUNCTION_ID, legacy->functions);
	wire_number(&function, PPROF_FUNCTION_NAME, name->function);
	wire_number(&function, PPROF_FUNCTION_FILE, name->file);
	wire_message(&legacy->out, PPROF_FUNCTION, &function);
	wire_clear(&function);
	wire_number(&legacy->item, PPROF_LINE_FUNCTION, legacy->functions);
	wire_number(&legacy->item, PPROF_LINE_LINE, name->line);
	wire_message(&legacy->part, PPROF_LOCATION_LINE, &legacy->item);
}

void legacy_finish(struct legacy *legacy)
{
	for (uint32_t i = 0; i < legacy->addresses.count && !legacy->failed; i++) {
		uint64_t address = legacy->addresses.items[i];
		uint32_t place = intmap_get(&legacy->named, address, 0);

		wire_number(&legacy->part, PPROF_LOCATION_ID, i + 1);
		if (!legacy->java) {
			wire_number(&legacy->part, PPROF_LOCATION_MAPPING,
				    made_mapping(legacy, address));
			wire_number(&legacy->part, PPROF_LOCATION_ADDRESS, address);
		}
		for (; place; place = legacy->names[place - 1].next)
			made_line(legacy, &legacy->names[place - 1]);
		wire_message(&legacy->out, PPROF_LOCATION, &legacy->part);
	}
	legacy->failed |= legacy->out.failed;
}

void legacy_clear(struct legacy *legacy)
{
	wire_clear(&legacy->out);
	wire_clear(&legacy->part);
	wire_clear(&legacy->item);
	intmap_clear(&legacy->locations);
	intmap_clear(&legacy->named);
	free(legacy->addresses.items);
	free(legacy->stack.items);
	free(legacy->maps.items);
	free(legacy->names);
	memset(legacy, 0, sizeof(*legacy));
}
