/* SPDX-License-Identifier: BSD-2-Clause */
/* What the samples of a pprof profile refer to; see file_pprof.h. */
#include <stdlib.h>

#include "file_pprof.h"
#include "pprof.h"

static int pprof_spans_add(struct pprof_spans *spans, const struct wire_field *field)
{
	if (spans->count == spans->capacity) {
		uint32_t capacity = spans->capacity ? spans->capacity * 2 : 256;
		struct pprof_span *items = reallocarray(spans->items, capacity, sizeof(*items));

		if (!items)
			return -ENOMEM;
		spans->items = items;
		spans->capacity = capacity;
	}
	spans->items[spans->count++] = (struct pprof_span){ field->bytes, field->count };
	return 0;
}

int pprof_number(const struct pprof_span *span, uint32_t wanted, uint64_t *number)
{
	struct wire_reader reader = pprof_reader(span);
	struct wire_field field;
	int more;

	*number = 0;
	while ((more = wire_next(&reader, &field)) > 0)
		if (field.field == wanted && field.is_number)
			*number = field.number;
	return more;
}

/* A message that others refer to by its id, which is its field 1. The first of an id holds. */
static int pprof_add_part(struct pprof_spans *spans, const struct wire_field *field)
{
	uint64_t id = 0;
	int err = pprof_spans_add(spans, field);

	if (!err)
		err = pprof_number(&spans->items[spans->count - 1], 1, &id);
	if (err || intmap_get(&spans->ids, id, 0))
		return err;
	return intmap_add(&spans->ids, id, 0, spans->count);
}

static int pprof_add_type(struct pprof_reading *reading, const struct wire_field *field)
{
	struct pprof_span span = { field->bytes, field->count };
	struct pprof_value_type *types =
		reallocarray(reading->types, reading->type_count + 1, sizeof(*types));
	int err;

	if (!types)
		return -ENOMEM;
	reading->types = types;
	types += reading->type_count++;
	err = pprof_number(&span, PPROF_TYPE_TYPE, &types->type);
	return err ? err : pprof_number(&span, PPROF_TYPE_UNIT, &types->unit);
}

static int pprof_load_field(struct pprof_reading *reading, const struct wire_field *field)
{
	if (field->field == PPROF_DEFAULT_TYPE && field->is_number)
		reading->default_type = field->number;
	if (field->is_number)
		return 0;
	switch (field->field) {
	case PPROF_SAMPLE_TYPE:
		return pprof_add_type(reading, field);
	case PPROF_MAPPING:
		return pprof_add_part(&reading->mappings, field);
	case PPROF_LOCATION:
		return pprof_add_part(&reading->locations, field);
	case PPROF_FUNCTION:
		return pprof_add_part(&reading->functions, field);
	case PPROF_STRING:
		return pprof_spans_add(&reading->strings, field);
	default:
		return 0;
	}
}

int pprof_load(struct pprof_reading *reading)
{
	struct wire_reader reader = pprof_reader(&reading->all);
	struct wire_field field;
	int more, err = 0;

	while (!err && (more = wire_next(&reader, &field)) != 0)
		err = more < 0 ? more : pprof_load_field(reading, &field);
	if (err)
		return err;
	reading->known = calloc(reading->locations.count + 1, sizeof(*reading->known));
	return reading->known ? 0 : -ENOMEM;
}

static void pprof_spans_clear(struct pprof_spans *spans)
{
	free(spans->items);
	intmap_clear(&spans->ids);
}

void pprof_unload(struct pprof_reading *reading)
{
	pprof_spans_clear(&reading->strings);
	pprof_spans_clear(&reading->mappings);
	pprof_spans_clear(&reading->functions);
	pprof_spans_clear(&reading->locations);
	free(reading->types);
	free(reading->known);
	free(reading->frames.items);
	free(reading->stack.items);
	legacy_clear(&reading->legacy);
}

struct pprof_span pprof_text(const struct pprof_reading *reading, uint64_t number)
{
	if (number >= reading->strings.count)
		return (struct pprof_span){ (const uint8_t *)"", 0 };
	return reading->strings.items[number];
}

const struct pprof_span *pprof_by_id(const struct pprof_spans *spans, uint64_t id)
{
	uint32_t place = intmap_get(&spans->ids, id, 0);

	return place ? &spans->items[place - 1] : NULL;
}

int pprof_frames_add(struct pprof_frames *frames, uint32_t frame)
{
	if (frames->count == frames->capacity) {
		uint32_t capacity = frames->capacity ? frames->capacity * 2 : 256;
		uint32_t *items = reallocarray(frames->items, capacity, sizeof(*items));

		if (!items)
			return -ENOMEM;
		frames->items = items;
		frames->capacity = capacity;
	}
	frames->items[frames->count++] = frame;
	return 0;
}

static bool pprof_begins(const struct pprof_span *text, const char *with)
{
	size_t length = strlen(with);

	return text->count >= length && memcmp(text->bytes, with, length) == 0;
}

/* "[kernel.kallsyms]", "[ext4]": names in brackets are kernel code, but for these. */
static bool pprof_is_kernel(const struct pprof_span *path)
{
	static const char *const others[] = { "[vdso", "[vsyscall", "[vvar", "[heap",   "[stack",
					      "[anon", "[unknown",  "[jit",  "[uprobes" };
	uint32_t i;

	if (!pprof_begins(path, "["))
		return false;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (pprof_begins(path, others[i]))
			return false;
	return true;
}

/* What the mapping says of all frames in it; `path`: of its file. */
static int pprof_frame_mapping(struct file *file, const struct pprof_span *mapping,
			       struct pprof_span *path, struct weir_frame *frame)
{
	uint64_t text = 0;
	int err;

