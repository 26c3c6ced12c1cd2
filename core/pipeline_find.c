/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding pipelines: by name in the folders of pipelines, or by path. */
#include "pipeline_find.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config_check.h"
#include "pipeline.h"

/* What the search comes by, in its order: the first of a name hides later ones. */
struct found {
	char **names;
	char **paths;
	size_t count;
	int err;
};

static void found_clear(struct found *found)
{
	for (size_t i = 0; i < found->count; i++) {
		free(found->names[i]);
		free(found->paths[i]);
	}
	free(found->names);
	free(found->paths);
}

/* Position of a name; the count: not found. */
static size_t found_at(const struct found *found, const char *name)
{
	size_t i = 0;

	while (i < found->count && strcmp(found->names[i], name) != 0)
		i++;
	return i;
}

/* Takes name and path over. */
static void found_add(struct found *found, char *name, char *path)
{
	char **names = reallocarray(found->names, found->count + 1, sizeof(*names));
	char **paths = reallocarray(found->paths, found->count + 1, sizeof(*paths));

	if (names)
		found->names = names;
	if (paths)
		found->paths = paths;
	if (!names || !paths || !name || !path) {
		found->err = -ENOMEM;
		free(name);
		free(path);
		return;
	}
	names[found->count] = name;
	paths[found->count++] = path;
}

static bool is_pipeline_file(const char *name)
{
	size_t size = strlen(name);

	return size > 5 && name[0] != '.' && strcmp(name + size - 5, ".yaml") == 0;
}

static void search_folder(struct found *found, const char *folder)
{
	DIR *dir = folder[0] ? opendir(folder) : NULL;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *name = is_pipeline_file(entry->d_name) ? find_name(entry->d_name) : NULL;
		char *path = NULL;

		if (!name || found_at(found, name) < found->count) {
			free(name);
			continue;
		}
		if (asprintf(&path, "%s/%s", folder, entry->d_name) < 0)
			path = NULL;
		found_add(found, name, path);
	}
	if (dir)
		closedir(dir);
}

/* $WEIR_PIPELINE_PATH: folders separated by colons. */
static void search_path(struct found *found)
{
	const char *variable = getenv("WEIR_PIPELINE_PATH");
	char *copy = variable ? strdup(variable) : NULL;
	char *rest = copy;
	char *folder;

	while (rest && (folder = strsep(&rest, ":")))
		search_folder(found, folder);
	free(copy);
}

/* Beside the program: in a build tree, and where it was installed. */
static void search_beside(struct found *found)
{
	static const char *const beside[] = { "configs", "../share/weir/pipelines" };
	char exe[4096];
	char folder[4200];
	ssize_t size = readlink("/proc/self/exe", exe, sizeof(exe));
	const char *slash =
		size > 0 && size < (ssize_t)sizeof(exe) ? memrchr(exe, '/', (size_t)size) : NULL;

	if (!slash)
		return;
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		snprintf(folder, sizeof(folder), "%.*s/%s", (int)(slash - exe), exe, beside[i]);
		search_folder(found, folder);
	}
}

static void search(struct found *found)
{
	*found = (struct found){ 0 };
	search_path(found);
	search_beside(found);
#ifdef WEIR_PIPELINES_DIR
	search_folder(found, WEIR_PIPELINES_DIR);
#endif
}

static char *unknown(const struct found *found, const char *name, struct diag *diag)
{
	const char *nearest = diag_nearest(name, (const char *const *)found->names, found->count);

	diag_error(diag, NULL, "there is no pipeline \"%s\"%s%s%s; \"weir list\" shows all", name,
		   nearest ? "; did you mean \"" : "", nearest ? nearest : "",
		   nearest ? "\"?" : "");
	return NULL;
}

char *pipeline_locate(const char *name, struct diag *diag)
{
	struct found found;
	char *path;
	size_t i;

	if (strcmp(name, "-") == 0 || strchr(name, '/') || is_pipeline_file(name)) {
		path = strdup(name);
	} else {
		search(&found);
		i = found_at(&found, name);
		path = i < found.count ? strdup(found.paths[i]) : unknown(&found, name, diag);
		found_clear(&found);
	}
	if (!path && diag_count(diag) == 0)
		diag_error(diag, NULL, "%s: no memory", name);
	return path;
}

/* The question of a file; malloc'd, "" where it cannot be read. */
static char *read_question(const char *path)
{
	struct diag *diag = diag_new();
	const struct diag_text *text;
	char *doc = NULL;
	char *question = NULL;

	if (diag && config_read(path, diag, &text) == 0 && config_check(text, diag) == 0)
		doc = find_doc(text->bytes);
	if (doc)
		question = find_question(doc);
	free(doc);
	diag_free(diag);
	return question ? question : strdup("");
}

/* The next in the order of names after `last` (NULL: the first); the count: none is left. */
static size_t next_by_name(const struct found *found, const char *last)
{
	size_t best = found->count;

	for (size_t i = 0; i < found->count; i++)
		if ((!last || strcmp(found->names[i], last) > 0) &&
		    (best == found->count || strcmp(found->names[i], found->names[best]) < 0))
			best = i;
	return best;
}

int pipelines_each(pipeline_seen_fn *seen, void *arg)
{
	struct found found;
	int err;

	search(&found);
	for (size_t i = next_by_name(&found, NULL); i < found.count;
	     i = next_by_name(&found, found.names[i])) {
		char *question = read_question(found.paths[i]);

		if (!question)
			found.err = -ENOMEM;
		else
			seen(found.names[i], found.paths[i], question, arg);
		free(question);
	}
	err = found.err;
	found_clear(&found);
	return err;
}
