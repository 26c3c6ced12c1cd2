/* SPDX-License-Identifier: BSD-2-Clause */
/* Whose file it is, by the lists that dpkg keeps; see object_package.h. */
#include "object_package.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PACKAGE_NAME = 128,
	PACKAGE_LIST_MAX = 8 << 20, /* bytes of a list of files */
};

/* Whether a list of paths, one a line, has that path. */
static bool package_list_has(int folder, const char *name, const char *path)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	size_t length = strlen(path);
	struct stat status;
	bool found = false;
	char *text = NULL;
	ssize_t got;

	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    status.st_size <= PACKAGE_LIST_MAX)
		text = malloc((size_t)status.st_size + 1);
	got = text ? pread(fd, text, (size_t)status.st_size, 0) : -1;
	if (got >= 0) {
		text[got] = '\0';
		for (const char *at = text; !found && (at = strstr(at, path)); at += length)
			found = (at == text || at[-1] == '\n') &&
				(at[length] == '\n' || at[length] == '\0');
	}
	free(text);
	if (fd >= 0)
		close(fd);
	return found;
}

/* "libc6:amd64.list" without its end. False: it is no list. */
static bool package_name(const char *file, char name[PACKAGE_NAME])
{
	size_t length = strlen(file);

	if (length < 6 || length >= PACKAGE_NAME || strcmp(file + length - 5, ".list") != 0)
		return false;
	snprintf(name, PACKAGE_NAME, "%.*s", (int)strcspn(file, ":"), file);
	if (strlen(name) == length)
		name[length - 5] = '\0';
	return true;
}

/* The package of a file. Lists name what has moved below /usr where it was before. */
static bool package_find(int root, const char *path, char name[PACKAGE_NAME])
{
	int folder = openat(root, "var/lib/dpkg/info", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *lists = folder >= 0 ? fdopendir(folder) : NULL;
	const char *old = strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
	const struct dirent *entry;
	bool found = false;

	if (!lists) {
		if (folder >= 0)
			close(folder);
		return false;
	}
	while (!found && (entry = readdir(lists))) /* NOLINT(concurrency-mt-unsafe): its own */
		found = package_name(entry->d_name, name) &&
			(package_list_has(folder, entry->d_name, path) ||
			 (old != path && package_list_has(folder, entry->d_name, old)));
	closedir(lists);
	return found;
}

static bool package_is_rpm(int root)
{
	return faccessat(root, "var/lib/rpm", F_OK, 0) == 0 ||
	       faccessat(root, "usr/lib/sysimage/rpm", F_OK, 0) == 0;
}

void object_package_cure(int root, const struct object *object, char *out, size_t size)
{
	char name[PACKAGE_NAME], id[2 * WEIR_BUILD_ID_MAX + 1] = "none";

	for (uint32_t i = 0; i < object->build_id_size; i++)
		snprintf(id + (size_t)i * 2, 3, "%02x", object->build_id[i]);
	if (package_find(root, object->path, name))
		snprintf(out, size, "install %s-dbgsym or %s-dbg, or set DEBUGINFOD_URLS", name,
			 name);
	else if (package_is_rpm(root))
		snprintf(out, size,
			 "run dnf debuginfo-install \"$(rpm -qf %s)\", or set DEBUGINFOD_URLS",
			 object->path);
	else
		snprintf(out, size,
			 "no package has that file: build it without strip, or keep its debug file "
			 "(build-id %s)",
			 id);
}
