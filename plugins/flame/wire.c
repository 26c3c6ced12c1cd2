/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocol buffers on the wire; see wire.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static bool wire_room(struct wire *wire, size_t count)
{
	size_t capacity = wire->capacity ? wire->capacity : 64;
	uint8_t *bytes;

	while (capacity - wire->used < count)
		capacity *= 2;
	if (capacity == wire->capacity)
		return true;
	bytes = realloc(wire->bytes, capacity);
	if (!bytes) {
		wire->failed = true;
		return false;
	}
	wire->bytes = bytes;
	wire->capacity = capacity;
	return true;
}

void wire_item(struct wire *wire, uint64_t value)
{
	if (!wire_room(wire, 10))
		return;
	for (; value >= 0x80; value >>= 7)
		wire->bytes[wire->used++] = (uint8_t)(value | 0x80);
	wire->bytes[wire->used++] = (uint8_t)value;
}

/* What is 0 is left out: that is how the format says 0. */
void wire_number(struct wire *wire, uint32_t field, uint64_t value)
{
	if (value == 0)
		return;
	wire_item(wire, (uint64_t)field << 3 | WIRE_VARINT);
	wire_item(wire, value);
}

void wire_bytes(struct wire *wire, uint32_t field, const void *bytes, size_t count)
{
	wire_item(wire, (uint64_t)field << 3 | WIRE_BYTES);
	wire_item(wire, count);
	wire_append(wire, bytes, count);
}

void wire_append(struct wire *wire, const void *bytes, size_t count)
{
	if (!count || !wire_room(wire, count))
		return;
	memcpy(wire->bytes + wire->used, bytes, count);
	wire->used += count;
}

void wire_message(struct wire *wire, uint32_t field, struct wire *within)
{
	wire_bytes(wire, field, within->bytes, within->used);
	wire->failed |= within->failed;
	within->used = 0;
}

void wire_clear(struct wire *wire)
{
	free(wire->bytes);
	memset(wire, 0, sizeof(*wire));
}

static bool wire_varint(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	uint32_t shift;

	*value = 0;
	for (shift = 0; shift < 64 && *at < end; shift += 7) {
		uint8_t byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* Sets `bytes` to that many bytes of what is left. */
static bool wire_take(struct wire_reader *reader, uint64_t count, struct wire_field *field)
{
	if (count > (uint64_t)(reader->end - reader->at))
		return false;
	field->bytes = reader->at;
	field->count = (size_t)count;
	reader->at += count;
	return true;
}

int wire_next(struct wire_reader *reader, struct wire_field *field)
{
	uint64_t key, count;
	bool good;

	memset(field, 0, sizeof(*field));
	if (reader->at == reader->end)
		return 0;
	if (!wire_varint(&reader->at, reader->end, &key) || key >> 3 == 0 || key >> 3 > UINT32_MAX)
		return -EBADMSG;
	field->field = (uint32_t)(key >> 3);
	switch (key & 7) {
	case WIRE_VARINT:
		field->is_number = true;
		good = wire_varint(&reader->at, reader->end, &field->number);
		break;
	case WIRE_BYTES:
		good = wire_varint(&reader->at, reader->end, &count) &&
		       wire_take(reader, count, field);
		break;
	case WIRE_64:
	case WIRE_32:
		field->is_fixed = true;
		good = wire_take(reader, (key & 7) == WIRE_64 ? 8 : 4, field);
		break;
	default:
		good = false;
	}
	return good ? 1 : -EBADMSG;
}

int wire_list_next(const struct wire_field *field, struct wire_list *list, uint64_t *number)
{
	if (!list->begun) {
		list->begun = true;
		list->at = field->bytes;
		*number = field->number;
		if (field->is_number)
			return 1;
	}
	if (field->is_number || list->at == field->bytes + field->count)
		return 0;
	return wire_varint(&list->at, field->bytes + field->count, number) ? 1 : -EBADMSG;
}
