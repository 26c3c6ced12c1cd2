/* SPDX-License-Identifier: BSD-2-Clause */
/* All cgroups at one time; see tree.h. */
#include <weir/cgroup.h>

#include "tree.h"

#define LIMITS_PERIOD_NS (10 * (uint64_t)WEIR_SECOND)

static void cgroup_mount_add(struct cgroup_mounts *mounts, const char *folder, uint32_t controllers)
{
	struct cgroup_mount *mount = &mounts->items[mounts->count];

	if (!controllers || mounts->count == CGROUP_CONTROLLERS)
		return;
	snprintf(mount->folder, sizeof(mount->folder), "%s", folder);
	mount->controllers = controllers;
	mounts->count++;
}

/* A hierarchy that is mounted twice is read once. */
static void cgroup_mount_note(const struct weir_cgroup_mount *mounted, void *data)
{
	struct cgroup_mounts *mounts = data;
	uint32_t controllers = mounted->version == 2 ? 1u << CGROUP_V2 : 0, known = 0;

	for (uint32_t i = 0; i < mounts->count; i++)
		known |= mounts->items[i].controllers;
	for (uint32_t i = CGROUP_CPU; i < CGROUP_CONTROLLERS; i++)
		if (weir_cgroup_mount_has(mounted, cgroup_controllers[i]))
			controllers |= 1u << i;
	cgroup_mount_add(mounts, mounted->folder, controllers & ~known);
}

static int cgroup_mount_order(const void *a, const void *b)
{
	uint32_t left = ((const struct cgroup_mount *)a)->controllers;
	uint32_t right = ((const struct cgroup_mount *)b)->controllers;

	return (left > right) - (left < right);
}

int cgroup_mounts_find(struct weir_ctx *ctx, struct cgroup_mounts *mounts)
{
	int err;

	mounts->count = 0;
	err = weir_cgroup_each_mount(ctx, cgroup_mount_note, mounts);
	if (err)
		return weir_fail(ctx, err, "read /proc/self/mountinfo");
	if (mounts->count == 0)
		return weir_fail(ctx, -ENOENT,
				 "no cgroup hierarchy is mounted: "
				 "mount -t cgroup2 none /sys/fs/cgroup");
	qsort(mounts->items, mounts->count, sizeof(mounts->items[0]), cgroup_mount_order);
	return 0;
}

/* A slash sorts before all other bytes, so that "/a/b" comes before "/a-b". */
int cgroup_compare(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	if (*a == '/' || *b == '/')
		return *a == '/' ? (*b ? -1 : 1) : (*a ? 1 : -1);
	return (unsigned char)*a - (unsigned char)*b;
}

static int cgroup_entry_order(const void *a, const void *b)
{
	return cgroup_compare(((const struct cgroup_entry *)a)->path,
			      ((const struct cgroup_entry *)b)->path);
}

/* What a walk through one hierarchy fills. */
struct cgroup_reading {
	struct cgroup_sample *sample;
	const struct cgroup_sample *old; /* the one before, or NULL */
	const struct cgroup_mounts *mounts;
	struct weir_buffer *buffer;
	uint8_t mount;
	bool limits;     /* are read */
	uint32_t sorted; /* entries of earlier hierarchies */
};

static struct cgroup_entry *cgroup_entry_add(struct cgroup_sample *sample, const char *path)
{
	struct cgroup_entry *entry;

	if (sample->count == sample->capacity) {
		uint32_t capacity = sample->capacity ? sample->capacity * 2 : 64;
		void *grown = reallocarray(sample->entries, capacity, sizeof(*sample->entries));

		if (!grown)
			return NULL;
		sample->entries = grown;
		sample->capacity = capacity;
	}
	entry = &sample->entries[sample->count];
	memset(entry->id, 0, sizeof(entry->id));
	cgroup_values_clear(&entry->values);
	entry->path = strdup(path);
	return entry->path ? (sample->count++, entry) : NULL;
}

static struct cgroup_entry *cgroup_entry_find(const struct cgroup_entry *entries, uint32_t count,
					      const char *path)
{
	struct cgroup_entry key = { .path = (char *)(uintptr_t)path };

	return count ? bsearch(&key, entries, count, sizeof(key), cgroup_entry_order) : NULL;
}

static const struct cgroup_values *cgroup_known(const struct cgroup_reading *reading,
						const char *path, uint64_t id)
{
	const struct cgroup_entry *known =
		reading->old ? cgroup_entry_find(reading->old->entries, reading->old->count, path)
			     : NULL;

	return known && known->id[reading->mount] == id ? &known->values : NULL;
}

static int cgroup_visit(struct weir_cgroup_walk *walk, int parent, const char *name,
			const struct stat *status)
{
	struct cgroup_reading *reading = walk->data;
	struct cgroup_sample *sample = reading->sample;
	const char *path = weir_cgroup_walk_path(walk);
	struct cgroup_entry *entry = cgroup_entry_find(sample->entries, reading->sorted, path);
	const uint64_t id = status->st_ino;
	const struct cgroup_values *known = cgroup_known(reading, path, id);
	const struct cgroup_place place = {
		.parent = parent,
		.name = name,
		.controllers = reading->mounts->items[reading->mount].controllers,
		.mount = reading->mount,
		.limits = reading->limits || !known,
	};

	if (!entry)
		entry = cgroup_entry_add(sample, path);
	if (!entry)
		return -ENOMEM;
	entry->id[reading->mount] = id;
	sample->unreadable += cgroup_files_read(&place, known, reading->buffer, &entry->values);
	return 0;
}

static void cgroup_sample_clear(struct cgroup_sample *sample)
{
	for (uint32_t i = 0; i < sample->count; i++)
		free(sample->entries[i].path);
	sample->count = sample->unreadable = 0;
}

void cgroup_sample_release(struct cgroup_sample *sample)
{
	cgroup_sample_clear(sample);
	free(sample->entries);
	memset(sample, 0, sizeof(*sample));
}

/* Reads one hierarchy. One that is not there (a recorded tree may hold only some) has no cgroups. */
static int cgroup_mount_read(struct weir_ctx *ctx, struct cgroup_reading *reading)
{
	struct cgroup_sample *sample = reading->sample;
	const char *folder = reading->mounts->items[reading->mount].folder;
	int err = weir_cgroup_walk(ctx, folder, cgroup_visit, reading);

	if (err && err != -ENOENT)
		return weir_fail(ctx, err, "read cgroups at /%s", folder);
	if (sample->count > reading->sorted)
		qsort(sample->entries, sample->count, sizeof(*sample->entries), cgroup_entry_order);
	return 0;
}

int cgroup_sample_read(struct weir_ctx *ctx, const struct cgroup_mounts *mounts,
		       struct weir_buffer *buffer, const struct cgroup_sample *old,
		       struct cgroup_sample *sample)
{
	int err = weir_sample_time(ctx, &sample->time);
	const bool limits = !old || sample->time.now - old->limits_at >= LIMITS_PERIOD_NS;

	cgroup_sample_clear(sample);
	sample->limits_at = limits ? sample->time.now : old->limits_at;
	for (uint8_t i = 0; !err && i < mounts->count; i++) {
		struct cgroup_reading reading = { .sample = sample,
						  .old = old,
						  .mounts = mounts,
						  .buffer = buffer,
						  .mount = i,
						  .limits = limits,
						  .sorted = sample->count };

		err = cgroup_mount_read(ctx, &reading);
	}
	if (!err && sample->count == 0)
		return weir_fail(ctx, -ENOENT, "no cgroups below /%s", mounts->items[0].folder);
	return err;
}
