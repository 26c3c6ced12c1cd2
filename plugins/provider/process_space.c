/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces over time, and the files that they map. */
#include "process_space.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A daemon whose generations each fork and exit must not make an endless chain. */
#define PROCESS_DEPTH_MAX 16

static uint32_t process_hash(const struct process_mapped *mapped)
{
	uint32_t hash = 2166136261u;

	for (const char *c = mapped->path; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 16777619u;
	for (uint32_t i = 0; i < mapped->build_id_size; i++)
		hash = (hash ^ mapped->build_id[i]) * 16777619u;
	if (mapped->build_id_size == 0)
		hash = (hash ^ (uint32_t)mapped->inode) * 16777619u;
	return hash;
}

static bool process_file_is(const struct process_file *file, const struct process_mapped *mapped,
			    uint32_t hash)
{
	if (file->hash != hash || file->build_id_size != mapped->build_id_size ||
	    strcmp(file->path, mapped->path) != 0)
		return false;
	if (file->build_id_size)
		return memcmp(file->build_id, mapped->build_id, file->build_id_size) == 0;
	return file->inode == mapped->inode && file->device_major == mapped->device_major &&
	       file->device_minor == mapped->device_minor;
}

static int process_store_grow(struct process_store *store)
{
	uint32_t count = store->bucket_count ? store->bucket_count * 2 : 256;
	struct process_file **buckets = calloc(count, sizeof(struct process_file *));

	if (!buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i < store->bucket_count; i++) {
		struct process_file *file, *next;

		for (file = store->buckets[i]; file; file = next) {
			next = file->next;
			file->next = buckets[file->hash & (count - 1)];
			buckets[file->hash & (count - 1)] = file;
		}
	}
	free(store->buckets);
	store->buckets = buckets;
	store->bucket_count = count;
	return 0;
}

static struct process_file *process_file_new(struct process_store *store,
					     const struct process_mapped *mapped, uint32_t hash)
{
	size_t length = strlen(mapped->path);
	struct process_file *file, **bucket;

	if (store->file_count >= store->bucket_count && process_store_grow(store) < 0)
		return NULL;
	file = calloc(1, sizeof(*file) + length + 1);
	if (!file)
		return NULL;
	file->id = ++store->last_id;
	file->inode = mapped->inode;
	file->device_major = mapped->device_major;
	file->device_minor = mapped->device_minor;
	file->hash = hash;
	file->build_id_size = mapped->build_id_size;
	memcpy(file->build_id, mapped->build_id, sizeof(file->build_id));
	memcpy(file->path, mapped->path, length + 1);
	bucket = &store->buckets[hash & (store->bucket_count - 1)];
	file->next = *bucket;
	*bucket = file;
	store->file_count++;
	return file;
}

/* One more reference on the file of that mapping. NULL: no memory. */
static struct process_file *process_file_hold(struct process_store *store,
					      const struct process_mapped *mapped)
{
	uint32_t hash = process_hash(mapped);
	struct process_file *file = NULL;

	if (store->bucket_count)
		file = store->buckets[hash & (store->bucket_count - 1)];
	while (file && !process_file_is(file, mapped, hash))
		file = file->next;
	if (!file)
		file = process_file_new(store, mapped, hash);
	if (!file)
		return NULL;
	/* The kernel tells either a build id or an inode: keep both once both are known. */
	if (!file->inode) {
		file->inode = mapped->inode;
		file->device_major = mapped->device_major;
		file->device_minor = mapped->device_minor;
	}
	file->references++;
	return file;
}

static void process_file_release(struct process_store *store, struct process_file *file)
{
	struct process_file **link;

	if (--file->references)
		return;
	link = &store->buckets[file->hash & (store->bucket_count - 1)];
	while (*link != file)
		link = &(*link)->next;
	*link = file->next;
	store->file_count--;
	free(file);
}

void process_store_clear(struct process_store *store)
{
	free(store->buckets);
	memset(store, 0, sizeof(*store));
}

static void process_space_reach(struct process_space *space, uint32_t from)
{
	uint64_t reach = from ? space->maps[from - 1].reach : 0;

	for (uint32_t i = from; i < space->count; i++) {
		if (space->maps[i].end > reach)
			reach = space->maps[i].end;
		space->maps[i].reach = reach;
	}
}

/* The first map that starts above the address. */
static uint32_t process_space_above(const struct process_space *space, uint64_t address)
{
	uint32_t low = 0, high = space->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (space->maps[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of this space alone: among maps that hold the address, the youngest that existed then. */
static const struct process_map *process_space_own(const struct process_space *space, uint64_t time,
						   uint64_t address)
{
	const struct process_map *best = NULL;

	for (uint32_t i = process_space_above(space, address); i-- > 0;) {
		const struct process_map *map = &space->maps[i];

		if (map->reach <= address)
			break;
		if (map->end > address && map->time <= time && (!best || map->time > best->time))
			best = map;
	}
	return best;
}

const struct process_map *process_space_find(const struct process_space *space, uint64_t time,
					     uint64_t address)
{
	for (; space; space = space->parent) {
		const struct process_map *map = process_space_own(space, time, address);

		if (map)
			return map;
		if (space->forked < time)
			time = space->forked;
	}
	return NULL;
}

int process_space_each(const struct process_space *space, uint64_t time,
		       int (*see)(const struct process_map *map, void *with), void *with)
{
	for (; space; space = space->parent) {
		for (uint32_t i = 0; i < space->count; i++) {
			int seen = space->maps[i].time <= time ? see(&space->maps[i], with) : 0;

			if (seen)
				return seen;
		}
		if (space->forked < time)
			time = space->forked;
	}
	return 0;
}

static bool process_map_covered(const struct process_space *space, uint32_t i, uint64_t before)
{
	const struct process_map *map = &space->maps[i];

	for (uint32_t j = process_space_above(space, map->start); j-- > 0;) {
		const struct process_map *over = &space->maps[j];

		if (over->reach < map->end)
			break;
		if (over->end >= map->end && over->time > map->time && over->time < before)
			return true;
	}
	return false;
}

/* Forgets mappings that newer ones have covered whole for longer than anybody asks back. */
static void process_space_prune(struct process_store *store, struct process_space *space,
				uint64_t before)
{
	uint32_t kept = 0;

	/* Children that were forked earlier may still see the old ones. */
	if (space->references > 1)
		return;
	for (uint32_t i = 0; i < space->count; i++)
		space->maps[i].covered = process_map_covered(space, i, before);
	for (uint32_t i = 0; i < space->count; i++) {
		if (!space->maps[i].covered) {
			space->maps[kept++] = space->maps[i];
			continue;
		}
		process_file_release(store, space->maps[i].file);
		store->map_count--;
	}
	space->count = kept;
	process_space_reach(space, 0);
}

static int process_space_room(struct process_store *store, struct process_space *space,
			      uint64_t now)
{
	uint32_t capacity = space->capacity ? space->capacity * 2 : 8;
	struct process_map *maps;

	if (space->count < space->capacity)
		return 0;
	if (now > store->keep)
		process_space_prune(store, space, now - store->keep);
	if (space->count < space->capacity / 2)
		return 0;
	maps = realloc(space->maps, capacity * sizeof(*maps));
	if (!maps)
		return -ENOMEM;
	space->maps = maps;
	space->capacity = capacity;
	return 0;
}

/* Puts a map in its place; takes over the reference on its file. */
static int process_space_insert(struct process_store *store, struct process_space *space,
				const struct process_map *map)
{
	uint32_t at;

	if (process_space_room(store, space, map->time) < 0) {
		process_file_release(store, map->file);
		return -ENOMEM;
	}
	at = process_space_above(space, map->start);
	memmove(&space->maps[at + 1], &space->maps[at], (space->count - at) * sizeof(*map));
	space->maps[at] = *map;
	space->count++;
	store->map_count++;
	process_space_reach(space, at);
	return 0;
}

int process_space_add(struct process_store *store, struct process_space *space,
		      const struct process_mapped *mapped)
{
	const struct process_map *now;
	struct process_map map = { .time = mapped->time,
				   .start = mapped->start,
				   .end = mapped->end,
				   .offset = mapped->offset };

	if (map.end <= map.start)
		return 0;
	map.file = process_file_hold(store, mapped);
	if (!map.file)
		return -ENOMEM;
	now = process_space_own(space, map.time, map.start);
	if (now && now->file == map.file && now->start == map.start && now->end == map.end &&
	    now->offset == map.offset) {
		process_file_release(store, map.file);
		return 0;
	}
	return process_space_insert(store, space, &map);
}

/* Copies what the chain of parents shows at the moment of the fork, and lets go of it. */
static int process_space_flatten(struct process_store *store, struct process_space *space,
				 const struct process_space *parent)
{
	const struct process_space *from = parent;
	uint64_t time = space->forked;

	for (; from; from = from->parent) {
		for (uint32_t i = 0; i < from->count; i++) {
			struct process_map map = from->maps[i];

			if (map.time > time ||
			    process_space_find(parent, space->forked, map.start) != &from->maps[i])
				continue;
			map.file->references++;
			if (process_space_insert(store, space, &map) < 0)
				return -ENOMEM;
		}
		if (from->forked < time)
			time = from->forked;
	}
	return 0;
}

struct process_space *process_space_new(struct process_store *store, uint64_t begin,
					struct process_space *parent)
{
	struct process_space *space = calloc(1, sizeof(*space));

	if (!space)
		return NULL;
	space->references = 1;
	space->begin = space->forked = begin;
	if (!parent)
		return space;
	space->checked = parent->checked;
	if (parent->depth >= PROCESS_DEPTH_MAX) {
		if (process_space_flatten(store, space, parent) == 0)
			return space;
		process_space_release(store, space);
		return NULL;
	}
	parent->references++;
	space->parent = parent;
	space->depth = parent->depth + 1;
	return space;
}

void process_space_release(struct process_store *store, struct process_space *space)
{
	while (space && --space->references == 0) {
		struct process_space *parent = space->parent;

		for (uint32_t i = 0; i < space->count; i++)
			process_file_release(store, space->maps[i].file);
		store->map_count -= space->count;
		free(space->maps);
		free(space);
		space = parent;
	}
}
