/* SPDX-License-Identifier: BSD-2-Clause */
/* What a field of a row says: see value.h. */
#include "value.h"

#include <stdio.h>

/* Where a value lies. */
struct value_place {
	struct weir_ctx *ctx;
	const struct weir_batch *batch;
	const struct weir_field *field;
	const void *member;
};

typedef struct value value_reader(const struct value_place *place);

static bool value_optional(const struct weir_field *field)
{
	return (field->flags & WEIR_OPTIONAL) != 0;
}

static uint64_t value_unsigned(const void *member, uint32_t bytes)
{
	switch (bytes) {
	case 1:
		return *(const uint8_t *)member;
	case 2:
		return *(const uint16_t *)member;
	case 4:
		return *(const uint32_t *)member;
	default:
		return *(const uint64_t *)member;
	}
}

static int64_t value_signed(const void *member, uint32_t bytes)
{
	switch (bytes) {
	case 1:
		return *(const int8_t *)member;
	case 2:
		return *(const int16_t *)member;
	case 4:
		return *(const int32_t *)member;
	default:
		return *(const int64_t *)member;
	}
}

static struct value value_uint(const struct value_place *place)
{
	struct value value = { .kind = VALUE_UINT,
			       .u = value_unsigned(place->member, place->field->bytes) };

	if (value_optional(place->field) && value.u == weir_absent_uint(place->field->bytes))
		value.kind = VALUE_ABSENT;
	return value;
}

static struct value value_int(const struct value_place *place)
{
	struct value value = { .kind = VALUE_INT,
			       .i = value_signed(place->member, place->field->bytes) };

	if (value_optional(place->field) && value.i == weir_absent_int(place->field->bytes))
		value.kind = VALUE_ABSENT;
	return value;
}

static struct value value_time(const struct value_place *place)
{
	struct value value = value_uint(place);

	if (value.kind == VALUE_UINT)
		value.kind = VALUE_TIME;
	return value;
}

static struct value value_double(const struct value_place *place)
{
	struct value value = { .kind = VALUE_DOUBLE, .d = *(const double *)place->member };

	if (value.d != value.d)
		value.kind = VALUE_ABSENT;
	return value;
}

static struct value value_bool(const struct value_place *place)
{
	struct value value = { .kind = VALUE_BOOL, .b = *(const uint8_t *)place->member != 0 };

	return value;
}

static struct value value_of_text(const struct weir_field *field, const char *text, uint32_t length)
{
	struct value value = { .kind = VALUE_TEXT, .count = length, .text = text };

	if (value_optional(field) && length == 0)
		value.kind = VALUE_ABSENT;
	return value;
}

static struct value value_chars(const struct value_place *place)
{
	return value_of_text(place->field, place->member,
			     (uint32_t)strnlen(place->member, place->field->bytes));
}

static struct value value_text(const struct value_place *place)
{
	const struct weir_text *text = place->member;

	return value_of_text(place->field, weir_text_of(place->batch, *text), text->length);
}

/* The text of an id; "" for 0 and in a batch without names. */
static const char *value_id_text(struct weir_ctx *ctx, const struct weir_batch *batch, uint32_t id,
				 uint32_t *length)
{
	*length = 0;
	if (id == 0 || !batch->names)
		return "";
	return ctx->host->names_text(batch->names, id, length);
}

static struct value value_of_name(const struct value_place *place)
{
	uint32_t length;
	const char *text = value_id_text(place->ctx, place->batch,
					 ((const struct weir_name *)place->member)->id, &length);

	return value_of_text(place->field, text, length);
}

static struct value value_histogram(const struct value_place *place)
{
	const struct weir_histogram_ref *ref = place->member;
	struct value value = { .kind = VALUE_HISTOGRAM };

	if (ref->bytes)
		value.histogram = weir_arena(place->batch, ref->offset);
	else if (value_optional(place->field))
		value.kind = VALUE_ABSENT;
	return value;
}

/* NAMES, STACK and ROWS: their refs are alike, an offset and a count. */
static struct value value_items(const struct value_place *place, enum value_kind kind)
{
	const struct weir_rows_ref *ref = place->member;
	struct value value = { .kind = kind, .count = ref->count };

	if (ref->count)
		value.items = weir_arena(place->batch, ref->offset);
	else if (value_optional(place->field))
		value.kind = VALUE_ABSENT;
	return value;
}

static struct value value_names(const struct value_place *place)
{
	return value_items(place, VALUE_NAMES);
}

