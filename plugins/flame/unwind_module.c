/* SPDX-License-Identifier: BSD-2-Clause */
/* Files with tables of call frames, and answers out of them; see unwind_module.h. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "object_debug.h"
#include "object_open.h"
#include "unwind_module.h"

enum {
	MODULE_TRIES = 16,
	MODULE_LOOKED_AT = 256, /* functions, before it is said whether they keep frame pointers */
	MODULE_ANSWERS_MAX = 1 << 18,
	MODULE_ROWS_MAX = 1 << 15,
	MODULE_DEBUG = 1 << 24, /* in a row's owner: its expressions are in .debug_frame */
};

#define MODULE_BYTES_MAX ((size_t)256 << 20)

static void module_free(struct unwind_module *module)
{
	if (!module)
		return;
	unwind_cfi_clear(&module->exceptions);
	unwind_cfi_clear(&module->debug);
	free(module->segments);
	free(module);
}

void unwind_modules_clear(struct unwind_modules *modules)
{
	while (modules->count)
		module_free(modules->items[--modules->count]);
	free(modules->items);
	free(modules->rows);
	intmap_clear(&modules->ids);
	intmap_clear(&modules->answers);
	intmap_clear(&modules->row_hashes);
	memset(modules, 0, sizeof(*modules));
}

void unwind_modules_bound(struct unwind_modules *modules)
{
	if (modules->bytes > MODULE_BYTES_MAX || modules->row_count > MODULE_ROWS_MAX ||
	    modules->answers.count > MODULE_ANSWERS_MAX)
		unwind_modules_clear(modules);
}

static struct unwind_module *modules_add(struct unwind_modules *modules, uint64_t id)
{
	struct unwind_module *module;

	if (modules->count == modules->capacity) {
		uint32_t capacity = modules->capacity ? modules->capacity * 2 : 64;
		struct unwind_module **items =
			reallocarray(modules->items, capacity, sizeof(struct unwind_module *));

		if (!items)
			return NULL;
		modules->items = items;
		modules->capacity = capacity;
	}
	module = calloc(1, sizeof(*module));
	if (!module || intmap_add(&modules->ids, id, 0, modules->count + 1)) {
		free(module);
		return NULL;
	}
	modules->items[modules->count++] = module;
	return module;
}

/* The register that functions keep a frame pointer in, by the machine. */
static uint32_t module_frame_register(uint16_t machine)
{
	return machine == EM_AARCH64 ? 29 : 6;
}

/* How a function finds its caller once it is under way. 1: by a frame pointer, -1: otherwise, 0: it
 * has no frame worth the name. */
static int module_function_keeps(const struct unwind_cfi *cfi, uint32_t nth, uint32_t frame)
{
	struct unwind_function function;
	struct unwind_row row;
	uint64_t middle;

	if (unwind_cfi_nth(cfi, nth, &function))
		return 0;
	middle = function.start + (function.end - function.start) / 2;
	if (unwind_row_find(cfi, &function, middle, &row) || row.cfa_kind != UNWIND_REGISTER)
		return 0;
	if (row.cfa_register == frame)
		return 1;
	return row.cfa_value > 16 ? -1 : 0;
}

/* Most functions of a file are built alike. */
static bool module_keeps(const struct unwind_cfi *cfi, uint16_t machine)
{
	uint32_t count = unwind_cfi_count(cfi), frame = module_frame_register(machine);
	uint32_t step = count / MODULE_LOOKED_AT + 1, by_pointer = 0, otherwise = 0;

	for (uint32_t nth = 0; nth < count; nth += step) {
		int keeps = module_function_keeps(cfi, nth, frame);

		by_pointer += keeps > 0;
		otherwise += keeps < 0;
	}
	return by_pointer >= otherwise * 4 && by_pointer;
}

static bool module_has_debug_frame(const struct elf *elf)
{
	const struct elf_section *section = elf_section_named(elf, ".debug_frame");

	return section && section->type != SHT_NOBITS;
}

/* A debug file's tables are of use only where the file's own do not know the code. */
static int module_read_debug(struct unwind_module *module, int root,
			     const struct weir_mapping *mapping, const struct elf *elf)
{
	struct object_place place = { root, mapping->alive ? mapping->pid : 0, mapping->path };
	struct elf found;
	int fd, err;

	if (module_has_debug_frame(elf))
		return unwind_cfi_read(&module->debug, elf, true);
	if (unwind_cfi_count(&module->exceptions))
		return -ENOENT;
	fd = object_debug_open(&place, elf, module_has_debug_frame, &found);
	if (fd < 0)
		return -ENOENT;
	err = unwind_cfi_read(&module->debug, &found, true);
	elf_clear(&found);
	close(fd);
	return err;
}

static int module_take(struct unwind_module *module, int root, const struct weir_mapping *mapping,
		       struct elf *elf)
{
	int err = unwind_cfi_read(&module->exceptions, elf, false);

	if (err)
		unwind_cfi_clear(&module->exceptions);
	if (err != -ENOMEM)
		err = module_read_debug(module, root, mapping, elf);
	if (err)
		unwind_cfi_clear(&module->debug);
	module->keeps = module_keeps(unwind_cfi_count(&module->exceptions) ? &module->exceptions
									   : &module->debug,
				     elf->machine);
	module->segments = elf->segments;
	module->segment_count = elf->segment_count;
	elf->segments = NULL;
	module->state = UNWIND_READ;
	return err == -ENOMEM ? err : 0;
}

