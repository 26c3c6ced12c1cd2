/* SPDX-License-Identifier: BSD-2-Clause */
/* The debug information of one file, asked by address; see dwarf_module.h. */
#include "dwarf_module.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULE_ANSWERS_MAX = 1 << 18 };

int dwarf_module_open(struct dwarf_module *module, int root, const struct weir_service *store,
		      const struct weir_dwarf_file *file)
{
	int err = dwarf_parts_open(module, root, store, file);

	return err ? err : dwarf_units_list(module);
}

static void module_end_part(struct dwarf_part *part)
{
	dwarf_end(part->dwarf);
	elf_end(part->elf);
	if (part->fd >= 0)
		close(part->fd);
}

void dwarf_module_clear(struct dwarf_module *module)
{
	for (uint32_t i = 0; i < module->unit_count; i++)
		dwarf_unit_clear(&module->units[i]);
	free(module->units);
	free(module->ranges.items);
	intmap_clear(&module->answers);
	free(module->first);
	free(module->frames);
	module_end_part(&module->main);
	module_end_part(&module->alternate);
}

static const char *module_linkage(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) &&
	    !dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		return NULL;
	return dwarf_formstring(&attr);
}

/* A place in the source. */
struct module_place {
	const char *source;
	uint32_t line;
};

static uint32_t module_number(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attr;
	Dwarf_Word number;

	if (!dwarf_attr(die, name, &attr) || dwarf_formudata(&attr, &number) || number > INT32_MAX)
		return 0;
	return (uint32_t)number;
}

/* Where an inlined function was called. */
static struct module_place module_call(Dwarf_Die *unit, Dwarf_Die *die)
{
	struct module_place place = { NULL, module_number(die, DW_AT_call_line) };
	Dwarf_Files *files;
	size_t count;

	if (dwarf_getsrcfiles(unit, &files, &count) == 0)
		place.source =
			dwarf_filesrc(files, module_number(die, DW_AT_call_file), NULL, NULL);
	return place;
}

static struct module_place module_line(Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	struct module_place place = { NULL, 0 };
	int number = 0;

	if (!line || dwarf_lineno(line, &number))
		return place;
	place.source = dwarf_linesrc(line, NULL, NULL);
	place.line = number > 0 ? (uint32_t)number : 0;
	return place;
}

static int module_add_frame(struct dwarf_module *module, const struct weir_dwarf_frame *frame)
{
	struct weir_dwarf_frame *frames = dwarf_grow(module->frames, module->frame_count,
						     &module->frame_capacity, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	module->frames = frames;
	frames[module->frame_count++] = *frame;
	return 0;
}

/* The innermost function that was inlined at the address, or the function itself. */
static struct dwarf_scope *module_innermost(const struct dwarf_unit *unit, uint32_t function,
					    uint64_t address)
{
	struct dwarf_scope *scope = &unit->scopes[function];

	for (uint32_t i = scope->end_span; i > scope->first_span; i--) {
		const struct dwarf_range *span = &unit->spans.items[i - 1];

		if (address >= span->start && address < span->end)
			return &unit->scopes[span->place];
	}
	return scope;
}

/* Adds the frames of a unit at an address. 0, -ENOENT or -ENOMEM. */
static int module_add_frames(struct dwarf_module *module, struct dwarf_unit *unit, uint64_t address)
{
	struct module_place place = module_line(&unit->lines, address);
	struct weir_dwarf_frame frame = { .size = sizeof(frame),
					  .source = place.source,
					  .line = place.line };
	const struct dwarf_range *function;
	struct dwarf_scope *scope;
	uint32_t at = UINT32_MAX;
	int err = 0;

	function = dwarf_ranges_next(&unit->functions, address, &at);
	if (!function)
		return frame.source ? module_add_frame(module, &frame) : -ENOENT;
	scope = module_innermost(unit, function->place, address);
	while (!err) {
		frame.name = dwarf_diename(&scope->die);
		frame.linkage = module_linkage(&scope->die);
		frame.flags = scope->inlined ? WEIR_DWARF_INLINED : 0;
		frame.source = place.source;
		frame.line = place.line;
		err = module_add_frame(module, &frame);
		if (!scope->inlined)
			break;
		place = module_call(&unit->code, &scope->die);
		scope = &unit->scopes[scope->parent];
	}
	return err;
}

/* The answer for an address: behind those that are there. */
static int module_answer(struct dwarf_module *module, uint64_t address)
{
	const struct dwarf_range *range;
	uint32_t at = UINT32_MAX;
	int err = -ENOENT;

	while (err == -ENOENT && (range = dwarf_ranges_next(&module->ranges, address, &at))) {
		struct dwarf_unit *unit = &module->units[range->place];

		err = dwarf_unit_read(module, unit);
		if (!err)
			err = module_add_frames(module, unit, address);
	}
	return err == -ENOENT ? 0 : err;
}

static int module_new_answer(struct dwarf_module *module, uint64_t address, uint32_t *place)
{
	uint32_t *first;
	int err;

	if (module->answer_count == MODULE_ANSWERS_MAX) {
		intmap_reset(&module->answers);
		module->answer_count = module->frame_count = 0;
	}
	/* One more than answers: where the next one begins. */
	first = dwarf_grow(module->first, module->answer_count + 1, &module->answer_capacity,
			   sizeof(*first));
	if (!first)
		return -ENOMEM;
	module->first = first;
	first[module->answer_count] = module->frame_count;
	err = module_answer(module, address);
	if (!err)
		err = intmap_add(&module->answers, address, 0, module->answer_count + 1);
	if (err) {
		module->frame_count = first[module->answer_count];
		return err;
	}
	*place = ++module->answer_count;
	first[module->answer_count] = module->frame_count;
	return 0;
}

int dwarf_module_find(struct dwarf_module *module, uint64_t address,
		      const struct weir_dwarf_frame **frames, uint32_t *count)
{
	uint32_t place = intmap_get(&module->answers, address, 0);
	int err = place ? 0 : module_new_answer(module, address, &place);

	if (err)
		return err;
	*count = module->first[place] - module->first[place - 1];
	if (!*count)
		return -ENOENT;
	*frames = module->frames + module->first[place - 1];
	return 0;
}
