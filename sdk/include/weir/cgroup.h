/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control groups on the user side: from a path to the id that BPF programs see, from an id to a
 * path, and from a path to the name of a container. Works with version 2, version 1 and both.
 */
#ifndef WEIR_CGROUP_H
#define WEIR_CGROUP_H

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bpf/task_event.h"
#include "file.h"
#include "host.h"

#define WEIR_CONTAINER_ID_LENGTH 64
#define WEIR_CONTAINER_ID_SHOWN  12

/* The last run of exactly 64 hexadecimal digits: how docker, containerd, cri-o and podman name. */
static inline const char *weir_container_id(const char *cgroup)
{
	const char *found = NULL;

	while (*cgroup) {
		size_t run = strspn(cgroup, "0123456789abcdef");

		if (run == WEIR_CONTAINER_ID_LENGTH && !isalnum((unsigned char)cgroup[run]))
			found = cgroup;
		cgroup += run ? run : 1;
	}
	return found;
}

/* The name of the container that a cgroup's path belongs to; "" for none. */
static inline void weir_container_name(const char *cgroup, char *out, size_t size)
{
	static const char *const prefixes[] = { "/lxc.payload.", "/lxc.payload/", "/lxc/" };
	const char *name = weir_container_id(cgroup);

	out[0] = '\0';
	if (name) {
		snprintf(out, size, "%.*s", WEIR_CONTAINER_ID_SHOWN, name);
		return;
	}
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		name = strstr(cgroup, prefixes[i]);
		if (!name)
			continue;
		name += strlen(prefixes[i]);
		snprintf(out, size, "%.*s", (int)strcspn(name, "/"), name);
		return;
	}
}

/* Where a hierarchy is mounted, without the leading slash; "" where it is not. */
struct weir_cgroup_mounts {
	char folder[WEIR_CGROUP_HIERARCHIES][256];
};

/* The controller that a hierarchy goes by; "": version 2, which needs none. */
static inline const char *weir_cgroup_controller(uint32_t hierarchy)
{
	static const char *const controllers[WEIR_CGROUP_HIERARCHIES] = { "", "memory", "cpu",
									  "pids" };

	return hierarchy < WEIR_CGROUP_HIERARCHIES ? controllers[hierarchy] : "";
}

/* A mounted hierarchy, as a line of mountinfo tells it. */
struct weir_cgroup_mount {
	char folder[256]; /* without the leading slash */
	char options[256];
	int version; /* 1 or 2 */
};

/* "36 35 98:0 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory": 1 when it is one. */
static inline int weir_cgroup_parse_mount(const char *line, struct weir_cgroup_mount *mount)
{
	const char *dash = strstr(line, " - ");
	char type[32];

	if (!dash || sscanf(line, "%*s %*s %*s %*s /%255s", mount->folder) != 1 ||
	    sscanf(dash + 3, "%31s %*s %255s", type, mount->options) != 2)
		return 0;
	mount->version = strcmp(type, "cgroup2") == 0 ? 2 : 1;
	return mount->version == 2 || strcmp(type, "cgroup") == 0;
}

/* True when a hierarchy of version 1 has that controller. */
static inline int weir_cgroup_mount_has(const struct weir_cgroup_mount *mount,
					const char *controller)
{
	size_t length = strlen(controller);

	for (const char *word = mount->options; *word; word += *word == ',') {
		size_t size = strcspn(word, ",");

		if (size == length && memcmp(word, controller, length) == 0)
			return mount->version == 1;
		word += size;
	}
	return 0;
}

typedef void weir_cgroup_mount_fn(const struct weir_cgroup_mount *mount, void *data);

/* Calls `each` for every hierarchy that is mounted. 0 or a negative errno. */
static inline int weir_cgroup_each_mount(struct weir_ctx *ctx, weir_cgroup_mount_fn *each,
					 void *data)
{
	struct weir_buffer buffer = { NULL, 0, 0 };
	struct weir_cgroup_mount mount;
	int err = weir_read_file(ctx, "proc/self/mountinfo", &buffer);

	if (!err)
		for (char *rest = buffer.bytes, *line; (line = strsep(&rest, "\n"));)
			if (weir_cgroup_parse_mount(line, &mount))
				each(&mount, data);
	weir_buffer_release(&buffer);
	return err;
}

static inline void weir_cgroup_note_mount(const struct weir_cgroup_mount *mount, void *data)
{
	struct weir_cgroup_mounts *mounts = (struct weir_cgroup_mounts *)data;

	if (mount->version == 2 && !mounts->folder[WEIR_CGROUP_V2][0])
		memcpy(mounts->folder[WEIR_CGROUP_V2], mount->folder, sizeof(mount->folder));
	for (uint32_t i = WEIR_CGROUP_MEMORY; i < WEIR_CGROUP_HIERARCHIES; i++)
		if (weir_cgroup_mount_has(mount, weir_cgroup_controller(i)) &&
		    !mounts->folder[i][0])
			memcpy(mounts->folder[i], mount->folder, sizeof(mount->folder));
}

