/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries of call frame information: those of functions (FDE), and what several of them share
 * (CIE); see unwind_cfi.h.
 */
#include <errno.h>
#include <string.h>

#include "unwind_cfi.h"

/* How a pointer is written: the low half says its size, the high half what it counts from. */
enum {
	POINTER_ABSOLUTE = 0x00,
	POINTER_ULEB = 0x01,
	POINTER_SLEB = 0x09,
	POINTER_SIGNED = 0x08,
	POINTER_SIZE = 0x07,
	POINTER_FORM = 0x0f,
	POINTER_BASE = 0x70,
	POINTER_FROM_HERE = 0x10,
	POINTER_FROM_TABLE = 0x30,
};

uint64_t unwind_read(struct unwind_reader *reader, uint32_t bytes)
{
	uint64_t value = 0;

	if (reader->broken || (size_t)(reader->end - reader->at) < bytes) {
		reader->broken = true;
		return 0;
	}
	for (uint32_t i = 0; i < bytes; i++)
		value |= (uint64_t)reader->at[i] << 8 * i;
	reader->at += bytes;
	return value;
}

/* Seven bits a byte; what is beyond 64 bits is passed over. */
static uint64_t reader_leb(struct unwind_reader *reader, uint32_t *bits, bool *negative)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	*bits = 0;
	while (byte & 0x80 && !reader->broken) {
		byte = (uint8_t)unwind_read(reader, 1);
		if (*bits < 64)
			value |= (uint64_t)(byte & 0x7f) << *bits;
		*bits += *bits < 64 ? 7 : 0;
	}
	*negative = byte & 0x40;
	return value;
}

uint64_t unwind_uleb(struct unwind_reader *reader)
{
	uint32_t bits;
	bool negative;

	return reader_leb(reader, &bits, &negative);
}

int64_t unwind_sleb(struct unwind_reader *reader)
{
	uint32_t bits;
	bool negative;
	uint64_t value = reader_leb(reader, &bits, &negative);

	return (int64_t)(negative && bits < 64 ? value | UINT64_MAX << bits : value);
}

static uint64_t pointer_value(const struct unwind_cfi *cfi, struct unwind_reader *reader,
			      uint8_t encoding)
{
	static const uint8_t sizes[] = { 0, 0, 2, 4, 8 };
	uint32_t size = encoding & POINTER_SIZE;
	uint64_t value;

	if ((encoding & POINTER_FORM) == POINTER_ULEB)
		return unwind_uleb(reader);
	if ((encoding & POINTER_FORM) == POINTER_SLEB)
		return (uint64_t)unwind_sleb(reader);
	if (size == POINTER_ABSOLUTE)
		return unwind_read(reader, cfi->wide ? 8 : 4);
	if (size >= sizeof(sizes)) {
		reader->broken = true;
		return 0;
	}
	value = unwind_read(reader, sizes[size]);
	if (encoding & POINTER_SIGNED && sizes[size] < 8 && value >> (8 * sizes[size] - 1))
		value |= UINT64_MAX << 8 * sizes[size];
	return value;
}

uint64_t unwind_pointer(const struct unwind_cfi *cfi, struct unwind_reader *reader,
			uint8_t encoding)
{
	uint64_t here = cfi->frames.address + (uint64_t)(reader->at - cfi->frames.bytes);
	uint64_t value = pointer_value(cfi, reader, encoding);

	switch (encoding & POINTER_BASE) {
	case POINTER_ABSOLUTE:
		break;
	case POINTER_FROM_HERE:
		value += here;
		break;
	case POINTER_FROM_TABLE:
		value += cfi->table.address;
		break;
	default:
		reader->broken = true;
	}
	return cfi->wide ? value : (uint32_t)value;
}

/* An entry, cut out of its section. */
struct entry {
	struct unwind_reader rest; /* behind the id */
	uint64_t id;               /* of the shared entry: where it is */
	uint32_t id_at;
	bool is_shared;
};

/* 0, -ENOENT: the section ends here, or -EBADMSG. */
static int entry_cut(const struct unwind_cfi *cfi, uint32_t at, struct entry *entry)
{
	const uint8_t *base = cfi->frames.bytes;
	struct unwind_reader reader = { base, base + at, base + cfi->frames.size, false };
	uint64_t length = unwind_read(&reader, 4), none = UINT32_MAX;
	uint32_t size = 4;

	if (length == UINT32_MAX) {
		length = unwind_read(&reader, 8);
		size = cfi->for_debuggers ? 8 : 4;
		none = UINT64_MAX;
	}
	if (reader.broken || length < size)
		return length || reader.broken ? -EBADMSG : -ENOENT;
	if (length > (size_t)(reader.end - reader.at))
		return -EBADMSG;
	reader.end = reader.at + length;
	entry->id_at = (uint32_t)(reader.at - base);
	entry->id = unwind_read(&reader, size);
	entry->is_shared = cfi->for_debuggers ? entry->id == none : entry->id == 0;
	entry->rest = reader;
	return 0;
}

