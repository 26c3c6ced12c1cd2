/* SPDX-License-Identifier: BSD-2-Clause */
/* Files that gave no names, or too few: what each costs, why, and what would help; see object.h. */
#include <stdio.h>
#include <stdlib.h>

#include "object.h"
#include "object_package.h"

enum {
	OBJECTS_SAID = 8,
	OBJECTS_SHARE_MIN = 100, /* fewer frames than one in that many are not worth a package */
	OBJECTS_LINE = 1024,
};

static double report_share(const struct objects *objects, uint64_t frames)
{
	return objects->frames ? 100.0 * (double)frames / (double)objects->frames : 0;
}

/* Why it has no names, and the cure. False: nothing is amiss. */
static bool report_reason(int root, const struct object *object, char *out, size_t size)
{
	char cure[OBJECTS_LINE / 2];

	switch (object->state) {
	case OBJECT_CHANGED:
		snprintf(out, size,
			 "what lies there now is not the file that was mapped: put the old one "
			 "back, or start it anew");
		return true;
	case OBJECT_UNREACHABLE:
		snprintf(out, size,
			 "it could not be opened any more: look at the process while it lives, or "
			 "keep the file");
		return true;
	case OBJECT_UNPROVEN:
		snprintf(out, size,
			 "no build-id tells whether the file there is the one that was mapped: "
			 "record with perf record --buildid-mmap, or weir record; convert with "
			 "--trust-files where it is");
		return true;
	case OBJECT_NAMED:
	case OBJECT_NAMELESS:
		break;
	default:
		return false;
	}
	if (!object->stripped)
		return false;
	object_package_cure(root, object, cure, sizeof(cure));
	snprintf(out, size,
		 "it is stripped, and below /usr/lib/debug there is no debug file of it; debug "
		 "symbols would help: %s",
		 cure);
	return true;
}

static int report_compare(const void *a, const void *b)
{
	const struct object *one = *(const struct object *const *)a;
	const struct object *other = *(const struct object *const *)b;

	return one->nameless < other->nameless ? 1 : -(one->nameless > other->nameless);
}

/* Files that are not there tell so however few frames they cost; stripped ones if it matters. */
static bool report_matters(const struct objects *objects, const struct object *object)
{
	bool there = object->state == OBJECT_NAMED || object->state == OBJECT_NAMELESS;

	/* Whose code that is tells its process. */
	if (object_is_made(object) || !object->nameless)
		return false;
	return !there || object->nameless > objects->frames / OBJECTS_SHARE_MIN;
}

/* The list, those first that cost most. */
static void report_nameless(struct weir_ctx *ctx, struct objects *objects,
			    const struct object *const *sorted)
{
	char reason[OBJECTS_LINE];
	uint32_t said = 0, left = 0;
	uint64_t left_frames = 0;

	for (uint32_t i = 0; i < objects->count; i++) {
		const struct object *object = sorted[i];

		if (!report_matters(objects, object))
			continue;
		if (said >= OBJECTS_SAID) {
			left++;
			left_frames += object->nameless;
		} else if (report_reason(ctx->root, object, reason, sizeof(reason))) {
			said++;
			weir_log(ctx, WEIR_LOG_WARNING,
				 "%.1f %% of user frames are in %s and have no name: %s",
				 report_share(objects, object->nameless), object->path, reason);
		}
	}
	if (left)
		weir_log(ctx, WEIR_LOG_WARNING,
			 "%.1f %% of user frames are in %u further files without names",
			 report_share(objects, left_frames), left);
}

/* Files without debug information, where inlined functions or lines are wanted. */
static void report_lineless(struct weir_ctx *ctx, const struct objects *objects)
{
	for (uint32_t i = 0; objects->dwarf.vtable && i < objects->count; i++) {
		const struct object *object = objects->items[i];

		if (object->lineless > objects->looked / OBJECTS_SHARE_MIN && !object->module &&
		    (object->state == OBJECT_NAMED || object->state == OBJECT_NAMELESS))
			weir_log(
				ctx, WEIR_LOG_WARNING,
				"%.1f %% of user frames are in %s and have no lines and no inlined "
				"functions: there is no debug information of it; build it with -g, "
				"or install its package of debug symbols (Debian: -dbgsym or -dbg)",
				100.0 * (double)object->lineless / (double)objects->looked,
				object->path);
	}
}

void objects_report(struct weir_ctx *ctx, struct objects *objects)
{
	struct object **sorted = calloc(objects->count + 1, sizeof(struct object *));

	if (sorted) {
		if (objects->count)
			memcpy(sorted, objects->items, objects->count * sizeof(struct object *));
		qsort(sorted, objects->count, sizeof(struct object *), report_compare);
		report_nameless(ctx, objects, (const struct object *const *)sorted);
	}
	free(sorted);
	report_lineless(ctx, objects);
}