/* Finds out what is mounted. 0 or a negative errno. */
static inline int weir_cgroup_mounts_read(struct weir_ctx *ctx, struct weir_cgroup_mounts *mounts)
{
	memset(mounts, 0, sizeof(*mounts));
	return weir_cgroup_each_mount(ctx, weir_cgroup_note_mount, mounts);
}

/*
 * The hierarchy whose cgroups say most: version 2 where it has the controllers, else that of
 * version 1's memory, cpu or pids, where container managers make a group for each container.
 */
static inline uint32_t weir_cgroup_hierarchy(const struct weir_cgroup_mounts *mounts)
{
	for (uint32_t i = WEIR_CGROUP_MEMORY; i < WEIR_CGROUP_HIERARCHIES; i++)
		if (mounts->folder[i][0])
			return i;
	return WEIR_CGROUP_V2;
}

/* Finds the cgroup `path` (below its hierarchy, or the whole path of its folder). -ENOENT: none. */
static inline int weir_cgroup_find(struct weir_ctx *ctx, const struct weir_cgroup_mounts *mounts,
				   const char *path, struct weir_task_filter *filter)
{
	for (uint32_t i = 0; i < WEIR_CGROUP_HIERARCHIES; i++) {
		uint32_t hierarchy = (weir_cgroup_hierarchy(mounts) + i) % WEIR_CGROUP_HIERARCHIES;
		const char *folder = mounts->folder[hierarchy], *below = path + strspn(path, "/");
		size_t length = strlen(folder);
		struct stat status;
		char full[4096];

		if (!length)
			continue;
		if (path[0] == '/' && strncmp(below, folder, length) == 0)
			below += length;
		below += strspn(below, "/");
		if (snprintf(full, sizeof(full), "%s/%s", folder, below) >= (int)sizeof(full) ||
		    fstatat(ctx->root, full, &status, 0) < 0 || !S_ISDIR(status.st_mode))
			continue;
		filter->hierarchy = hierarchy;
		filter->cgroup = status.st_ino;
		filter->cgroup_level = 0;
		for (const char *at = below; *at; at += strspn(at, "/"), filter->cgroup_level++)
			at += strcspn(at, "/");
		return 0;
	}
	return -ENOENT;
}

/*
 * From the text of /proc/PID/cgroup, which is taken apart: the path of the line "5:memory:/a/b"
 * whose controllers have that one; "": version 2's. "" if there is none.
 */
static inline const char *weir_cgroup_of_process(char *text, const char *controller)
{
	for (char *line; (line = strsep(&text, "\n")) && *line;) {
		char *names = strchr(line, ':');
		char *path = names ? strchr(names + 1, ':') : NULL;

		if (!path)
			continue;
		*path++ = '\0';
		names++;
		if (!*controller && !*names)
			return path;
		for (char *name; *controller && (name = strsep(&names, ","));)
			if (strcmp(name, controller) == 0)
				return path;
	}
	return "";
}

/*
 * True if `path` is the cgroup that the user chose, or below it: by its path in the hierarchy, or by
 * the whole path of its folder. `folder` is where the hierarchy is mounted.
 */
static inline int weir_cgroup_is_below(const char *path, const char *chosen, const char *folder)
{
	const char *below = chosen + strspn(chosen, "/");
	size_t length = strlen(folder);

	if (chosen[0] == '/' && length && strncmp(below, folder, length) == 0)
		below += length;
	below += strspn(below, "/");
	path += strspn(path, "/");
	length = strlen(below);
	while (length && below[length - 1] == '/')
		length--;
	return strncmp(path, below, length) == 0 &&
	       (!length || !path[length] || path[length] == '/');
}

struct weir_cgroup_name {
	uint64_t id;
	char *path; /* below the hierarchy: "/a/b" */
};

/* Names of cgroups by id, read from the hierarchy's folders when an unknown id comes. */
struct weir_cgroup_names {
	struct weir_cgroup_name *names;
	uint32_t count;
	uint32_t capacity;
	uint64_t read_at; /* CLOCK_MONOTONIC ns of the last reading */
	char folder[256]; /* "": no hierarchy, no names */
};

static inline void weir_cgroup_names_release(struct weir_cgroup_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->names[i].path);
	free(names->names);
	memset(names, 0, sizeof(*names));
}

static inline struct weir_cgroup_name *weir_cgroup_known(const struct weir_cgroup_names *names,
							 uint64_t id)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (names->names[i].id == id)
			return &names->names[i];
	return NULL;
}

