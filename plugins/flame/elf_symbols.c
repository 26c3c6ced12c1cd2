/* SPDX-License-Identifier: BSD-2-Clause */
/* ELF symbol tables: .symtab and .dynsym brought together into one table of functions. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf_draft.h"
#include "elf_file.h"

/* Larger tables than this are no program's: they are not read. */
#define ELF_SYMBOLS_MAX (UINT64_C(256) << 20)
#define ELF_STRINGS_MAX (UINT64_C(512) << 20)

/* Names longer than this are none; reading this much of names ends the reading. */
#define ELF_NAME_MAX   65536u
#define ELF_NAMES_READ (UINT64_C(2) << 30)

enum {
	ELF_TABLES = 2,
	ELF_CHUNK = 512,
	ELF_ALIASES = 64, /* names of one address that are compared */
};

struct elf_strings {
	char *bytes; /* closed by NUL */
	uint64_t size;
};

struct elf_reading {
	const struct elf *elves[ELF_TABLES]; /* that each table is of: .symtab's, .dynsym's */
	struct elf_strings strings[ELF_TABLES];
	struct elf_draft *drafts;
	uint32_t count;
	uint32_t capacity;
	uint64_t names_read; /* bytes: bounds the time that a hostile file can take */
};

static int elf_read_strings(struct elf_reading *reading, uint32_t link, uint32_t table)
{
	const struct elf *elf = reading->elves[table];
	const struct elf_section *section;
	struct elf_strings *strings = &reading->strings[table];

	if (link >= elf->section_count)
		return -EBADMSG;
	section = &elf->sections[link];
	if (section->bytes == 0 || section->bytes > ELF_STRINGS_MAX ||
	    section->bytes > elf->source.size)
		return -EBADMSG;
	strings->bytes = malloc(section->bytes + 1);
	if (!strings->bytes)
		return -ENOMEM;
	strings->bytes[section->bytes] = '\0';
	strings->size = section->bytes;
	return elf_read(elf, section->offset, strings->bytes, section->bytes);
}

static int elf_add_draft(struct elf_reading *reading, const struct elf_draft *draft)
{
	if (reading->count == reading->capacity) {
		uint32_t capacity = reading->capacity ? reading->capacity * 2 : 1024;
		struct elf_draft *drafts =
			realloc(reading->drafts, (size_t)capacity * sizeof(*drafts));

		if (!drafts)
			return -ENOMEM;
		reading->drafts = drafts;
		reading->capacity = capacity;
	}
	reading->drafts[reading->count++] = *draft;
	return 0;
}

/* Labels of the assembler and marks like ARM's $x are no functions. */
static bool elf_is_label(const char *name)
{
	return name[0] == '\0' || name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

static bool elf_is_function(const struct elf_reading *reading, const Elf64_Sym *symbol,
			    uint32_t table)
{
	uint32_t type = ELF64_ST_TYPE(symbol->st_info);
	const struct elf *elf = reading->elves[table];
	const struct elf_section *section;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= elf->section_count)
		return false;
	section = &elf->sections[symbol->st_shndx];
	if (!section->code || symbol->st_value < section->address ||
	    symbol->st_value - section->address >= section->bytes)
		return false;
	return symbol->st_name < reading->strings[table].size &&
	       !elf_is_label(reading->strings[table].bytes + symbol->st_name);
}

/* The length of a name without its version; false: it is too long to be one. */
static bool elf_measure(struct elf_reading *reading, const char *name, uint32_t *length)
{
	size_t whole = strnlen(name, ELF_NAME_MAX);
	const char *version = memchr(name, '@', whole);

	reading->names_read += whole;
	*length = (uint32_t)(version && version > name ? (size_t)(version - name) : whole);
	return whole < ELF_NAME_MAX;
}

static int elf_take_symbol(struct elf_reading *reading, Elf64_Sym *symbol, uint32_t table)
{
	struct elf_draft draft;
	uint32_t length;

	if (reading->elves[table]->machine == EM_ARM)
		symbol->st_value &= ~UINT64_C(1); /* Thumb code */
	if (!elf_is_function(reading, symbol, table) ||
	    !elf_measure(reading, reading->strings[table].bytes + symbol->st_name, &length))
		return 0;
	if (reading->names_read > ELF_NAMES_READ)
		return -EBADMSG;
	draft = (struct elf_draft){
		.address = symbol->st_value,
		.size = symbol->st_size,
		.name = symbol->st_name,
		.length = length,
		.section = symbol->st_shndx,
		.table = (uint8_t)table,
		.local = ELF64_ST_BIND(symbol->st_info) == STB_LOCAL,
	};
	return elf_add_draft(reading, &draft);
}

static void elf_widen(const Elf32_Sym *raw, Elf64_Sym *out)
{
	out->st_name = raw->st_name;
	out->st_info = raw->st_info;
	out->st_other = raw->st_other;
	out->st_shndx = raw->st_shndx;
	out->st_value = raw->st_value;
	out->st_size = raw->st_size;
}

/* Takes `count` symbols from raw bytes of the file's class. */
static int elf_take_chunk(struct elf_reading *reading, const void *raw, size_t count,
			  uint32_t table)
{
	const Elf64_Sym *wide = raw;
	const Elf32_Sym *narrow = raw;
	Elf64_Sym symbol;
	size_t i;
	int err = 0;

	for (i = 0; i < count && !err; i++) {
		if (reading->elves[table]->wide)
			symbol = wide[i];
		else
			elf_widen(&narrow[i], &symbol);
		err = elf_take_symbol(reading, &symbol, table);
	}
	return err;
}