/* .eh_frame is made of parts of objects; each may end with an empty entry: what follows may count. */
bool unwind_entry_next(const struct unwind_cfi *cfi, uint32_t *at, uint32_t *next)
{
	struct entry entry;
	int err = -ENOENT;

	while (err == -ENOENT && cfi->frames.size - *at > 4) {
		err = entry_cut(cfi, *at, &entry);
		if (err == -ENOENT)
			*at += 4;
	}
	if (err)
		return false;
	*next = (uint32_t)(entry.rest.end - cfi->frames.bytes);
	return true;
}

/* What letters of the augmentation stand for. False: one that nobody knows. */
static bool entry_augmentation(const struct unwind_cfi *cfi, const char *letters,
			       struct unwind_reader *reader, struct unwind_function *function)
{
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			function->encoding = (uint8_t)unwind_read(reader, 1);
			break;
		case 'L':
			unwind_read(reader, 1);
			break;
		case 'P': {
			uint8_t encoding = (uint8_t)unwind_read(reader, 1);

			/* Who handles exceptions: not ours to follow, only to pass over. */
			pointer_value(cfi, reader, encoding);
			break;
		}
		case 'S':
			function->signal = true;
			break;
		case 'B': /* arm64: return addresses are signed with key B */
			break;
		default:
			return false;
		}
	}
	return true;
}

static const char *entry_letters(struct unwind_reader *reader)
{
	const char *letters = (const char *)reader->at;
	const void *end = memchr(letters, '\0', (size_t)(reader->end - reader->at));

	if (!end) {
		reader->broken = true;
		return "";
	}
	reader->at = (const uint8_t *)end + 1;
	return letters;
}

/* The shared entry; *sized: functions' entries have a length of their augmentation. */
static int entry_read_shared(const struct unwind_cfi *cfi, uint64_t at,
			     struct unwind_function *function, bool *sized)
{
	struct unwind_reader *reader = &function->shared;
	const char *letters;
	uint64_t version, length;
	struct entry entry;

	if (at >= cfi->frames.size || entry_cut(cfi, (uint32_t)at, &entry) || !entry.is_shared)
		return -EBADMSG;
	*reader = entry.rest;
	version = unwind_read(reader, 1);
	letters = entry_letters(reader);
	if (version == 4)
		unwind_read(reader, 2); /* sizes of addresses and of segments */
	function->code_align = unwind_uleb(reader);
	function->data_align = unwind_sleb(reader);
	function->return_register =
		(uint32_t)(version == 1 ? unwind_read(reader, 1) : unwind_uleb(reader));
	*sized = letters[0] == 'z';
	if (*sized) {
		length = unwind_uleb(reader);
		if (length > (size_t)(reader->end - reader->at))
			return -EBADMSG;
		entry.rest = (struct unwind_reader){ reader->base, reader->at, reader->at + length,
						     reader->broken };
		reader->at += length;
		if (!entry_augmentation(cfi, letters + 1, &entry.rest, function) ||
		    entry.rest.broken)
			return -EBADMSG;
	}
	return reader->broken || (letters[0] && !*sized) ? -EBADMSG : 0;
}

int unwind_entry_read(const struct unwind_cfi *cfi, uint32_t at, struct unwind_function *function)
{
	struct unwind_reader *reader = &function->own;
	struct entry entry;
	uint64_t length;
	bool sized;
	int err = entry_cut(cfi, at, &entry);

	if (err || entry.is_shared)
		return err ? err : -ENOENT;
	memset(function, 0, sizeof(*function));
	err = entry_read_shared(cfi, cfi->for_debuggers ? entry.id : entry.id_at - entry.id,
				function, &sized);
	if (err)
		return err;
	*reader = entry.rest;
	function->start = unwind_pointer(cfi, reader, function->encoding);
	function->end =
		function->start + pointer_value(cfi, reader, function->encoding & POINTER_FORM);
	if (sized) {
		length = unwind_uleb(reader);
		if (length > (size_t)(reader->end - reader->at))
			return -EBADMSG;
		reader->at += length;
	}
	return reader->broken || function->end < function->start ? -EBADMSG : 0;
}