static inline int weir_cgroup_names_add(struct weir_cgroup_names *names, uint64_t id,
					const char *path)
{
	if (weir_cgroup_known(names, id))
		return 0;
	if (names->count == names->capacity) {
		uint32_t capacity = names->capacity ? names->capacity * 2 : 32;
		void *grown = realloc(names->names, capacity * sizeof(*names->names));

		if (!grown)
			return -ENOMEM;
		names->names = (struct weir_cgroup_name *)grown;
		names->capacity = capacity;
	}
	names->names[names->count].id = id;
	names->names[names->count].path = strdup(path);
	return names->names[names->count].path ? (names->count++, 0) : -ENOMEM;
}

/* Deeper trees are cut: the kernel's own limit is in the same region. */
#define WEIR_CGROUP_DEPTH_MAX 32

struct weir_cgroup_walk;

/*
 * What is done with a cgroup: its folder is `name` in the open folder `parent`, to be left open.
 * Not 0 ends the walk.
 */
typedef int weir_cgroup_visit_fn(struct weir_cgroup_walk *walk, int parent, const char *name,
				 const struct stat *status);

/* A walk through a hierarchy, parents first. */
struct weir_cgroup_walk {
	weir_cgroup_visit_fn *visit;
	void *data;
	uint32_t depth;
	uint32_t length; /* of path; 0: the root, whose path is "/" all the same */
	char path[4096];
};

static inline const char *weir_cgroup_walk_path(const struct weir_cgroup_walk *walk)
{
	return walk->length ? walk->path : "/";
}

static inline int weir_cgroup_walk_folder(struct weir_cgroup_walk *walk, int folder);

/*
 * Visits the cgroup `name` of an open folder, and those below it. One that is gone meanwhile is none;
 * one that has no other name than its own and its "." has no folders, and is not opened.
 */
static inline int weir_cgroup_walk_one(struct weir_cgroup_walk *walk, int parent, const char *name)
{
	struct stat status;
	int err, fd;

	if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	err = walk->visit(walk, parent, name, &status);
	if (err || status.st_nlink == 2 || walk->depth == WEIR_CGROUP_DEPTH_MAX)
		return err;
	fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? 0 : weir_cgroup_walk_folder(walk, fd);
}

static inline int weir_cgroup_walk_below(struct weir_cgroup_walk *walk, int folder,
					 const char *name)
{
	uint32_t length = walk->length;
	size_t size = strlen(name);
	int err;

	if (length + size + 2 > sizeof(walk->path))
		return 0;
	walk->path[length] = '/';
	memcpy(walk->path + length + 1, name, size + 1);
	walk->length = length + 1 + (uint32_t)size;
	walk->depth++;
	err = weir_cgroup_walk_one(walk, folder, name);
	walk->depth--;
	walk->length = length;
	walk->path[length] = '\0';
	return err;
}

/* All that are in a folder, which is closed. */
static inline int weir_cgroup_walk_folder(struct weir_cgroup_walk *walk, int folder)
{
	DIR *stream = fdopendir(folder);
	struct dirent *entry;
	int err = 0;

	if (!stream) {
		close(folder);
		return 0;
	}
	while (!err && (entry = readdir(stream)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
			err = weir_cgroup_walk_below(walk, folder, entry->d_name);
	closedir(stream);
	return err;
}

/* Visits every cgroup of the hierarchy at `folder`. What visit() returned last, or -errno. */
static inline int weir_cgroup_walk(struct weir_ctx *ctx, const char *folder,
				   weir_cgroup_visit_fn *visit, void *data)
{
	int fd = openat(ctx->root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct weir_cgroup_walk walk;
	int err;

	if (fd < 0)
		return -errno;
	walk.visit = visit;
	walk.data = data;
	walk.depth = walk.length = 0;
	walk.path[0] = '\0';
	err = weir_cgroup_walk_one(&walk, fd, ".");
	close(fd);
	return err;
}

static inline int weir_cgroup_names_visit(struct weir_cgroup_walk *walk, int parent,
					  const char *name, const struct stat *status)
{
	(void)parent;
	(void)name;
	return weir_cgroup_names_add((struct weir_cgroup_names *)walk->data, status->st_ino,
				     weir_cgroup_walk_path(walk));
}

/* The path of a cgroup, "" when it is not known (any more). Reads folders at most once a second. */
static inline const char *weir_cgroup_path(struct weir_ctx *ctx, struct weir_cgroup_names *names,
					   uint64_t id)
{
	struct weir_cgroup_name *known = weir_cgroup_known(names, id);
	uint64_t now;

	if (known || !id || !names->folder[0])
		return known ? known->path : "";
	now = weir_now(ctx);
	if (names->read_at && now - names->read_at < 1000000000u)
		return "";
	names->read_at = now;
	weir_cgroup_walk(ctx, names->folder, weir_cgroup_names_visit, names);
	known = weir_cgroup_known(names, id);
	return known ? known->path : "";
}

#endif