	*path = pprof_text(file->reading, UINT64_MAX);
	if (!mapping)
		return 0;
	err = pprof_number(mapping, PPROF_MAPPING_FILE, &text);
	*path = pprof_text(file->reading, text);
	if (err || path->count == 0)
		return err;
	if (pprof_is_kernel(path))
		frame->flags |= WEIR_FRAME_KERNEL;
	if (pprof_begins(path, PPROF_JIT))
		frame->flags |= WEIR_FRAME_JIT;
	frame->object = file_name(&file->profile, (const char *)path->bytes, path->count);
	return 0;
}

/* The function's names, if there is one. */
static int pprof_frame_function(struct file *file, uint64_t id, struct weir_frame *frame)
{
	struct pprof_reading *reading = file->reading;
	const struct pprof_span *function = pprof_by_id(&reading->functions, id);
	struct pprof_span name, source;
	uint64_t text = 0, system = 0;
	int err;

	frame->symbol = frame->source = 0;
	if (!function)
		return 0;
	err = pprof_number(function, PPROF_FUNCTION_NAME, &text);
	if (!err)
		err = pprof_number(function, PPROF_FUNCTION_SYSTEM_NAME, &system);
	name = pprof_text(reading, text ? text : system);
	if (!err)
		err = pprof_number(function, PPROF_FUNCTION_FILE, &text);
	source = pprof_text(reading, text);
	frame->symbol = file_name(&file->profile, (const char *)name.bytes, name.count);
	frame->source = file_name(&file->profile, (const char *)source.bytes, source.count);
	return err;
}

/* The number of a frame. One of which nothing at all is known says so. */
static uint32_t pprof_frame(struct file *file, const struct weir_frame *frame)
{
	static const char unknown[] = "[unknown]";
	struct weir_frame named = *frame;

	if (!frame->symbol && !frame->object && !frame->address)
		named.symbol = file_name(&file->profile, unknown, sizeof(unknown) - 1);
	return file_frame(&file->profile, &named);
}

/* The frames of one line's function: all but the last are inlined into that. */
static int pprof_add_line(struct file *file, const struct wire_field *field,
			  struct weir_frame *frame, struct pprof_frames *frames)
{
	struct pprof_span line = { field->bytes, field->count };
	uint64_t function = 0, number = 0;
	int err = pprof_number(&line, PPROF_LINE_FUNCTION, &function);

	if (!err)
		err = pprof_number(&line, PPROF_LINE_LINE, &number);
	if (!err)
		err = pprof_frame_function(file, function, frame);
	if (err)
		return err;
	frame->line = number <= UINT32_MAX ? (uint32_t)number : 0;
	return pprof_frames_add(frames, pprof_frame(file, frame));
}

static uint32_t pprof_count_lines(const struct pprof_span *location)
{
	struct wire_reader reader = pprof_reader(location);
	struct wire_field field;
	uint32_t count = 0;

	while (wire_next(&reader, &field) > 0)
		count += field.field == PPROF_LOCATION_LINE && !field.is_number;
	return count;
}

/* The frames of an address that has no names in the profile. */
static int pprof_add_nameless(struct file *file, const struct pprof_span *mapping,
			      const struct pprof_span *path, struct weir_frame *frame)
{
	struct pprof_reading *reading = file->reading;
	const struct weir_frame *inlined = NULL;
	uint32_t count = 0;
	int err = 0;

	if (mapping && frame->address && pprof_begins(path, "/")) {
		err = pprof_name_frame(file, mapping, path, frame);
		inlined = pprof_names_inlined(reading, &count);
	}
	for (uint32_t i = 0; i < count && !err; i++)
		err = pprof_frames_add(&reading->frames, pprof_frame(file, &inlined[i]));
	return err ? err : pprof_frames_add(&reading->frames, pprof_frame(file, frame));
}

static int pprof_know(struct file *file, const struct pprof_span *location,
		      struct pprof_known *known)
{
	struct pprof_reading *reading = file->reading;
	struct wire_reader reader = pprof_reader(location);
	uint32_t lines = pprof_count_lines(location);
	struct weir_frame frame = { 0 };
	const struct pprof_span *mapping;
	struct pprof_span path;
	struct wire_field field;
	uint64_t id = 0;
	int err = pprof_number(location, PPROF_LOCATION_MAPPING, &id);

	mapping = pprof_by_id(&reading->mappings, id);
	if (!err)
		err = pprof_number(location, PPROF_LOCATION_ADDRESS, &frame.address);
	if (!err)
		err = pprof_frame_mapping(file, mapping, &path, &frame);
	known->first = reading->frames.count;
	if (!err && !lines)
		err = pprof_add_nameless(file, mapping, &path, &frame);
	/* The message is whole: its numbers were looked for to its end. */
	while (!err && lines && wire_next(&reader, &field) > 0) {
		if (field.field != PPROF_LOCATION_LINE || field.is_number)
			continue;
		frame.flags &= ~(uint32_t)WEIR_FRAME_INLINED;
		if (--lines)
			frame.flags |= WEIR_FRAME_INLINED;
		err = pprof_add_line(file, &field, &frame, &reading->frames);
	}
	known->count = reading->frames.count - known->first;
	return err;
}

int pprof_add_location(struct file *file, uint64_t id)
{
	struct pprof_reading *reading = file->reading;
	const struct pprof_span *location = pprof_by_id(&reading->locations, id);
	struct pprof_known *known;
	uint32_t i;
	int err = 0;

	if (!location)
		return -EBADMSG;
	known = &reading->known[location - reading->locations.items];
	if (!known->count)
		err = pprof_know(file, location, known);
	for (i = 0; i < known->count && !err; i++)
		err = pprof_frames_add(&reading->stack, reading->frames.items[known->first + i]);
	return err;
}
