/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Units and their functions; see dwarf_module.h. Where the code of a unit lies is told by its own
 * ranges: not all compilers write .debug_aranges. DIEs lie one behind the other, so that a walk which
 * goes back is no walk.
 */
#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_module.h"

enum {
	UNIT_DEPTH = 256,     /* of nested DIEs */
	UNIT_CODE_MIN = 0x10, /* below, and at the top: code that the linker has thrown away */
	UNIT_NO_SCOPE = UINT32_MAX,
};

/* One step of work; false: more than an honest file of that size needs. */
static bool unit_step(struct dwarf_module *module)
{
	if (module->steps == 0)
		module->broken = true;
	else
		module->steps--;
	return !module->broken;
}

/* Adds the ranges of a DIE's code. 0 or -ENOMEM. */
static int unit_add_ranges(struct dwarf_module *module, Dwarf_Die *die, struct dwarf_ranges *ranges,
			   uint32_t place)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t offset = 0;
	int err = 0;

	while (!err && unit_step(module) &&
	       (offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0)
		if (start >= UNIT_CODE_MIN && start < end)
			err = dwarf_ranges_add(ranges, start, end, place);
	return err;
}

static int unit_list(struct dwarf_module *module, Dwarf_Die *lines, Dwarf_Die *code)
{
	struct dwarf_unit *units = dwarf_grow(module->units, module->unit_count,
					      &module->unit_capacity, sizeof(*units));

	if (!units)
		return -ENOMEM;
	module->units = units;
	units[module->unit_count] = (struct dwarf_unit){ .lines = *lines, .code = *code };
	return unit_add_ranges(module, lines, &module->ranges, module->unit_count++);
}

/* A skeleton's other half, or itself where that may not be opened. */
static void unit_join(struct dwarf_module *module, Dwarf_CU *unit, Dwarf_Die *skeleton,
		      Dwarf_Die *code)
{
	*code = *skeleton;
	if (!dwarf_split_is_trusted(module, skeleton) ||
	    dwarf_cu_info(unit, NULL, NULL, NULL, code, NULL, NULL, NULL) || !code->addr) {
		*code = *skeleton;
		module->split_left_out++;
	}
}

int dwarf_units_list(struct dwarf_module *module)
{
	Dwarf_CU *unit = NULL, *next;
	Dwarf_Die lines, code;
	Dwarf_Half version;
	uint8_t type;
	int err = 0;

	while (!err && unit_step(module) &&
	       dwarf_get_units(module->main.dwarf, unit, &next, &version, &type, &lines, NULL) ==
		       0) {
		unit = next;
		if (type != DW_UT_compile && type != DW_UT_skeleton)
			continue;
		code = lines;
		if (type == DW_UT_skeleton)
			unit_join(module, unit, &lines, &code);
		err = unit_list(module, &lines, &code);
	}
	dwarf_ranges_sort(&module->ranges);
	return err;
}

/* The way from the unit down to the DIE at hand. */
struct unit_walk {
	struct dwarf_module *module;
	struct dwarf_unit *unit;
	const void *last; /* address of the DIE seen last */
	uint32_t depth;
	struct {
		Dwarf_Die die;
		uint32_t scope; /* what it lies in */
	} way[UNIT_DEPTH];
};

/* Notes a function. Its place, or UNIT_NO_SCOPE: no memory. */
static uint32_t unit_add_scope(struct dwarf_unit *unit, Dwarf_Die *die, uint32_t parent,
			       bool inlined)
{
	struct dwarf_scope *scopes =
		dwarf_grow(unit->scopes, unit->scope_count, &unit->scope_capacity, sizeof(*scopes));

	if (!scopes)
		return UNIT_NO_SCOPE;
	unit->scopes = scopes;
	scopes[unit->scope_count] = (struct dwarf_scope){ .die = *die,
							  .parent = parent,
							  .first_span = unit->spans.count,
							  .end_span = unit->spans.count,
							  .inlined = inlined };
	return unit->scope_count++;
}

/* The function that an inlined one is in, at last; spans of it end here, for now. */
static void unit_end_spans(struct dwarf_unit *unit, uint32_t scope)
{
	while (unit->scopes[scope].inlined)
		scope = unit->scopes[scope].parent;
	unit->scopes[scope].end_span = unit->spans.count;
}

/* Takes in the DIE at hand; *scope: what its children lie in. 0 or -ENOMEM. */
static int unit_take(struct unit_walk *walk, Dwarf_Die *die, uint32_t *scope)
{
	struct dwarf_unit *unit = walk->unit;
	int tag = dwarf_tag(die), err;
	bool inlined = tag == DW_TAG_inlined_subroutine;
	uint32_t own;

	if (tag != DW_TAG_subprogram && !(inlined && *scope != UNIT_NO_SCOPE))
		return 0;
	own = unit_add_scope(unit, die, *scope, inlined);
	if (own == UNIT_NO_SCOPE)
		return -ENOMEM;
	err = unit_add_ranges(walk->module, die, inlined ? &unit->spans : &unit->functions, own);
	if (inlined)
		unit_end_spans(unit, own);
	*scope = own;
	return err;
}

/* Steps to the next DIE: a child, a sibling, or one of those above. False: that was the last. */
static bool unit_next(struct unit_walk *walk, uint32_t scope)
{
	Dwarf_Die *die = &walk->way[walk->depth].die, child;

	if (dwarf_haschildren(die) > 0 && dwarf_child(die, &child) == 0) {
		if (walk->depth + 1 == UNIT_DEPTH) {
			walk->module->broken = true;
			return false;
		}
		walk->way[++walk->depth].die = child;
		walk->way[walk->depth].scope = scope;
		return true;
	}
	while (walk->depth > 0) {
		die = &walk->way[walk->depth].die;
		if (dwarf_siblingof(die, die) == 0)
			return true;
		walk->depth--;
	}
	return false;
}

/* DIEs follow each other; what comes again is a loop. */
static bool unit_goes_on(struct unit_walk *walk)
{
	const void *address = walk->way[walk->depth].die.addr;

	if (walk->last && (uintptr_t)address <= (uintptr_t)walk->last)
		walk->module->broken = true;
	walk->last = address;
	return unit_step(walk->module);
}

int dwarf_unit_read(struct dwarf_module *module, struct dwarf_unit *unit)
{
	struct unit_walk *walk;
	uint32_t scope;
	int err = 0;

	if (unit->read)
		return 0;
	unit->read = true;
	walk = calloc(1, sizeof(*walk));
	if (!walk)
		return -ENOMEM;
	walk->module = module;
	walk->unit = unit;
	walk->way[0].die = unit->code;
	walk->way[0].scope = UNIT_NO_SCOPE;
	do {
		if (!unit_goes_on(walk))
			break;
		scope = walk->way[walk->depth].scope;
		err = unit_take(walk, &walk->way[walk->depth].die, &scope);
	} while (!err && unit_next(walk, scope));
	free(walk);
	dwarf_ranges_sort(&unit->functions);
	return err;
}

void dwarf_unit_clear(struct dwarf_unit *unit)
{
	free(unit->scopes);
	free(unit->functions.items);
	free(unit->spans.items);
}
