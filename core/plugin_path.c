/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where plugins are looked for: --plugin-path, WEIR_PLUGIN_PATH, the build tree beside weir, the
 * installed folder, seen from weir itself so that the tree may be moved, and as it was built.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin_parts.h"

#ifndef WEIR_PLUGINS_DIR
#define WEIR_PLUGINS_DIR "/usr/local/lib/weir/plugins"
#endif
#ifndef WEIR_PLUGINS_FROM_EXE
#define WEIR_PLUGINS_FROM_EXE "../lib/weir/plugins"
#endif

#define SUFFIX ".so"

/* Takes over `path`; NULL: its allocation failed. A folder that is not there is left out. */
static int add(struct plugin_folders *folders, char *path)
{
	char **items;
	struct stat st;

	if (!path)
		return -ENOMEM;
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(path);
		return 0;
	}
	items = reallocarray(folders->items, folders->count + 1, sizeof(*items));
	if (!items) {
		free(path);
		return -ENOMEM;
	}
	folders->items = items;
	items[folders->count++] = path;
	return 0;
}

static char *join(const char *folder, const char *name, const char *suffix)
{
	char *path;

	return asprintf(&path, "%s/%s%s", folder, name, suffix) < 0 ? NULL : path;
}

static int add_environment(struct plugin_folders *folders)
{
	const char *text = secure_getenv("WEIR_PLUGIN_PATH");
	int err = 0;

	while (text && *text && err == 0) {
		size_t length = strcspn(text, ":");

		if (length > 0)
			err = add(folders, strndup(text, length));
		text += length + (text[length] == ':');
	}
	return err;
}

/* An area's name has no dot; the build's own folders of objects, x.so.p, are many. */
static int is_area(const struct dirent *entry)
{
	return !strchr(entry->d_name, '.') &&
	       (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN);
}

/* The build tree: a folder per area below `plugins`. */
static int add_areas(struct plugin_folders *folders, char *plugins)
{
	struct dirent **entries = NULL;
	int count, err;

	if (!plugins)
		return -ENOMEM;
	count = scandir(plugins, &entries, is_area, alphasort);
	err = count < 0 ? 0 : add(folders, strdup(plugins));
	for (int i = 0; i < count; i++) {
		if (err == 0)
			err = add(folders, join(plugins, entries[i]->d_name, ""));
		free(entries[i]);
	}
	free(entries);
	free(plugins);
	return err;
}

static int add_beside_weir(struct plugin_folders *folders)
{
	char exe[4096];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;
	int err;

	if (length <= 0)
		return 0;
	exe[length] = '\0';
	slash = strrchr(exe, '/');
	if (!slash)
		return 0;
	*slash = '\0';
	err = add_areas(folders, join(exe, "plugins", ""));
	return err < 0 ? err : add(folders, join(exe, WEIR_PLUGINS_FROM_EXE, ""));
}

int plugin_folders_init(struct plugin_folders *folders, const char *const *paths, uint32_t count)
{
	int err = 0;

	*folders = (struct plugin_folders){ NULL, 0 };
	for (uint32_t i = 0; i < count && err == 0; i++)
		err = add(folders, strdup(paths[i]));
	if (err == 0)
		err = add_environment(folders);
	if (err == 0)
		err = add_beside_weir(folders);
	if (err == 0)
		err = add(folders, strdup(WEIR_PLUGINS_DIR));
	return err;
}

void plugin_folders_clear(struct plugin_folders *folders)
{
	for (uint32_t i = 0; i < folders->count; i++)
		free(folders->items[i]);
	free(folders->items);
	*folders = (struct plugin_folders){ NULL, 0 };
}

char *plugin_folders_find(const struct plugin_folders *folders, const char *name)
{
	for (uint32_t i = 0; i < folders->count; i++) {
		char *path = join(folders->items[i], name, SUFFIX);

		if (path && access(path, F_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static int is_plugin(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return entry->d_name[0] != '.' && entry->d_type != DT_DIR && length > strlen(SUFFIX) &&
	       strcmp(entry->d_name + length - strlen(SUFFIX), SUFFIX) == 0;
}

/* Makes file `count` of the array. */
static int add_file(struct plugin_file **files, uint32_t count, const char *folder,
		    const char *entry)
{
	struct plugin_file *grown = reallocarray(*files, count + 1, sizeof(*grown));
	struct plugin_file *file;

	if (!grown)
		return -ENOMEM;
	*files = grown;
	file = &grown[count];
	file->name = strndup(entry, strlen(entry) - strlen(SUFFIX));
	file->path = join(folder, entry, "");
	if (file->name && file->path)
		return 0;
	free(file->name);
	free(file->path);
	return -ENOMEM;
}

static int list_folder(const char *folder, uint32_t position, struct plugin_file **files,
		       uint32_t *count)
{
	struct dirent **entries = NULL;
	int found = scandir(folder, &entries, is_plugin, alphasort);
	int err = 0;

	for (int i = 0; i < found; i++) {
		if (err == 0)
			err = add_file(files, *count, folder, entries[i]->d_name);
		if (err == 0)
			(*files)[(*count)++].folder = position;
		free(entries[i]);
	}
	free(entries);
	return err;
}

/* True when an earlier folder is the same one under another path. */
static bool listed_before(const struct plugin_folders *folders, uint32_t position)
{
	struct stat here, there;

	if (stat(folders->items[position], &here) < 0)
		return true;
	for (uint32_t i = 0; i < position; i++)
		if (stat(folders->items[i], &there) == 0 && here.st_dev == there.st_dev &&
		    here.st_ino == there.st_ino)
			return true;
	return false;
}

int plugin_files(const struct plugin_folders *folders, struct plugin_file **files, uint32_t *count)
{
	int err = 0;

	*files = NULL;
	*count = 0;
	for (uint32_t i = 0; i < folders->count && err == 0; i++)
		if (!listed_before(folders, i))
			err = list_folder(folders->items[i], i, files, count);
	return err;
}

void plugin_files_free(struct plugin_file *files, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(files[i].name);
		free(files[i].path);
	}
	free(files);
}
