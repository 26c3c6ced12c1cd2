/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of functions for readers of profiles; see file_resolve.h. */
#include "file_resolve.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

struct resolve *file_resolve_new(const struct file *file)
{
	struct resolve *resolve = calloc(1, sizeof(*resolve));

	if (!resolve)
		return NULL;
	resolve->no_demangle = file->conf->no_demangle;
	resolve->inlined = file->conf->inlined;
	resolve->lines = file->conf->lines;
	resolve->once = true;
	resolve->objects.dwarf = file->dwarf;
	resolve->objects.store = file->store;
	return resolve;
}

void file_resolve_free(const struct file *file, struct resolve *resolve)
{
	if (!resolve)
		return;
	resolve->names = NULL; /* they are the profile's */
	resolve_clear(file->ctx, resolve);
	free(resolve);
}

void file_resolve_trust(const struct file *file, struct weir_mapping *mapping)
{
	struct stat status;

	if (!file->conf->trust_files || mapping->build_id_size || mapping->path[0] != '/' ||
	    fstatat(file->ctx->root, mapping->path + 1, &status, 0))
		return;
	mapping->inode = status.st_ino;
	mapping->device_major = major(status.st_dev);
	mapping->device_minor = minor(status.st_dev);
}
