/* SPDX-License-Identifier: BSD-2-Clause */
/* Input for a slot: what it wants, and behind that a field of every type there is. */
#include <stdio.h>
#include <stdlib.h>

#include "../../core/batch.h"
#include "../../core/names.h"
#include "mock_host.h"

#define NAME_BYTES 16
#define CHARS      24
#define ARENA_ROW  1024 /* bytes of arena that one row may need, at most */

struct shape {
	uint32_t bytes;
	uint32_t item_size;
	const char *dimension; /* the unit a lone field of the type gets */
};

static const struct shape shapes[] = {
	[WEIR_TYPE_UINT] = { 8, 0, "count" },
	[WEIR_TYPE_INT] = { 8, 0, "count" },
	[WEIR_TYPE_DOUBLE] = { 8, 0, "ratio" },
	[WEIR_TYPE_BOOL] = { 1, 0, NULL },
	[WEIR_TYPE_CHARS] = { CHARS, 0, NULL },
	[WEIR_TYPE_TIME] = { 8, 0, "time" },
	[WEIR_TYPE_DURATION] = { 8, 0, "time" },
	[WEIR_TYPE_TEXT] = { sizeof(struct weir_text), 0, NULL },
	[WEIR_TYPE_NAME] = { sizeof(struct weir_name), 0, NULL },
	[WEIR_TYPE_NAMES] = { sizeof(struct weir_names_ref), sizeof(uint32_t), NULL },
	[WEIR_TYPE_HISTOGRAM] = { sizeof(struct weir_histogram_ref), 0, "time" },
	[WEIR_TYPE_STACK] = { sizeof(struct weir_stack_ref), sizeof(struct weir_frame), NULL },
	[WEIR_TYPE_ROWS] = { sizeof(struct weir_rows_ref), 0, NULL },
};

#define TYPES (sizeof(shapes) / sizeof(shapes[0]))

static const struct weir_unit *const units[] = { WEIR_NS, WEIR_BYTES, WEIR_RATIO, WEIR_COUNT,
						 WEIR_HERTZ };

struct part {
	uint64_t bytes;
	struct weir_text name;
};

static const struct weir_field part_fields[] = {
	WEIR_FIELD(struct part, bytes, WEIR_BYTES, WEIR_DELTA, "size of a part"),
	WEIR_FIELD(struct part, name, WEIR_NONE, WEIR_KEY, "name of a part"),
};

WEIR_SCHEMA(part_schema, "part", struct part, part_fields);

/* One allocation: schema, fields, and names of the fields that nobody wanted. */
struct built {
	struct weir_schema schema;
	uint32_t row_size;
	char names[TYPES][NAME_BYTES];
	struct weir_field fields[];
};

static const struct weir_unit *unit_of(const char *dimension)
{
	for (size_t i = 0; dimension && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i]->dimension, dimension) == 0)
			return units[i];
	return NULL;
}

/* Appends a field, each at the next multiple of 8. */
static void add_field(struct built *built, const char *name, uint32_t type, uint32_t role,
		      const char *dimension)
{
	const struct shape *shape = &shapes[type];

	built->fields[built->schema.fields.count++] = (struct weir_field){
		.name = name,
		.doc = "made up",
		.unit = unit_of(dimension ? dimension : shape->dimension),
		.type = type,
		.role = role,
		.offset = built->row_size,
		.bytes = shape->bytes,
		.item_size = shape->item_size,
		.rows = type == WEIR_TYPE_ROWS ? &part_schema : NULL,
	};
	built->row_size += (shape->bytes + 7u) & ~7u;
}