static int elf_read_table(struct elf_reading *reading, uint32_t type, uint32_t table)
{
	const struct elf_section *section = elf_section_of_type(reading->elves[table], type);
	size_t each = reading->elves[table]->wide ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	Elf64_Sym chunk[ELF_CHUNK];
	uint64_t left, at;
	int err;

	if (!section || section->bytes > ELF_SYMBOLS_MAX)
		return 0;
	err = elf_read_strings(reading, section->link, table);
	at = section->offset;
	for (left = section->bytes / each; left && !err;) {
		size_t count = left < ELF_CHUNK ? left : ELF_CHUNK;

		err = elf_read(reading->elves[table], at, chunk, count * each);
		if (!err)
			err = elf_take_chunk(reading, chunk, count, table);
		at += count * each;
		left -= count;
	}
	/* A broken table gives the names it has; the other one may be whole. */
	return err == -ENOMEM ? err : 0;
}

static const char *elf_draft_name(const struct elf_reading *reading, const struct elf_draft *draft)
{
	return reading->strings[draft->table].bytes + draft->name;
}

/* Takes over what an alias has better than the draft that stands for its address. */
static void elf_join_alias(const struct elf_reading *reading, struct elf_draft *draft,
			   const struct elf_draft *alias, uint32_t seen)
{
	bool equal = alias->local == draft->local && alias->size == draft->size;

	if (equal && seen < ELF_ALIASES &&
	    symbols_prefer(elf_draft_name(reading, alias), elf_draft_name(reading, draft))) {
		draft->name = alias->name;
		draft->length = alias->length;
		draft->table = alias->table;
	}
	/* The best name may be that of a label; its code has the alias's size. */
	if (draft->size < alias->size)
		draft->size = alias->size;
}

/* Joins aliases; drops labels without a size that lie inside of a function. */
static void elf_join_aliases(struct elf_reading *reading)
{
	uint64_t covered = 0; /* up to here lies a function with a size */
	uint32_t i, kept = 0, seen = 0;

	for (i = 0; i < reading->count; i++) {
		const struct elf_draft *draft = &reading->drafts[i];
		uint64_t end = draft->address + draft->size;

		if (kept && reading->drafts[kept - 1].address == draft->address) {
			elf_join_alias(reading, &reading->drafts[kept - 1], draft, seen++);
		} else if (draft->size || draft->address >= covered) {
			reading->drafts[kept++] = *draft;
			seen = 0;
		}
		if (end > draft->address && end > covered)
			covered = end;
	}
	reading->count = kept;
}

/* A size of 0 reaches to the next function; no size goes beyond the section. */
static uint32_t elf_size_of(const struct elf_reading *reading, uint32_t i)
{
	const struct elf_draft *draft = &reading->drafts[i];
	const struct elf_section *section = &reading->elves[draft->table]->sections[draft->section];
	uint64_t room = section->bytes - (draft->address - section->address);
	uint64_t size = draft->size ? draft->size : room;

	if (draft->size == 0 && i + 1 < reading->count && draft[1].address - draft->address < size)
		size = draft[1].address - draft->address;
	if (size > room)
		size = room;
	return size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static int elf_fill(const struct elf_reading *reading, struct symbols *symbols)
{
	uint64_t names_size = 0;
	uint32_t i;

	for (i = 0; i < reading->count; i++)
		names_size += (uint64_t)reading->drafts[i].length + 1;
	if (names_size > UINT32_MAX)
		return -EBADMSG;
	symbols->items = malloc((reading->count + 1) * sizeof(*symbols->items));
	symbols->names = malloc(names_size + 1);
	if (!symbols->items || !symbols->names)
		return -ENOMEM;
	for (i = 0; i < reading->count; i++) {
		const char *name = elf_draft_name(reading, &reading->drafts[i]);
		uint32_t length = reading->drafts[i].length;

		symbols->items[i] = (struct symbol){ reading->drafts[i].address,
						     elf_size_of(reading, i), symbols->names_size };
		memcpy(symbols->names + symbols->names_size, name, length);
		symbols->names[symbols->names_size + length] = '\0';
		symbols->names_size += length + 1;
	}
	symbols->count = reading->count;
	return 0;
}

int elf_symbols(const struct elf *elf, struct symbols *symbols)
{
	return elf_symbols_with(elf, elf, symbols);
}

int elf_symbols_with(const struct elf *elf, const struct elf *more, struct symbols *symbols)
{
	struct elf_reading reading = { .elves = { more, elf } };
	int err;

	memset(symbols, 0, sizeof(*symbols));
	err = elf_read_table(&reading, SHT_SYMTAB, 0);
	if (!err)
		err = elf_read_table(&reading, SHT_DYNSYM, 1);
	if (!err && reading.count == 0)
		err = -ENOENT;
	if (!err)
		err = elf_draft_sort(&reading.drafts, reading.count);
	if (!err) {
		elf_join_aliases(&reading);
		err = elf_fill(&reading, symbols);
	}
	if (err)
		symbols_clear(symbols);
	free(reading.drafts);
	free(reading.strings[0].bytes);
	free(reading.strings[1].bytes);
	return err;
}
