/* SPDX-License-Identifier: BSD-2-Clause */
/* See spaces.h. */
#include "spaces.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define SPACES_PARTS 1000 /* see weir_pace_end() */

/* The inode in "net:[4026531840]" of a process's folder in proc; 0: not known. */
static uint32_t space_id(int proc, const char *process)
{
	char path[64], target[64];
	unsigned int id = 0;
	ssize_t length;

	snprintf(path, sizeof(path), "%.32s/ns/net", process);
	length = readlinkat(proc, path, target, sizeof(target) - 1);
	target[length > 0 ? length : 0] = '\0';
	return sscanf(target, "net:[%u]", &id) == 1 ? id : 0;
}

static struct net_space *spaces_find(const struct net_spaces *spaces, uint32_t id)
{
	for (uint32_t i = 0; i < spaces->count; i++)
		if (spaces->spaces[i].id == id)
			return &spaces->spaces[i];
	return NULL;
}

static struct net_space *spaces_add(struct net_spaces *spaces, uint32_t id)
{
	if (spaces->count == spaces->capacity) {
		uint32_t capacity = spaces->capacity ? spaces->capacity * 2 : 8;
		struct net_space *grown = realloc(spaces->spaces, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		spaces->spaces = grown;
		spaces->capacity = capacity;
	}
	spaces->spaces[spaces->count] = (struct net_space){ .id = id };
	return &spaces->spaces[spaces->count++];
}

/* Who came first stays the one by whom the namespace is read. */
static int spaces_see(struct net_spaces *spaces, int proc, const char *process)
{
	uint32_t id = space_id(proc, process);
	struct net_space *space = id ? spaces_find(spaces, id) : NULL;
	char path[64];
	int fd;
	ssize_t length;

	if (!id || (space && space->seen))
		return 0;
	if (!space)
		space = spaces_add(spaces, id);
	if (!space)
		return -ENOMEM;
	space->seen = true;
	space->pid = (uint32_t)strtoul(process, NULL, 10);
	snprintf(path, sizeof(path), "%.32s/comm", process);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	length = fd < 0 ? 0 : read(fd, space->comm, sizeof(space->comm) - 1);
	if (fd >= 0)
		close(fd);
	space->comm[length > 0 ? length : 0] = '\0';
	space->comm[strcspn(space->comm, "\n")] = '\0';
	return 0;
}

static int spaces_look(struct net_spaces *spaces, DIR *proc)
{
	struct dirent *entry;
	int err = 0;

	for (uint32_t i = 1; i < spaces->count; i++)
		spaces->spaces[i].seen = false;
	while (!err && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = spaces_see(spaces, dirfd(proc), entry->d_name);
	return err;
}

static void spaces_drop(struct net_spaces *spaces, struct net_space *space)
{
	if (space->state && spaces->free_state)
		spaces->free_state(space->state);
	*space = spaces->spaces[--spaces->count];
}

static int spaces_add_own(struct net_spaces *spaces, int proc)
{
	/* A recorded tree has no self; its files are those of the first process. */
	uint32_t id = space_id(proc, "self");
	struct net_space *own = spaces_add(spaces, id ? id : space_id(proc, "1"));

	if (!own)
		return -ENOMEM;
	own->seen = true;
	return 0;
}

static void spaces_drop_unseen(struct weir_ctx *ctx, struct net_spaces *spaces,
			       void (*gone)(struct weir_ctx *ctx, struct net_space *space))
{
	for (uint32_t i = spaces->count; i-- > 1;) {
		if (spaces->spaces[i].seen)
			continue;
		if (gone)
			gone(ctx, &spaces->spaces[i]);
		spaces_drop(spaces, &spaces->spaces[i]);
	}
}

int net_spaces_update(struct weir_ctx *ctx, struct net_spaces *spaces,
		      void (*gone)(struct weir_ctx *ctx, struct net_space *space))
{
	DIR *proc;
	int fd, err = 0;

	if ((spaces->count && !spaces->others) || !weir_pace_begin(ctx, &spaces->pace))
		return 0;
	fd = openat(ctx->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	proc = fd < 0 ? NULL : fdopendir(fd);
	if (!proc) {
		err = weir_fail(ctx, -errno, "open /proc");
		if (fd >= 0)
			close(fd);
		return err;
	}
	if (spaces->count == 0)
		err = spaces_add_own(spaces, fd);
	if (!err && spaces->others)
		err = spaces_look(spaces, proc);
	closedir(proc);
	if (err)
		return weir_fail(ctx, err, "remember network namespaces");
	spaces_drop_unseen(ctx, spaces, gone);
	weir_pace_end(ctx, &spaces->pace, SPACES_PARTS);
	return 0;
}

int net_space_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
		   const char *file, struct weir_buffer *buffer)
{
	char path[64], process[16];
	int proc, err;

	if (space->pid == 0) {
		snprintf(path, sizeof(path), "proc/net/%s", file);
		return weir_read_file(ctx, path, buffer);
	}
	snprintf(path, sizeof(path), "proc/%u/net/%s", space->pid, file);
	err = weir_read_file(ctx, path, buffer);
	proc = openat(ctx->root, "proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	snprintf(process, sizeof(process), "%u", space->pid);
	/* A pid may have come to mean another process meanwhile. */
	if (proc < 0 || space_id(proc, process) != space->id) {
		spaces->pace.pause = 0;
		err = -ESRCH;
	}
	if (proc >= 0)
		close(proc);
	return err;
}

void net_spaces_release(struct net_spaces *spaces)
{
	while (spaces->count)
		spaces_drop(spaces, &spaces->spaces[spaces->count - 1]);
	free(spaces->spaces);
	spaces->spaces = NULL;
	spaces->capacity = 0;
}