const struct weir_schema *synthetic_schema(const struct weir_slot *slot, void **owned)
{
	struct built *built =
		calloc(1, sizeof(*built) + (slot->wants.count + TYPES) * sizeof(struct weir_field));

	*owned = built;
	if (!built)
		return NULL;
	for (uint32_t i = 0; i < slot->wants.count; i++) {
		const struct weir_want *want = &slot->wants.items[i];

		add_field(built, want->name, want->type ? want->type : (uint32_t)WEIR_TYPE_UINT,
			  want->role, want->dimension);
	}
	for (uint32_t type = 1; type < TYPES; type++) {
		snprintf(built->names[type], NAME_BYTES, "column%u", type);
		add_field(built, built->names[type], type,
			  type == WEIR_TYPE_ROWS ? WEIR_ROLE_NONE : 1 + type % WEIR_EVENT, NULL);
	}
	built->schema.size = sizeof(built->schema);
	built->schema.row_size = built->row_size;
	built->schema.name = "made up";
	built->schema.fields.items = built->fields;
	built->schema.fields.item_size = sizeof(struct weir_field);
	return &built->schema;
}

/* A newer host's: what is unknown is filled so that it is no address and no sensible number. */
struct wider_schema {
	struct weir_schema known;
	uint64_t later[2];
};

struct wider_field {
	struct weir_field known;
	uint64_t later[2];
};

static size_t wider_bytes(const struct weir_schema *schema)
{
	size_t bytes =
		sizeof(struct wider_schema) + schema->fields.count * sizeof(struct wider_field);

	for (uint32_t i = 0; i < schema->fields.count; i++)
		if (schema->fields.items[i].rows)
			bytes += wider_bytes(schema->fields.items[i].rows);
	return bytes;
}

static const struct weir_schema *widen(const struct weir_schema *schema, uint8_t **room)
{
	struct wider_schema *wider = (struct wider_schema *)*room;
	struct wider_field *fields = (struct wider_field *)(wider + 1);

	*room = (uint8_t *)(fields + schema->fields.count);
	wider->known = *schema;
	wider->known.size = sizeof(*wider);
	wider->known.fields.items = &fields->known;
	wider->known.fields.item_size = sizeof(*fields);
	for (uint32_t i = 0; i < schema->fields.count; i++) {
		fields[i].known = schema->fields.items[i];
		if (fields[i].known.rows)
			fields[i].known.rows = widen(fields[i].known.rows, room);
	}
	return &wider->known;
}

const struct weir_schema *synthetic_wider(const struct weir_schema *schema, void **owned)
{
	const size_t bytes = wider_bytes(schema);
	uint8_t *room = malloc(bytes);

	*owned = room;
	if (!room)
		return NULL;
	memset(room, 0x5a, bytes);
	return widen(schema, &room);
}

/* What a row is filled from. */
struct filler {
	struct batch *batch;
	struct weir_names *names;
	uint32_t i;
};

/* The arena is made large enough before, so that it never moves. */
static void *arena(struct filler *filler, uint32_t bytes, uint32_t *offset)
{
	struct weir_batch *batch = &filler->batch->seen;
	void *room = batch->arena + batch->arena_used;

	*offset = batch->arena_used;
	batch->arena_used += (bytes + 7u) & ~7u;
	memset(room, 0, (bytes + 7u) & ~7u);
	return room;
}

/* Names of strangers: quotes, tags, escape sequences, bytes that are no UTF-8. */
static uint32_t stranger(struct filler *filler)
{
	static const char *const texts[] = { "plain",      "a \"quoted\", one", "<b>&amp;",
					     "\033[31m\n", "\xff\xfe",          "\xc3\xa4;{}" };
	const char *text = texts[filler->i % (sizeof(texts) / sizeof(texts[0]))];

	return filler->names ? names_intern(filler->names, text, strlen(text)) : 0;
}

static void fill_text(struct filler *filler, struct weir_text *text)
{
	static const char stranger_text[] = "two\nlines, \"quotes\" and \033[31m";

	if (filler->i % 3 == 0)
		return;
	text->length = sizeof(stranger_text) - 1;
	memcpy(arena(filler, sizeof(stranger_text), &text->offset), stranger_text,
	       sizeof(stranger_text));
}