static struct value value_stack(const struct value_place *place)
{
	return value_items(place, VALUE_STACK);
}

static struct value value_rows(const struct value_place *place)
{
	return value_items(place, VALUE_ROWS);
}

static value_reader *const value_readers[] = {
	[WEIR_TYPE_UINT] = value_uint,           [WEIR_TYPE_INT] = value_int,
	[WEIR_TYPE_DOUBLE] = value_double,       [WEIR_TYPE_BOOL] = value_bool,
	[WEIR_TYPE_CHARS] = value_chars,         [WEIR_TYPE_TIME] = value_time,
	[WEIR_TYPE_DURATION] = value_uint,       [WEIR_TYPE_TEXT] = value_text,
	[WEIR_TYPE_NAME] = value_of_name,        [WEIR_TYPE_NAMES] = value_names,
	[WEIR_TYPE_HISTOGRAM] = value_histogram, [WEIR_TYPE_STACK] = value_stack,
	[WEIR_TYPE_ROWS] = value_rows,
};

_Static_assert(sizeof(struct weir_names_ref) == sizeof(struct weir_rows_ref) &&
		       sizeof(struct weir_stack_ref) == sizeof(struct weir_rows_ref),
	       "value_items() takes these for one another");

struct value value_read(struct weir_ctx *ctx, const struct weir_batch *batch,
			const struct weir_field *field, const void *row)
{
	const struct value_place place = { ctx, batch, field,
					   (const uint8_t *)row + field->offset };
	struct value absent = { .kind = VALUE_ABSENT };
	value_reader *reader = NULL;

	if (field->type < sizeof(value_readers) / sizeof(value_readers[0]))
		reader = value_readers[field->type];
	return reader ? reader(&place) : absent;
}

struct value value_name(struct weir_ctx *ctx, const struct weir_batch *batch,
			const struct value *names, uint32_t i)
{
	struct value value = { .kind = VALUE_TEXT };

	value.text = value_id_text(ctx, batch, ((const uint32_t *)names->items)[i], &value.count);
	return value;
}

struct value_frame value_frame(struct weir_ctx *ctx, const struct weir_batch *batch,
			       const struct weir_field *field, const struct value *stack,
			       uint32_t i)
{
	const struct weir_frame *frame =
		(const void *)((const uint8_t *)stack->items + (size_t)i * field->item_size);
	struct value_frame shown = { .offset = "" };

	shown.text = value_id_text(ctx, batch, frame->symbol, &shown.length);
	if (shown.length)
		return shown;

	shown.text = value_id_text(ctx, batch, frame->object, &shown.length);
	if (shown.length) {
		snprintf(shown.offset, sizeof(shown.offset), "+0x%llx",
			 (unsigned long long)frame->object_offset);
		return shown;
	}

	shown.text = "[unknown]";
	shown.length = sizeof("[unknown]") - 1;
	return shown;
}

const struct weir_field *value_time_field(const struct weir_schema *schema)
{
	for (uint32_t i = 0; i < schema->fields.count; i++) {
		const struct weir_field *field = weir_field_at(schema, i);

		if (field->type == WEIR_TYPE_TIME &&
		    (field->role == WEIR_EVENT || strcmp(field->name, "time") == 0))
			return field;
	}
	return NULL;
}

uint64_t value_moment(struct weir_ctx *ctx, const struct weir_batch *batch,
		      const struct weir_field *time, const void *row)
{
	struct value value = { .kind = VALUE_ABSENT };

	if (time)
		value = value_read(ctx, batch, time, row);
	return value.kind == VALUE_TIME ? value.u : batch->end;
}

double value_number(const struct value *value)
{
	switch (value->kind) {
	case VALUE_UINT:
		return (double)value->u;
	case VALUE_INT:
		return (double)value->i;
	case VALUE_DOUBLE:
		return value->d;
	default:
		return __builtin_nan("");
	}
}

bool value_per_second(const struct weir_schema *schema)
{
	for (uint32_t i = 0; i < schema->fields.count; i++) {
		const struct weir_head *head = weir_field_at(schema, i)->head;

		if (head && head->flags & WEIR_PER_SECOND)
			return true;
	}
	return false;
}

bool value_is_text(const struct weir_field *field)
{
	switch (field->type) {
	case WEIR_TYPE_CHARS:
	case WEIR_TYPE_TEXT:
	case WEIR_TYPE_NAME:
	case WEIR_TYPE_NAMES:
		return true;
	default:
		return false;
	}
}
