/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Split DWARF: the other half of a unit lies in a file that libdw opens by itself, by a path that the
 * program names. It is let do so only where nobody but root and who runs weir could have put
 * something there: somebody else's file might be a FIFO that never answers, or shrink while mapped.
 */
#include <dwarf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf_module.h"

static bool split_is_ours(const struct stat *status)
{
	bool sticky = S_ISDIR(status->st_mode) && status->st_mode & S_ISVTX;

	return (status->st_uid == 0 || status->st_uid == geteuid()) &&
	       (sticky || !(status->st_mode & (S_IWGRP | S_IWOTH)));
}

/* Whether only trusted users can change what the path, which has no links, leads to. */
static bool split_way_is_ours(char *path)
{
	struct stat status;
	char *slash;

	while ((slash = strrchr(path, '/')) && slash != path) {
		*slash = '\0';
		if (lstat(path, &status) || !split_is_ours(&status))
			return false;
	}
	return lstat("/", &status) == 0 && split_is_ours(&status);
}

/* A file that is not there is not opened, as long as others cannot make it in the meantime. */
static bool split_file_is_ours(const char *path, bool *there)
{
	char real[PATH_MAX], folder[PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct stat status;

	*there = false;
	if (path[0] != '/' || strlen(path) >= sizeof(folder))
		return false;
	if (realpath(path, real)) {
		*there = true;
		return lstat(real, &status) == 0 && S_ISREG(status.st_mode) &&
		       split_is_ours(&status) && split_way_is_ours(real);
	}
	/* Its folder is, and whoever may write there is trusted; one that is not there is not safe. */
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
	if (slash == path || !realpath(folder, real))
		return false;
	return lstat(real, &status) == 0 && split_is_ours(&status) &&
	       !(status.st_mode & (S_IWGRP | S_IWOTH)) && split_way_is_ours(real);
}

static const char *split_text(Dwarf_Die *die, unsigned int name, unsigned int gnu_name)
{
	Dwarf_Attribute attr;

	if (!dwarf_attr(die, name, &attr) && !(gnu_name && dwarf_attr(die, gnu_name, &attr)))
		return NULL;
	return dwarf_formstring(&attr);
}

/* The folder of the file that has the skeletons, as libdw sees it. */
static bool split_folder(const struct dwarf_module *module, char folder[PATH_MAX])
{
	char link[64];
	ssize_t length;
	char *slash;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", module->main.fd);
	length = readlink(link, folder, PATH_MAX - 1);
	if (length <= 0)
		return false;
	folder[length] = '\0';
	slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*slash = '\0';
	return true;
}

/* libdw looks beside the file first, then where the unit was compiled. */
bool dwarf_split_is_trusted(const struct dwarf_module *module, Dwarf_Die *skeleton)
{
	const char *name = split_text(skeleton, DW_AT_dwo_name, DW_AT_GNU_dwo_name);
	const char *compiled = split_text(skeleton, DW_AT_comp_dir, 0);
	char folder[PATH_MAX], path[PATH_MAX];
	bool there;

	if (!name || !split_folder(module, folder))
		return false;
	if (name[0] == '/')
		return split_file_is_ours(name, &there);
	if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path) ||
	    !split_file_is_ours(path, &there))
		return false;
	if (there || !compiled)
		return there;
	return compiled[0] == '/' &&
	       snprintf(path, sizeof(path), "%s/%s", compiled, name) < (int)sizeof(path) &&
	       split_file_is_ours(path, &there);
}
