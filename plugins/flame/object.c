/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapped files and their functions; see object.h. Opening them is in object_open.c. */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object.h"
#include "object_debug.h"
#include "object_mini.h"
#include "object_open.h"

/* So many processes are asked for a file that could not be reached. */
enum { OBJECT_TRIES = 16 };

static char *object_path(const char *path)
{
	static const char deleted[] = " (deleted)";
	size_t length = strlen(path), tail = sizeof(deleted) - 1;

	if (length > tail && strcmp(path + length - tail, deleted) == 0)
		length -= tail;
	return strndup(path, length);
}

static struct object *objects_add(struct objects *objects, const struct weir_mapping *mapping)
{
	struct object *object = calloc(1, sizeof(*object));

	if (!object)
		return NULL;
	object->id = mapping->id;
	object->path = object_path(mapping->path);
	if (objects->count == objects->capacity) {
		uint32_t capacity = objects->capacity ? objects->capacity * 2 : 64;
		struct object **items =
			reallocarray(objects->items, capacity, sizeof(struct object *));

		objects->items = items ? items : objects->items;
		objects->capacity = items ? capacity : objects->capacity;
	}
	if (!object->path || objects->count == objects->capacity ||
	    intmap_add(&objects->ids, mapping->id, 0, objects->count + 1)) {
		free(object->path);
		free(object);
		return NULL;
	}
	objects->items[objects->count++] = object;
	return object;
}

/*
 * What was stripped off: in a debug file that is here, in the small table that was left, or in a debug
 * file that is fetched.
 */
static int object_read_stripped(struct object *object, const struct objects *objects, int root,
				const struct weir_mapping *mapping, const struct elf *elf)
{
	struct object_place place = { root, mapping->alive ? mapping->pid : 0, object->path, NULL };
	int err = object_debug_symbols(&place, elf, &object->symbols);

	if (err)
		err = object_mini_symbols(elf, &object->symbols);
	if (err) {
		place.store = &objects->store;
		err = object_debug_symbols(&place, elf, &object->symbols);
	}
	return err;
}

/* The names of a file that is the right one. */
static void object_read_symbols(struct object *object, const struct objects *objects, int root,
				const struct weir_mapping *mapping, const struct elf *elf)
{
	object->stripped = !elf_section_of_type(elf, SHT_SYMTAB) &&
			   object_read_stripped(object, objects, root, mapping, elf);
	if (object->symbols.count == 0 && elf_symbols(elf, &object->symbols) < 0)
		object->state = OBJECT_NAMELESS;
	else
		object->state = OBJECT_NAMED;
}

/* Without debug information there are no inlined frames and lines, which objects_report() tells. */
static void object_read_lines(struct object *object, const struct weir_service *dwarf,
			      const struct weir_mapping *mapping, int fd)
{
	const struct weir_dwarf_v1 *service = dwarf->vtable;
	struct weir_dwarf_file file = { .size = sizeof(file),
					.fd = fd,
					.path = object->path,
					.pid = mapping->alive ? mapping->pid : 0 };

	if (service && service->open(dwarf->ctx, &file, &object->module) < 0)
		object->module = 0;
}

/* Takes over where the file's parts lie. */
static void object_take(struct object *object, struct elf *elf)
{
	object->segments = elf->segments;
	object->segment_count = elf->segment_count;
	elf->segments = NULL;
	object->build_id_size = elf->build_id_size;
	memcpy(object->build_id, elf->build_id, elf->build_id_size);
	elf_clear(elf);
}

static void object_read_vdso(struct object *object, const struct weir_mapping *mapping)
{
	struct elf elf;
	int err = object_open_vdso(mapping, &elf);

	object->state = err == -ESTALE ? OBJECT_CHANGED : OBJECT_NO_FILE;
	if (err)
		return;
	object->state = elf_symbols(&elf, &object->symbols) ? OBJECT_NAMELESS : OBJECT_NAMED;
	object_take(object, &elf);
}

bool object_is_made(const struct object *object)
{
	/* Memory that has a path: only what gave no names there is not a program. */
	static const char *const memory[] = { "/memfd:", "/anon_hugepage", "/dev/zero" };
	const char *path = object->path, *file = strrchr(path, '/');

	if (path[0] != '/' || path[1] == '/')
		return path[0] != '[';
	if (file && strncmp(file, "/jitted-", 8) == 0)
		return true;
	for (size_t i = 0; i < sizeof(memory) / sizeof(memory[0]); i++)
		if (strncmp(path, memory[i], strlen(memory[i])) == 0)
			return object->state != OBJECT_NAMED;
	return false;
}

static void object_read(struct object *object, const struct objects *objects, int root,
			const struct weir_mapping *mapping)
{
	struct elf elf;
	int fd;

	object->tried_pid = mapping->pid;
	object->tries++;
	if (strcmp(object->path, "[vdso]") == 0) {
		object_read_vdso(object, mapping);
		return;
	}
	if (object->path[0] != '/' || object->path[1] == '/') {
		object->state = OBJECT_NO_FILE;
		return;
	}
	if (!mapping->alive && !mapping->build_id_size && !mapping->inode) {
		object->state = OBJECT_UNPROVEN;
		return;
	}
	fd = object_open(root, object->path, mapping, &elf);
	if (fd < 0) {
		object->state = fd == -ESTALE ? OBJECT_CHANGED : OBJECT_UNREACHABLE;
		return;
	}
	object_read_symbols(object, objects, root, mapping, &elf);
	object_read_lines(object, &objects->dwarf, mapping, fd);
	object_take(object, &elf);
	close(fd);
}

struct object *objects_get(struct objects *objects, int root, const struct weir_mapping *mapping)
{
	uint32_t place = intmap_get(&objects->ids, mapping->id, 0);
	struct object *object = place ? objects->items[place - 1] : objects_add(objects, mapping);
	bool retry;

	if (!object)
		return NULL;
	/* Another process may live where the file can still be reached. */
	retry = object->state == OBJECT_UNREACHABLE && object->tried_pid != mapping->pid &&
		object->tries < OBJECT_TRIES;
	if (object->state == OBJECT_UNTRIED || retry) {
		object_read(object, objects, root, mapping);
		objects->bytes += symbols_bytes(&object->symbols);
	}
	return object;
}

void objects_clear(struct objects *objects)
{
	struct weir_service dwarf = objects->dwarf, store = objects->store;
	const struct weir_dwarf_v1 *service = dwarf.vtable;

	while (objects->count) {
		struct object *object = objects->items[--objects->count];

		if (service)
			service->close(dwarf.ctx, object->module);
		symbols_clear(&object->symbols);
		free(object->segments);
		free(object->path);
		free(object);
	}
	free(objects->items);
	intmap_clear(&objects->ids);
	memset(objects, 0, sizeof(*objects));
	objects->dwarf = dwarf;
	objects->store = store;
}

bool object_address(const struct object *object, uint64_t offset, uint64_t *address)
{
	struct elf view = { .segments = object->segments, .segment_count = object->segment_count };

	return elf_address(&view, offset, address);
}

const struct symbol *object_find(const struct object *object, uint64_t offset, uint64_t *address)
{
	if (object->state != OBJECT_NAMED || !object_address(object, offset, address))
		return NULL;
	return symbols_find(&object->symbols, *address);
}
