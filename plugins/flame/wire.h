/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocol buffers on the wire, as far as a profile needs them: numbers, bytes, messages. */
#ifndef FLAME_WIRE_H
#define FLAME_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message in the making. All zero: empty. */
struct wire {
	uint8_t *bytes;
	size_t used;
	size_t capacity;
	bool failed; /* no memory: something is missing */
};

void wire_number(struct wire *wire, uint32_t field, uint64_t value);
void wire_bytes(struct wire *wire, uint32_t field, const void *bytes, size_t count);
/* A message within it, which is empty afterwards. */
void wire_message(struct wire *wire, uint32_t field, struct wire *within);
/* A number without field: an item of a packed list. */
void wire_item(struct wire *wire, uint64_t value);
/* Bytes as they are. */
void wire_append(struct wire *wire, const void *bytes, size_t count);
void wire_clear(struct wire *wire);

/* What is left of a message that is read. */
struct wire_reader {
	const uint8_t *at;
	const uint8_t *end;
};

/* One field. `bytes` and `count` are set where it is no number. */
struct wire_field {
	uint32_t field;
	bool is_number;
	bool is_fixed; /* `bytes` are a number of 4 or 8 bytes */
	uint64_t number;
	const uint8_t *bytes;
	size_t count;
};

/* The message that a field is; an empty one where it is a number. */
static inline struct wire_reader wire_within(const struct wire_field *field)
{
	return (struct wire_reader){ field->bytes,
				     field->bytes ? field->bytes + field->count : field->bytes };
}

/* 1: there is a field; 0: that was all; -EBADMSG: no such message. */
int wire_next(struct wire_reader *reader, struct wire_field *field);

/* The next number of a repeated field, packed or not: 1, 0, -EBADMSG. Starts with `list` zeroed. */
struct wire_list {
	const uint8_t *at;
	bool begun;
};
int wire_list_next(const struct wire_field *field, struct wire_list *list, uint64_t *number);

#endif
