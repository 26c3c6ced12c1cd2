/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that gave no names, or too few, told to the user with the reason; see object.h. */
#include "object.h"

enum { OBJECTS_SAID = 5 };

/* Fewer frames than one in a hundred are not worth a package. */
enum { OBJECTS_SHARE_MIN = 100 };

/* NULL: nothing is amiss. */
static const char *object_reason(enum object_state state)
{
	switch (state) {
	case OBJECT_CHANGED:
		return "what lies there now is not the file that was mapped";
	case OBJECT_UNREACHABLE:
		return "it could not be opened any more";
	case OBJECT_UNPROVEN:
		return "no build-id tells whether the file there is the one that was mapped";
	default:
		return NULL;
	}
}

/* Files whose own names are stripped off, where that cost many frames their names. */
static void objects_report_stripped(struct weir_ctx *ctx, const struct objects *objects)
{
	for (uint32_t i = 0; i < objects->count; i++) {
		const struct object *object = objects->items[i];

		if (object->stripped && object->nameless > objects->frames / OBJECTS_SHARE_MIN)
			weir_log(ctx, WEIR_LOG_WARNING,
				 "%.1f %% of user frames are in %s and have no name: it is "
				 "stripped, and "
				 "below /usr/lib/debug there is no debug file of it; its package "
				 "of debug "
				 "symbols would help (Debian: -dbgsym or -dbg)",
				 100.0 * (double)object->nameless / (double)objects->frames,
				 object->path);
	}
}

/* Files without debug information, where inlined functions or lines are wanted. */
static void objects_report_lineless(struct weir_ctx *ctx, const struct objects *objects)
{
	for (uint32_t i = 0; objects->dwarf.vtable && i < objects->count; i++) {
		const struct object *object = objects->items[i];

		if (object->lineless > objects->frames / OBJECTS_SHARE_MIN && !object->module &&
		    !object_reason(object->state))
			weir_log(
				ctx, WEIR_LOG_WARNING,
				"%.1f %% of user frames are in %s and have no lines and no inlined "
				"functions: there is no debug information of it; build it with -g, "
				"or install its package of debug symbols (Debian: -dbgsym or -dbg)",
				100.0 * (double)object->lineless / (double)objects->frames,
				object->path);
	}
}

void objects_report(struct weir_ctx *ctx, const struct objects *objects)
{
	uint32_t said = 0;

	for (uint32_t i = 0; i < objects->count; i++) {
		const char *reason = object_reason(objects->items[i]->state);

		/* Whose code that is tells its process. */
		if (object_is_made(objects->items[i]))
			continue;
		if (reason && said++ < OBJECTS_SAID)
			weir_log(ctx, WEIR_LOG_WARNING, "no names from %s: %s",
				 objects->items[i]->path, reason);
	}
	if (said > OBJECTS_SAID)
		weir_log(ctx, WEIR_LOG_WARNING, "no names from %u further files",
			 said - OBJECTS_SAID);
	objects_report_stripped(ctx, objects);
	objects_report_lineless(ctx, objects);
}