static void fill_histogram(struct filler *filler, struct weir_histogram_ref *ref)
{
	struct weir_histogram *histogram;

	if (filler->i % 4 == 3)
		return;
	ref->bytes = sizeof(*histogram) + 3 * sizeof(uint64_t);
	histogram = arena(filler, ref->bytes, &ref->offset);
	*histogram = (struct weir_histogram){ .count = 6,
					      .sum = 6000,
					      .min = 512,
					      .max = 2048,
					      .underflow = 1,
					      .scale = 0,
					      .offset = 9,
					      .buckets = 3 };
	for (uint32_t i = 0; i < 3; i++)
		histogram->counts[i] = i == 1 ? 3 : 1;
}

static void fill_stack(struct filler *filler, struct weir_stack_ref *ref)
{
	struct weir_frame *frames;

	ref->count = filler->i % 5;
	frames = arena(filler, ref->count * (uint32_t)sizeof(*frames), &ref->offset);
	for (uint32_t i = 0; i < ref->count; i++)
		frames[i] = (struct weir_frame){ .address = 0x1000 * (i + 1),
						 .symbol = i % 2 ? 0 : stranger(filler),
						 .object = stranger(filler) };
}

static void fill_parts(struct filler *filler, struct weir_rows_ref *ref)
{
	struct part *parts;

	ref->count = filler->i % 3;
	parts = arena(filler, ref->count * (uint32_t)sizeof(*parts), &ref->offset);
	for (uint32_t i = 0; i < ref->count; i++)
		parts[i].bytes = i;
}

static void fill_names(struct filler *filler, struct weir_names_ref *ref)
{
	uint32_t *id = arena(filler, sizeof(*id), &ref->offset);

	ref->count = 1;
	*id = stranger(filler);
}

static void fill_number(const struct filler *filler, const struct weir_field *field, void *member)
{
	uint64_t number = filler->i % 7 == 6 ? UINT64_MAX / 2 : 1000u * filler->i;
	double fraction = (double)filler->i / 4;
	bool flag = filler->i % 2;

	if (field->type == WEIR_TYPE_DOUBLE)
		memcpy(member, &fraction, sizeof(fraction));
	else if (field->type == WEIR_TYPE_BOOL)
		memcpy(member, &flag, sizeof(flag));
	else if (field->type == WEIR_TYPE_CHARS)
		/* Every other one fills its member, without a NUL. */
		memset(member, 'x', flag ? field->bytes : field->bytes / 2);
	else
		memcpy(member, &number, field->bytes);
}

static void fill_member(struct filler *filler, const struct weir_field *field, void *member)
{
	switch (field->type) {
	case WEIR_TYPE_TEXT:
		fill_text(filler, member);
		break;
	case WEIR_TYPE_NAME:
		((struct weir_name *)member)->id = stranger(filler);
		break;
	case WEIR_TYPE_NAMES:
		fill_names(filler, member);
		break;
	case WEIR_TYPE_HISTOGRAM:
		fill_histogram(filler, member);
		break;
	case WEIR_TYPE_STACK:
		fill_stack(filler, member);
		break;
	case WEIR_TYPE_ROWS:
		fill_parts(filler, member);
		break;
	default:
		fill_number(filler, field, member);
		break;
	}
}

struct batch *synthetic_batch(const struct weir_schema *schema, uint32_t rows,
			      struct weir_names *names)
{
	uint32_t arena_bytes = rows * schema->fields.count * ARENA_ROW / 4;
	struct batch *batch = batch_new(schema->row_size, rows, arena_bytes + 8);
	struct filler filler = { batch, names, 0 };

	if (!batch)
		return NULL;
	batch->seen.start = 1000000000;
	batch->seen.end = 2000000000;
	batch->seen.names = names;
	for (; filler.i < rows; filler.i++) {
		uint8_t *row = batch->seen.rows + (size_t)filler.i * schema->row_size;

		memset(row, 0, schema->row_size);
		batch->seen.row_count++;
		for (uint32_t j = 0; j < schema->fields.count; j++)
			fill_member(&filler, &schema->fields.items[j],
				    row + schema->fields.items[j].offset);
	}
	batch_commit(batch);
	return batch;
}
