/* SPDX-License-Identifier: BSD-2-Clause */
/* The quality of stack walks; see walk.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "walk.h"

enum { WALK_SHOWN = 3 };

static const char *walk_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool walk_is_start(const char *symbol)
{
	static const char *const starts[] = {
		"_start",
		"__libc_start_main",
		"__libc_start_call_main",
		"main",
		"__libc_start_main_impl",
		"start_thread",
		"clone",
		"__clone",
		"clone3",
		"__clone3",
		"thread_start",
		"_dl_start_user",
		"_dl_start",
		"runtime.goexit",
		"runtime.goexit.abi0",
		"runtime.mstart",
		"runtime.rt0_go",
		"runtime.rt0_go.abi0",
		"__clone_internal",
		"__start_thread",
		"_start_c",
	};
	uint32_t i;

	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strcmp(symbol, starts[i]) == 0)
			return true;
	return false;
}

/* Objects whose start code a stripped build does not name. */
static bool walk_is_runtime(const char *object)
{
	static const char *const prefixes[] = { "libc.so",   "libc-2.",     "libc.musl-",
						"ld-linux",  "ld-musl-",    "ld-2.",
						"ld64.so",   "libpthread-", "libpthread.so",
						"ld-linux-", "ld.so" };
	uint32_t i;

	for (i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(object, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

static void walk_blame(struct walk_quality *quality, const char *name, bool unwound,
		       uint64_t stacks)
{
	struct walk_object *object;
	uint32_t i;

	for (i = 0; i < quality->object_count; i++) {
		object = &quality->objects[i];
		if (object->unwound == unwound && strncmp(object->name, name, WALK_NAME - 1) == 0) {
			object->stacks += stacks;
			return;
		}
	}
	if (quality->object_count == WALK_OBJECTS) {
		quality->elsewhere += stacks;
		return;
	}
	object = &quality->objects[quality->object_count++];
	snprintf(object->name, sizeof(object->name), "%s", name);
	object->unwound = unwound;
	object->stacks = stacks;
}

void walk_judge(struct walk_quality *quality, const struct walk_end *end, uint64_t stacks)
{
	const char *object = walk_basename(end->object);

	quality->stacks += stacks;
	if (end->too_deep)
		quality->too_deep += stacks;
	else if (!end->truncated && (walk_is_start(end->symbol) ||
				     (end->caller && !end->symbol[0] && walk_is_runtime(object))))
		quality->complete += stacks;
	else if (!end->truncated && end->nameless)
		quality->unjudged += stacks;
	else
		walk_blame(quality, object[0] ? object : "unknown code", end->unwound, stacks);
}

static int walk_more(const void *left, const void *right)
{
	const struct walk_object *a = left, *b = right;

	if (a->stacks != b->stacks)
		return a->stacks > b->stacks ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* The objects in which stacks of a kind end, the first few of them. Those beyond: *others. */
static int walk_list(const struct walk_quality *quality, bool unwound, char *out, uint32_t size,
		     uint64_t *others)
{
	static const char *const kinds[] = {
		"; cut short for lack of frame pointers: ",
		"; cut short where no call frame information leads on: "
	};
	uint32_t shown = 0;
	int used = 0;

	for (uint32_t i = 0; i < quality->object_count && used >= 0 && (uint32_t)used < size; i++) {
		const struct walk_object *object = &quality->objects[i];

		if (object->unwound != unwound)
			continue;
		if (shown >= WALK_SHOWN)
			*others += object->stacks;
		else
			used += snprintf(out + used, size - (uint32_t)used, "%s%s in %" PRIu64,
					 shown++ ? ", " : kinds[unwound], object->name,
					 object->stacks);
	}
	return used;
}

void walk_describe(struct walk_quality *quality, char *out, uint32_t size)
{
	uint64_t judged = quality->stacks - quality->unjudged, others = quality->elsewhere;
	uint64_t permille = judged ? (quality->complete * 1000 + judged / 2) / judged : 0;
	int used;

	qsort(quality->objects, quality->object_count, sizeof(quality->objects[0]), walk_more);
	if (quality->complete < judged && permille == 1000)
		permille = 999;
	used = snprintf(out, size, "%" PRIu64 ".%" PRIu64 " %% of %" PRIu64 " user stacks complete",
			permille / 10, permille % 10, judged);
	for (int unwound = 0; unwound <= 1 && used > 0 && (uint32_t)used < size; unwound++)
		used += walk_list(quality, unwound, out + used, size - (uint32_t)used, &others);
	if (others && used > 0 && (uint32_t)used < size)
		used += snprintf(out + used, size - (uint32_t)used, ", others in %" PRIu64, others);
	if (quality->too_deep && used > 0 && (uint32_t)used < size)
		snprintf(out + used, size - (uint32_t)used,
			 "; %" PRIu64 " deeper than the source walks", quality->too_deep);
}
