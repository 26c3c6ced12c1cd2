/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pprof: names of addresses that the profile has none for, as old ones and those of stripped programs
 * do. They are those of the file that was mapped, where a build-id tells that it is still there, or
 * the user does.
 */
#include <stdlib.h>

#include "file_pprof.h"
#include "file_resolve.h"
#include "hex.h"
#include "pprof.h"

struct pprof_names {
	struct resolve *resolve;
	struct weir_mapping mapping; /* that `resolve` asks for */
	struct weir_ctx self;
	char *path; /* of that mapping */
};

/* The service that `resolve` asks. */
static int names_mapping(struct weir_ctx *self, uint32_t pid, uint64_t time, uint64_t address,
			 struct weir_mapping *mapping)
{
	const struct pprof_names *names = self->state;

	(void)pid;
	(void)time;
	if (address < names->mapping.start || address >= names->mapping.end)
		return -ENOENT;
	*mapping = names->mapping;
	return 0;
}

static const struct weir_process_v1 names_service = {
	.size = sizeof(struct weir_process_v1),
	.mapping = names_mapping,
};

static struct pprof_names *names_open(struct file *file)
{
	struct pprof_reading *reading = file->reading;
	struct pprof_names *names = reading->names;

	if (names)
		return names;
	names = calloc(1, sizeof(*names));
	if (!names)
		return NULL;
	reading->names = names;
	names->resolve = file_resolve_new(file);
	if (!names->resolve)
		return NULL;
	names->self = (struct weir_ctx){ .size = sizeof(names->self), .state = names };
	names->resolve->process = (struct weir_service){ &names_service, &names->self };
	names->resolve->once = false;
	return names;
}

void pprof_names_forget(struct pprof_reading *reading)
{
	struct pprof_names *names = reading->names;

	if (names)
		memset(names->resolve->cache, 0, sizeof(names->resolve->cache));
}

void pprof_names_close(const struct file *file, struct pprof_reading *reading)
{
	struct pprof_names *names = reading->names;

	if (!names)
		return;
	file_resolve_free(file, names->resolve);
	free(names->path);
	free(names);
	reading->names = NULL;
}

void pprof_names_report(const struct file *file, struct pprof_reading *reading)
{
	if (reading->names)
		objects_report(file->ctx, &reading->names->resolve->objects);
}

/* Digits of a build-id; some tools write other things there, which say nothing of a file. */
static void names_build_id(const struct pprof_span *text, struct weir_mapping *mapping)
{
	if (text->count % 2 || text->count / 2 > sizeof(mapping->build_id))
		return;
	for (size_t i = 0; i < text->count; i += 2) {
		int high = hex_digit((char)text->bytes[i]);
		int low = hex_digit((char)text->bytes[i + 1]);

		if (high < 0 || low < 0)
			return;
		mapping->build_id[i / 2] = (uint8_t)(high << 4 | low);
	}
	mapping->build_id_size = (uint32_t)(text->count / 2);
}

static int names_numbers(const struct pprof_span *span, struct weir_mapping *mapping,
			 uint64_t *build_id)
{
	int err = pprof_number(span, PPROF_MAPPING_START, &mapping->start);

	if (!err)
		err = pprof_number(span, PPROF_MAPPING_END, &mapping->end);
	if (!err)
		err = pprof_number(span, PPROF_MAPPING_OFFSET, &mapping->file_offset);
	return err ? err : pprof_number(span, PPROF_MAPPING_BUILD_ID, build_id);
}

/* Makes the profile's mapping the one that is asked for. 0 or a negative errno. */
static int names_choose(const struct file *file, struct pprof_names *names,
			const struct pprof_span *span, const struct pprof_span *path)
{
	const struct pprof_reading *reading = file->reading;
	uint64_t id = (uint64_t)(span - reading->mappings.items) + 1, build_id = 0;
	struct weir_mapping mapping = { .size = sizeof(mapping), .id = id, .executable = 1 };
	struct pprof_span text;
	int err;

	if (names->mapping.id == id)
		return 0;
	err = names_numbers(span, &mapping, &build_id);
	if (err)
		return err;
	free(names->path);
	names->mapping.id = 0;
	names->path = strndup((const char *)path->bytes, path->count);
	if (!names->path)
		return -ENOMEM;
	mapping.path = names->path;
	text = pprof_text(reading, build_id);
	names_build_id(&text, &mapping);
	file_resolve_trust(file, &mapping);
	names->mapping = mapping;
	return 0;
}

int pprof_name_frame(struct file *file, const struct pprof_span *mapping,
		     const struct pprof_span *path, struct weir_frame *frame)
{
	const struct resolve_moment moment = { 0 };
	struct pprof_names *names = names_open(file);
	const struct object *object;
	struct weir_frame named = *frame;
	int err = names ? names_choose(file, names, mapping, path) : -ENOMEM;

	if (err)
		return err;
	names->resolve->names = file->profile.names;
	err = resolve_user(file->ctx, names->resolve, &moment, &named, &object);
	if (err < 0)
		return err;
	if (named.symbol || names->resolve->chain_count)
		*frame = named;
	return 0;
}

const struct weir_frame *pprof_names_inlined(const struct pprof_reading *reading, uint32_t *count)
{
	*count = reading->names ? reading->names->resolve->chain_count : 0;
	return reading->names ? reading->names->resolve->chain : NULL;
}
