/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data: attributes of events, of any size, and whose a record is. */
#include "perf_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/perf_names.h>

enum {
	ATTR_BYTES_MIN = 64,
	ATTR_READ = 136, /* bytes of an attribute that are looked at */
	EVENTS_MAX = 4096,
	IDS_MAX = 1 << 20,
};

/* Bits lie the other way round in each byte of a bit field of the other byte order. */
static uint64_t attr_flags(const struct perf_data *data, const uint8_t *bytes)
{
	uint64_t flags = 0;

	for (uint32_t bit = 0; bit < 64; bit++) {
		uint32_t place = data->big ? 7 - bit % 8 : bit % 8;

		flags |= (uint64_t)(bytes[bit / 8] >> place & 1) << bit;
	}
	return flags;
}

/* What a sample stands for where it does not tell. */
static uint64_t attr_weight(const struct perf_data_attr *attr)
{
	return attr->flags & PERF_DATA_FLAG_FREQ || !attr->period ? 1 : attr->period;
}

int perf_data_add_event(struct perf_data *data, const uint8_t *attr, size_t bytes, uint32_t *place)
{
	struct perf_data_events *events = &data->events;
	struct perf_data_event *event;
	uint8_t raw[ATTR_READ] = { 0 };

	if (bytes < ATTR_BYTES_MIN || events->count >= EVENTS_MAX)
		return -EBADMSG;
	/* Those of older kernels end earlier; what newer ones have more is not needed. */
	memcpy(raw, attr, bytes < sizeof(raw) ? bytes : sizeof(raw));
	if (events->count == events->capacity) {
		uint32_t capacity = events->capacity ? events->capacity * 2 : 8;
		void *items = reallocarray(events->items, capacity, sizeof(*events->items));

		if (!items)
			return -ENOMEM;
		events->items = items;
		events->capacity = capacity;
	}
	event = &events->items[events->count];
	*event = (struct perf_data_event){
		.attr = { .type = perf_data_u32(data, raw),
			  .config = perf_data_u64(data, raw + 8),
			  .period = perf_data_u64(data, raw + 16),
			  .sample_type = perf_data_u64(data, raw + 24),
			  .read_format = perf_data_u64(data, raw + 32),
			  .branch_type = perf_data_u64(data, raw + 72),
			  .user_registers = perf_data_u64(data, raw + 80),
			  .flags = attr_flags(data, raw + 40),
			  .max_stack = perf_data_u16(data, raw + 108),
			  .clock = -1 },
	};
	if (event->attr.flags & PERF_DATA_FLAG_CLOCK)
		event->attr.clock = (int32_t)perf_data_u32(data, raw + 92);
	event->weight = attr_weight(&event->attr);
	*place = events->count++;
	return 0;
}

int perf_data_add_id(struct perf_data *data, uint32_t place, uint64_t id)
{
	struct intmap *ids = &data->events.ids;

	if (ids->count >= IDS_MAX)
		return -EBADMSG;
	if (intmap_get(ids, id, 0))
		return 0;
	return intmap_add(ids, id, 0, place + 1);
}

int perf_data_name_event(struct perf_data *data, uint32_t place, const char *name, size_t length)
{
	struct perf_data_event *event = &data->events.items[place];
	char *copy = strndup(name, length);

	if (!copy)
		return -ENOMEM;
	free(event->name);
	event->name = copy;
	event->id = 0;
	return 0;
}

uint32_t perf_data_event_of_id(const struct perf_data *data, uint64_t id)
{
	uint32_t place = intmap_get(&data->events.ids, id, 0);

	return place ? place - 1 : data->events.count;
}

/* Fields of 8 bytes, as many as there are bits. */
static uint32_t attr_fields(uint64_t sample_type, uint64_t fields)
{
	return 8 * (uint32_t)__builtin_popcountll(sample_type & fields);
}

/* Where an attribute's records have the id of their event. False: nowhere. */
static bool attr_places(const struct perf_data_attr *attr, uint32_t *at, uint32_t *back)
{
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER) {
		*at = 0;
		*back = 8;
		return true;
	}
	*at = attr_fields(attr->sample_type,
			  PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);
	*back = 8 + attr_fields(attr->sample_type, PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU);
	return attr->sample_type & PERF_SAMPLE_ID;
}

void perf_data_seal_events(struct perf_data *data)
{
	struct perf_data_events *events = &data->events;

	events->told = events->count > 1;
	for (uint32_t i = 0; i < events->count && events->told; i++) {
		uint32_t at, back;

		events->told = attr_places(&events->items[i].attr, &at, &back) &&
			       (i == 0 || (at == events->id_at && back == events->id_back));
		events->id_at = at;
		events->id_back = back;
	}
}

void perf_data_clear_events(struct perf_data *data)
{
	struct perf_data_events *events = &data->events;

	for (uint32_t i = 0; i < events->count; i++)
		free(events->items[i].name);
	free(events->items);
	intmap_clear(&events->ids);
	memset(events, 0, sizeof(*events));
}

struct perf_data_event *perf_data_event_of(struct perf_data *data,
					   const struct perf_data_record *record)
{
	struct perf_data_events *events = &data->events;
	uint32_t place = 0;
	const uint8_t *id;

	if (!events->told)
		return events->count ? &events->items[0] : NULL;
	if (record->bytes < events->id_at + 8 || record->bytes < events->id_back)
		return NULL;
	id = record->type == PERF_DATA_SAMPLE ? record->body + events->id_at
					      : record->body + record->bytes - events->id_back;
	place = perf_data_event_of_id(data, perf_data_u64(data, id));
	/* What perf makes up itself has no id: its trailer is as the first event's. */
	if (place == events->count && record->type != PERF_DATA_SAMPLE)
		place = 0;
	return place < events->count ? &events->items[place] : NULL;
}

/* An event that no name was told of. */
static int event_describe(const struct perf_data_attr *attr, char *out, size_t size)
{
	static const char *const types[] = { "hardware", "software", "tracepoint",
					     "cache",    "raw",      "breakpoint" };
	const struct weir_perf_name *known;

	for (uint32_t i = 0; (known = weir_perf_name_at(i)); i++)
		if (known->type == attr->type && known->config == attr->config)
			return snprintf(out, size, "%s", known->name);
	if (attr->type < sizeof(types) / sizeof(types[0]))
		return snprintf(out, size, "%s:0x%" PRIx64, types[attr->type], attr->config);
	return snprintf(out, size, "type%" PRIu32 ":0x%" PRIx64, attr->type, attr->config);
}

uint32_t perf_data_event_name(struct perf_data *data, struct perf_data_event *event)
{
	struct perf_data_events *events = &data->events;
	char text[64];

	if (events->epoch != data->file->profile.epoch) {
		for (uint32_t i = 0; i < events->count; i++)
			events->items[i].id = 0;
		events->epoch = data->file->profile.epoch;
	}
	if (event->id)
		return event->id;
	if (event->name && event->name[0])
		event->id = file_name(&data->file->profile, event->name, strlen(event->name));
	else
		event->id = file_name(&data->file->profile, text,
				      (size_t)event_describe(&event->attr, text, sizeof(text)));
	return event->id;
}
