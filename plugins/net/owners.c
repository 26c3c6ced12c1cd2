/* SPDX-License-Identifier: BSD-2-Clause */
/* See owners.h. */
#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <weir/file.h>

#include "owners.h"

#define OWNERS_PARTS 100 /* see weir_pace_end() */

/* More are forgotten, all at once: what is still needed is read again. */
#define OWNERS_MAX 65536

static struct owner *owners_place(const struct owners *owners, uint64_t inode)
{
	uint32_t i = (uint32_t)(inode * 0x9e3779b97f4a7c15u >> 32);

	for (;; i++) {
		struct owner *owner = &owners->table[i & (owners->capacity - 1)];

		if (!owner->inode || owner->inode == inode)
			return owner;
	}
}

const struct owner *owners_find(const struct owners *owners, uint64_t inode)
{
	const struct owner *owner = owners->capacity ? owners_place(owners, inode) : NULL;

	return owner && owner->inode ? owner : NULL;
}

static int owners_grow(struct owners *owners)
{
	struct owners grown = { .capacity = owners->capacity ? owners->capacity * 2 : 256 };

	if (owners->count * 2 < owners->capacity)
		return 0;
	grown.table = calloc(grown.capacity, sizeof(*grown.table));
	if (!grown.table)
		return -ENOMEM;
	for (uint32_t i = 0; i < owners->capacity; i++)
		if (owners->table[i].inode)
			*owners_place(&grown, owners->table[i].inode) = owners->table[i];
	free(owners->table);
	owners->table = grown.table;
	owners->capacity = grown.capacity;
	return 0;
}

/* Who comes first has it: a process is before those that it started. */
static int owners_add(struct owners *owners, uint64_t inode, const struct owner *process)
{
	struct owner *owner;
	int err = owners_grow(owners);

	if (err)
		return err;
	owner = owners_place(owners, inode);
	if (owner->pid)
		return 0;
	owners->count += owner->inode == 0;
	*owner = *process;
	owner->inode = inode;
	return 0;
}

static void owners_read_comm(int process, char *comm, size_t size)
{
	int fd = openat(process, "comm", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, comm, size - 1);

	if (fd >= 0)
		close(fd);
	comm[length > 0 ? length : 0] = '\0';
	comm[strcspn(comm, "\n")] = '\0';
}

static void owners_read_owner(struct owners *owners, int process, struct owner *owner)
{
	owners_read_comm(process, owner->comm, sizeof(owner->comm));
	owner->wanted = !owners->filter ||
			owner_filter_wants(owners->filter, process, owner->pid, owner->comm);
}

/* Takes `folder` over. */
static int owners_read_descriptors(struct owners *owners, int process, int folder, uint32_t pid)
{
	DIR *stream = fdopendir(folder);
	struct dirent *entry;
	struct owner owner = { .pid = pid };
	int err = 0;

	if (!stream) {
		close(folder);
		return 0;
	}
	while (!err && (entry = readdir(stream))) {
		char target[64];
		uint64_t inode;
		ssize_t length = readlinkat(folder, entry->d_name, target, sizeof(target) - 1);

		target[length > 0 ? length : 0] = '\0';
		if (sscanf(target, "socket:[%" SCNu64 "]", &inode) != 1)
			continue;
		if (!owner.inode)
			owners_read_owner(owners, process, &owner);
		owner.inode = inode;
		err = owners_add(owners, inode, &owner);
	}
	closedir(stream);
	return err;
}

/* What has gone meanwhile, or may not be read, is left out. */
static int owners_read_process(struct owners *owners, int proc, const char *name)
{
	int process = openat(proc, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int folder, err = 0;

	if (process < 0)
		return 0;
	folder = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0)
		err = owners_read_descriptors(owners, process, folder,
					      (uint32_t)strtoul(name, NULL, 10));
	close(process);
	return err;
}

static int owners_read_all(struct weir_ctx *ctx, struct owners *owners)
{
	int proc = openat(ctx->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = proc < 0 ? NULL : fdopendir(proc);
	struct dirent *entry;
	int err = 0;

	if (!stream) {
		if (proc >= 0)
			close(proc);
		return 0;
	}
	while (!err && (entry = readdir(stream)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = owners_read_process(owners, proc, entry->d_name);
	closedir(stream);
	return err;
}

int owners_read(struct weir_ctx *ctx, struct owners *owners, uint64_t inode, int now_or_never)
{
	static const struct owner nobody = { 0 };
	int err;

	if (now_or_never)
		owners->pace.pause = 0;
	if (!weir_pace_begin(ctx, &owners->pace))
		return 0;
	if (owners->count > OWNERS_MAX) {
		memset(owners->table, 0, owners->capacity * sizeof(*owners->table));
		owners->count = 0;
	}
	err = owners_read_all(ctx, owners);
	if (!err)
		err = owners_add(owners, inode, &nobody);
	weir_pace_end(ctx, &owners->pace, OWNERS_PARTS);
	return err ? err : 1;
}

void owners_release(struct owners *owners)
{
	free(owners->table);
	memset(owners, 0, sizeof(*owners));
}
