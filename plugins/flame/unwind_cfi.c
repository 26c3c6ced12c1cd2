/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding the entry of an address; see unwind_cfi.h. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind_cfi.h"

enum {
	TABLE_HEAD = 4,     /* a version and three encodings */
	TABLE_ITEM = 8,     /* where code begins, where its entry is */
	TABLE_KIND = 0x3b,  /* both: signed, of 32 bits, counted from the section's own begin */
	TABLE_COUNT = 0x03, /* unsigned, of 32 bits */
};

static int cfi_section(const struct elf *elf, const char *name, struct unwind_section *section)
{
	const struct elf_section *found = elf_section_named(elf, name);

	if (!found || found->type == SHT_NOBITS || !found->bytes)
		return -ENOENT;
	if (found->bytes > UNWIND_SECTION_MAX || found->bytes > elf->source.size)
		return -EFBIG;
	section->bytes = malloc(found->bytes);
	if (!section->bytes)
		return -ENOMEM;
	section->size = found->bytes;
	section->address = found->address;
	return elf_read(elf, found->offset, section->bytes, section->size);
}

static int32_t table_value(const struct unwind_cfi *cfi, uint32_t item, uint32_t which)
{
	int32_t value;

	memcpy(&value, cfi->table.bytes + TABLE_HEAD + 8 + (size_t)item * TABLE_ITEM + which * 4,
	       sizeof(value));
	return value;
}

static uint64_t table_start(const struct unwind_cfi *cfi, uint32_t item)
{
	return cfi->table.address + (uint64_t)(int64_t)table_value(cfi, item, 0);
}

/* Whether the table has the one form that linkers write, and is in order. */
static bool table_is_sound(struct unwind_cfi *cfi)
{
	const uint8_t *bytes = cfi->table.bytes;
	uint32_t count;

	/* The pointer before the count has 32 bits, too. */
	if (cfi->table.size < TABLE_HEAD + 8 || bytes[0] != 1 || (bytes[1] & 0x07) != 0x03 ||
	    bytes[2] != TABLE_COUNT || bytes[3] != TABLE_KIND)
		return false;
	memcpy(&count, bytes + TABLE_HEAD + 4, sizeof(count));
	if (!count || count > (cfi->table.size - TABLE_HEAD - 8) / TABLE_ITEM)
		return false;
	cfi->entry_count = count;
	for (uint32_t i = 1; i < count; i++)
		if (table_value(cfi, i - 1, 0) > table_value(cfi, i, 0))
			return false;
	return true;
}

static int cfi_add_entry(struct unwind_cfi *cfi, uint64_t start, uint32_t at)
{
	if (cfi->entry_count == cfi->entry_capacity) {
		uint32_t capacity = cfi->entry_capacity ? cfi->entry_capacity * 2 : 256;
		void *entries = reallocarray(cfi->entries, capacity, sizeof(*cfi->entries));

		if (!entries)
			return -ENOMEM;
		cfi->entries = entries;
		cfi->entry_capacity = capacity;
	}
	cfi->entries[cfi->entry_count++] = (struct unwind_entry){ .start = start, .at = at };
	return 0;
}

static int cfi_compare(const void *left, const void *right)
{
	const struct unwind_entry *a = left, *b = right;

	return (a->start > b->start) - (a->start < b->start);
}

/* Without a table of the linker's, one of our own. What cannot be read is left out. */
static int cfi_list_entries(struct unwind_cfi *cfi)
{
	struct unwind_function function;
	uint32_t at = 0, next;
	int err = 0;

	cfi->entry_count = 0;
	for (; !err && unwind_entry_next(cfi, &at, &next); at = next)
		if (unwind_entry_read(cfi, at, &function) == 0 && function.end > function.start)
			err = cfi_add_entry(cfi, function.start, at);
	if (cfi->entry_count)
		qsort(cfi->entries, cfi->entry_count, sizeof(*cfi->entries), cfi_compare);
	return err;
}

int unwind_cfi_read(struct unwind_cfi *cfi, const struct elf *elf, bool for_debuggers)
{
	int err = cfi_section(elf, for_debuggers ? ".debug_frame" : ".eh_frame", &cfi->frames);

	cfi->for_debuggers = for_debuggers;
	cfi->wide = elf->wide;
	if (err)
		return err;
	if (!for_debuggers) {
		err = cfi_section(elf, ".eh_frame_hdr", &cfi->table);
		if (err == -ENOMEM)
			return err;
		if (!err && table_is_sound(cfi))
			return 0;
		free(cfi->table.bytes);
		memset(&cfi->table, 0, sizeof(cfi->table));
	}
	return cfi_list_entries(cfi);
}

void unwind_cfi_clear(struct unwind_cfi *cfi)
{
	free(cfi->frames.bytes);
	free(cfi->table.bytes);
	free(cfi->entries);
	memset(cfi, 0, sizeof(*cfi));
}

static uint64_t cfi_start(const struct unwind_cfi *cfi, uint32_t nth)
{
	return cfi->table.size ? table_start(cfi, nth) : cfi->entries[nth].start;
}

uint32_t unwind_cfi_count(const struct unwind_cfi *cfi)
{
	return cfi->entry_count;
}

int unwind_cfi_nth(const struct unwind_cfi *cfi, uint32_t nth, struct unwind_function *function)
{
	uint64_t at;

	if (!cfi->table.size)
		return unwind_entry_read(cfi, cfi->entries[nth].at, function);
	at = cfi->table.address + (uint64_t)(int64_t)table_value(cfi, nth, 1) - cfi->frames.address;
	return at < cfi->frames.size ? unwind_entry_read(cfi, (uint32_t)at, function) : -EBADMSG;
}

int unwind_cfi_find(const struct unwind_cfi *cfi, uint64_t address,
		    struct unwind_function *function)
{
	uint32_t low = 0, high = cfi->entry_count;
	int err;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (cfi_start(cfi, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return -ENOENT;
	err = unwind_cfi_nth(cfi, low - 1, function);
	if (err)
		return err;
	return address >= function->start && address < function->end ? 0 : -ENOENT;
}