static int module_read(struct unwind_module *module, int root, const struct weir_mapping *mapping)
{
	struct elf elf;
	int fd = -1, err;

	module->tried_pid = mapping->pid;
	module->tries++;
	module->state = UNWIND_NO_FILE;
	module->keeps = true; /* what is made at run time can be walked by no other means */
	module->file_offsets = strcmp(mapping->path, "[vdso]") != 0;
	if (!module->file_offsets) {
		if (object_open_vdso(mapping, &elf))
			return 0;
	} else {
		if (mapping->path[0] != '/' || mapping->path[1] == '/')
			return 0;
		module->state = UNWIND_UNREACHABLE;
		fd = object_open(root, mapping->path, mapping, &elf);
		if (fd < 0)
			return 0;
	}
	err = module_take(module, root, mapping, &elf);
	elf_clear(&elf);
	if (fd >= 0)
		close(fd);
	return err;
}

int unwind_modules_get(struct unwind_modules *modules, int root, const struct weir_mapping *mapping,
		       uint32_t *place)
{
	uint32_t found = intmap_get(&modules->ids, mapping->id, 0);
	struct unwind_module *module =
		found ? modules->items[found - 1] : modules_add(modules, mapping->id);
	int err = 0;

	if (!module)
		return -ENOMEM;
	*place = found ? found - 1 : modules->count - 1;
	if (module->state == UNWIND_UNREAD ||
	    (module->state == UNWIND_UNREACHABLE && module->tried_pid != mapping->pid &&
	     module->tries < MODULE_TRIES)) {
		err = module_read(module, root, mapping);
		modules->bytes +=
			module->exceptions.frames.size + module->exceptions.table.size +
			module->debug.frames.size +
			((size_t)module->exceptions.entry_capacity + module->debug.entry_capacity) *
				sizeof(struct unwind_entry);
	}
	return err;
}

/* 0, -ENOENT or -EBADMSG: the row, out of one section. */
static int module_find(const struct unwind_cfi *cfi, uint64_t address, struct unwind_row *row)
{
	struct unwind_function function;
	int err = unwind_cfi_count(cfi) ? unwind_cfi_find(cfi, address, &function) : -ENOENT;

	return err ? err : unwind_row_find(cfi, &function, address, row);
}

/* A row's place + 1 among all. 0: no memory. */
static uint32_t modules_keep_row(struct unwind_modules *modules, const struct unwind_row *row)
{
	uint64_t hash = 0, word;
	uint32_t place;

	_Static_assert(sizeof(*row) % sizeof(word) == 0, "a row is made of whole words");
	for (size_t at = 0; at < sizeof(*row); at += sizeof(word)) {
		memcpy(&word, (const uint8_t *)row + at, sizeof(word));
		hash = intmap_hash(word, hash);
	}
	place = intmap_get(&modules->row_hashes, hash, 0);
	if (place && memcmp(&modules->rows[place - 1], row, sizeof(*row)) == 0)
		return place;
	if (modules->row_count == modules->row_capacity) {
		uint32_t capacity = modules->row_capacity ? modules->row_capacity * 2 : 64;
		void *rows = reallocarray(modules->rows, capacity, sizeof(*modules->rows));

		if (!rows)
			return 0;
		modules->rows = rows;
		modules->row_capacity = capacity;
	}
	modules->rows[modules->row_count++] = *row;
	if (!place && intmap_add(&modules->row_hashes, hash, 0, modules->row_count))
		return 0;
	return modules->row_count;
}

/* Its place + 1; of an address that nobody knows: of a row with the CFA unsaid. 0: no memory. */
static uint32_t modules_answer(struct unwind_modules *modules, uint32_t place, uint64_t address)
{
	struct unwind_module *module = modules->items[place];
	struct unwind_row row;
	uint32_t owner = place, kept;
	int err = module_find(&module->exceptions, address, &row);

	if (err) {
		owner |= MODULE_DEBUG;
		err = module_find(&module->debug, address, &row);
	}
	if (err)
		memset(&row, 0, sizeof(row));
	row.owner = owner;
	kept = modules_keep_row(modules, &row);
	return kept && !intmap_add(&modules->answers, address, place, kept) ? kept : 0;
}

int unwind_modules_row(struct unwind_modules *modules, uint32_t place, uint64_t offset,
		       const struct unwind_row **row, const struct unwind_cfi **cfi)
{
	const struct unwind_module *module = modules->items[place];
	struct elf view = { .segments = module->segments, .segment_count = module->segment_count };
	uint64_t address;
	uint32_t answer;

	if (module->state != UNWIND_READ || !elf_address(&view, offset, &address))
		return -ENOENT;
	answer = intmap_get(&modules->answers, address, place);
	if (!answer)
		answer = modules_answer(modules, place, address);
	if (!answer)
		return -ENOMEM;
	*row = &modules->rows[answer - 1];
	*cfi = (*row)->owner & MODULE_DEBUG ? &module->debug : &module->exceptions;
	return (*row)->cfa_kind ? 0 : -ENOENT;
}
