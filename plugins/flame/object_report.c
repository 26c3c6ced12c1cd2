/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that gave no names, told to the user with the reason; see object.h. */
#include "object.h"

enum { OBJECTS_SAID = 5 };

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

void objects_report(struct weir_ctx *ctx, const struct objects *objects)
{
	uint32_t said = 0;

	for (uint32_t i = 0; i < objects->count; i++) {
		const char *reason = object_reason(objects->items[i]->state);

		if (reason && said++ < OBJECTS_SAID)
			weir_log(ctx, WEIR_LOG_WARNING, "no names from %s: %s",
				 objects->items[i]->path, reason);
	}
	if (said > OBJECTS_SAID)
		weir_log(ctx, WEIR_LOG_WARNING, "no names from %u further files",
			 said - OBJECTS_SAID);
}
