/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading jitdump files; see jit_dump.h. */
#include "jit_dump.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DUMP_MAGIC 0x4a695444u

enum {
	DUMP_HEADER = 40,
	DUMP_HEADER_MAX = 4096,
	DUMP_RECORD = 16,             /* id, size, time */
	DUMP_RECORD_MAX = 64 << 20,   /* a larger one is none */
	DUMP_NAME_MAX = 64 << 10,     /* of a record, what is read to find its name */
	DUMP_LOAD = DUMP_RECORD + 40, /* up to its name */
	DUMP_MOVE = DUMP_RECORD + 48
};

enum dump_id { DUMP_ID_LOAD = 0, DUMP_ID_MOVE = 1 };

struct dump_record {
	uint32_t id;
	uint32_t size;
	uint64_t time;
};

static uint32_t dump_u32(const struct jit_dump *dump, const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return dump->swapped ? bswap_32(value) : value;
}

static uint64_t dump_u64(const struct jit_dump *dump, const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return dump->swapped ? bswap_64(value) : value;
}

/* 0; 1: not whole yet; or a negative errno. */
static int dump_header(struct jit_dump *dump, int fd)
{
	uint8_t bytes[DUMP_HEADER];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	uint32_t magic, size;

	if (n < DUMP_HEADER)
		return n < 0 ? -errno : 1;
	memcpy(&magic, bytes, sizeof(magic));
	dump->swapped = magic == bswap_32(DUMP_MAGIC);
	size = dump_u32(dump, bytes + 8);
	if ((magic != DUMP_MAGIC && !dump->swapped) || size < DUMP_HEADER || size > DUMP_HEADER_MAX)
		return -EBADMSG;
	dump->untimed = dump_u64(dump, bytes + 32) & 1;
	dump->offset = size;
	return 0;
}

static int dump_keep(struct jit_dump *dump, const struct jit_code *code, const char *name,
		     size_t length)
{
	int err = code->end > code->start ? jit_codes_add(&dump->codes, code, name, length) : 0;

	if (err == -E2BIG)
		dump->full = true;
	return err == -E2BIG ? 0 : err;
}

/* `size` bytes of the record, from its start. */
static int dump_load(struct jit_dump *dump, const struct dump_record *record, const uint8_t *bytes,
		     size_t size)
{
	struct jit_code code = { .time = record->time };
	const char *name = (const char *)bytes + DUMP_LOAD;

	if (size <= DUMP_LOAD)
		return 0;
	code.start = dump_u64(dump, bytes + 32);
	code.end = code.start + dump_u64(dump, bytes + 40);
	return dump_keep(dump, &code, name, strnlen(name, size - DUMP_LOAD));
}

/* The same code, at another address from now on. */
static int dump_move(struct jit_dump *dump, const struct dump_record *record, const uint8_t *bytes,
		     size_t size)
{
	struct jit_code code = { .time = record->time };
	const struct jit_code *old;
	char *name;
	int err;

	if (size < DUMP_MOVE)
		return 0;
	old = jit_codes_find(&dump->codes, dump_u64(dump, bytes + 32), record->time);
	if (!old)
		return 0;
	code.start = dump_u64(dump, bytes + 40);
	code.end = code.start + dump_u64(dump, bytes + 48);
	/* The table's own memory may move while it takes the name. */
	name = strdup(jit_codes_name(&dump->codes, old));
	if (!name)
		return -ENOMEM;
	err = dump_keep(dump, &code, name, strlen(name));
	free(name);
	return err;
}

static int dump_take(struct jit_dump *dump, int fd, const struct dump_record *record,
		     uint8_t *bytes)
{
	size_t size = record->size < DUMP_NAME_MAX ? record->size : DUMP_NAME_MAX;
	ssize_t n;

	if (record->id != DUMP_ID_LOAD && record->id != DUMP_ID_MOVE)
		return 0;
	n = pread(fd, bytes, size, (off_t)dump->offset);
	if (n < 0)
		return -errno;
	return record->id == DUMP_ID_LOAD ? dump_load(dump, record, bytes, (size_t)n)
					  : dump_move(dump, record, bytes, (size_t)n);
}

/* The next record is whole: 0. 1: not yet, or never. */
static int dump_next(struct jit_dump *dump, int fd, struct dump_record *record)
{
	uint8_t bytes[DUMP_RECORD], last;

	if (pread(fd, bytes, sizeof(bytes), (off_t)dump->offset) < DUMP_RECORD)
		return 1;
	record->id = dump_u32(dump, bytes);
	record->size = dump_u32(dump, bytes + 4);
	record->time = dump->untimed ? 0 : dump_u64(dump, bytes + 8);
	dump->bad = record->size < DUMP_RECORD || record->size > DUMP_RECORD_MAX;
	if (dump->bad)
		return 1;
	return pread(fd, &last, 1, (off_t)(dump->offset + record->size - 1)) == 1 ? 0 : 1;
}

int jit_dump_read(struct jit_dump *dump, int fd)
{
	struct dump_record record;
	uint8_t *bytes;
	int err = 0;

	if (dump->offset == 0)
		err = dump_header(dump, fd);
	if (err || dump->bad)
		return err < 0 ? err : 0;
	bytes = malloc(DUMP_NAME_MAX);
	if (!bytes)
		return -ENOMEM;
	while (!err && dump_next(dump, fd, &record) == 0) {
		err = dump_take(dump, fd, &record, bytes);
		dump->offset += err ? 0 : record.size;
	}
	free(bytes);
	return err;
}

void jit_dump_clear(struct jit_dump *dump)
{
	jit_codes_clear(&dump->codes);
	memset(dump, 0, sizeof(*dump));
}
