/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The plugins of one run of weir: found by name, by service, by format, each loaded once. A name
 * leads straight to its file; all files are looked at only where the question is about all.
 */
#include "plugin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "plugin_parts.h"

struct plugins {
	struct plugin_folders folders;
	struct plugin *by_name;    /* loaded from folders or linked in: names are unique */
	struct plugin *by_path;    /* loaded by a path: they answer to that path only */
	struct plugin_file *files; /* all there are, sorted; made when first asked for */
	uint32_t file_count;
};

/* The components that are linked into weir. The linker makes both symbols, if there are any. */
extern const struct weir_component *const __start_weir_components[]
	__attribute__((weak, visibility("hidden")));
extern const struct weir_component *const __stop_weir_components[]
	__attribute__((weak, visibility("hidden")));

static size_t linked_count(void)
{
	return ((uintptr_t)__stop_weir_components - (uintptr_t)__start_weir_components) /
	       sizeof(void *);
}

static const struct weir_component *linked_find(const char *name)
{
	for (size_t i = 0; i < linked_count(); i++)
		if (strcmp(__start_weir_components[i]->name, name) == 0)
			return __start_weir_components[i];
	return NULL;
}

struct plugins *plugins_new(const char *const *paths, uint32_t count)
{
	struct plugins *plugins = calloc(1, sizeof(*plugins));

	if (plugins && plugin_folders_init(&plugins->folders, paths, count) < 0) {
		plugins_free(plugins);
		return NULL;
	}
	return plugins;
}

static void free_list(struct plugin *plugin)
{
	while (plugin) {
		struct plugin *next = plugin->next;

		plugin_free(plugin);
		plugin = next;
	}
}

void plugins_free(struct plugins *plugins)
{
	if (!plugins)
		return;
	plugin_folders_clear(&plugins->folders);
	plugin_files_free(plugins->files, plugins->file_count);
	free_list(plugins->by_name);
	free_list(plugins->by_path);
	free(plugins);
}

static int by_name(const void *a, const void *b)
{
	const struct plugin_file *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	return order ? order : (left->folder > right->folder) - (left->folder < right->folder);
}

static int add_linked(struct plugins *plugins, const char *name)
{
	uint32_t count = plugins->file_count;
	struct plugin_file *files = reallocarray(plugins->files, count + 1, sizeof(*files));

	if (!files)
		return -ENOMEM;
	plugins->files = files;
	files[count] = (struct plugin_file){ strdup(name), strdup(""), UINT32_MAX };
	plugins->file_count++;
	return files[count].name && files[count].path ? 0 : -ENOMEM;
}

/* Lists what there is, once. Equal names stand together, the one that is used first. */
static int list_files(struct plugins *plugins)
{
	int err;

	if (plugins->files)
		return 0;
	err = plugin_files(&plugins->folders, &plugins->files, &plugins->file_count);
	for (size_t i = 0; i < linked_count() && err == 0; i++)
		err = add_linked(plugins, __start_weir_components[i]->name);
	if (err < 0) {
		plugin_files_free(plugins->files, plugins->file_count);
		plugins->files = NULL;
		plugins->file_count = 0;
	} else if (plugins->files && plugins->file_count > 1) {
		qsort(plugins->files, plugins->file_count, sizeof(*plugins->files), by_name);
	}
	return err;
}

/* True when an earlier file of that name takes its place. */
static bool is_shadowed(const struct plugins *plugins, uint32_t i)
{
	return i > 0 && strcmp(plugins->files[i - 1].name, plugins->files[i].name) == 0;
}

static const struct plugin *keep(struct plugin **list, struct plugin *plugin)
{
	if (!plugin)
		return NULL;
	plugin->next = *list;
	*list = plugin;
	return plugin;
}

static const struct plugin *find_loaded(const struct plugins *plugins, const char *name)
{
	for (const struct plugin *plugin = plugins->by_name; plugin; plugin = plugin->next)
		if (strcmp(plugin->component.name, name) == 0)
			return plugin;
	return NULL;
}

/* The component of that name from its file; path "": from weir itself. */
static const struct plugin *take(struct plugins *plugins, const char *name, const char *path,
				 char *error, size_t error_size)
{
	const struct plugin *loaded = find_loaded(plugins, name);
	struct plugin *plugin = NULL;

	if (loaded)
		return loaded;
	if (*path) {
		if (plugin_load(path, name, &plugin, error, error_size) < 0)
			return NULL;
	} else {
		plugin = plugin_of_component(linked_find(name));
		if (!plugin)
			snprintf(error, error_size, "%s: %s", name, strerror(ENOMEM));
	}
	return keep(&plugins->by_name, plugin);
}

static const struct plugin *find_path(struct plugins *plugins, const char *path, char *error,
				      size_t error_size)
{
	struct plugin *loaded = NULL;

	for (const struct plugin *plugin = plugins->by_path; plugin; plugin = plugin->next)
		if (strcmp(plugin->path, path) == 0)
			return plugin;
	if (plugin_load(path, NULL, &loaded, error, error_size) < 0)
		return NULL;
	return keep(&plugins->by_path, loaded);
}

static void say_missing(struct plugins *plugins, const char *name, char *error, size_t error_size)
{
	const char *nearest = NULL;
	const char **words;

	list_files(plugins);
	words = calloc(plugins->file_count + 1, sizeof(*words));
	for (uint32_t i = 0; words && i < plugins->file_count; i++)
		words[i] = plugins->files[i].name;
	if (words)
		nearest = diag_nearest(name, words, plugins->file_count);
	if (nearest)
		snprintf(error, error_size, "no component \"%s\"; did you mean \"%s\"?", name,
			 nearest);
	else
		snprintf(error, error_size,
			 "no component \"%s\"; `weir plugins` shows those there are", name);
	free(words);
}

const struct plugin *plugin_find(struct plugins *plugins, const char *name, char *error,
				 size_t error_size)
{
	const struct plugin *plugin;
	char *path;

	if (strchr(name, '/'))
		return find_path(plugins, name, error, error_size);
	plugin = find_loaded(plugins, name);
	if (plugin)
		return plugin;
	path = plugin_name_ok(name) ? plugin_folders_find(&plugins->folders, name) : NULL;
	if (path || linked_find(name))
		plugin = take(plugins, name, path ? path : "", error, error_size);
	else
		say_missing(plugins, name, error, error_size);
	free(path);
	return plugin;
}

/* The kind by its note; 0 when it would be refused. Nothing of the file is run. */
static uint32_t kind_of(const struct plugins *plugins, const struct plugin_file *file, char *error,
			size_t error_size)
{
	const struct plugin *loaded = find_loaded(plugins, file->name);
	const struct weir_component *linked = *file->path ? NULL : linked_find(file->name);
	struct weir_note note;

	if (loaded)
		return loaded->component.kind;
	if (linked)
		return linked->kind;
	if (plugin_read_note(file->path, file->name, &note, error, error_size) < 0)
		return 0;
	return note.kind;
}

/* "pmu" is provided by pmu and pmu.x; "vendor::pmu" by pmu.vendor only. */
static bool provides(const char *component, const char *service)
{
	const char *vendor_end = strstr(service, "::");
	const char *name = vendor_end ? vendor_end + 2 : service;
	size_t length = strlen(name);

	if (strncmp(component, name, length) != 0)
		return false;
	component += length;
	if (!vendor_end)
		return *component == '\0' || *component == '.';
	length = (size_t)(vendor_end - service);
	return *component == '.' && strncmp(component + 1, service, length) == 0 &&
	       component[1 + length] == '\0';
}

/* The one file that provides it: 1, none: 0, several: -1 with `error`. */
static int find_provider(struct plugins *plugins, const char *service,
			 const struct plugin_file **found, char *error, size_t error_size)
{
	*found = NULL;
	for (uint32_t i = 0; i < plugins->file_count; i++) {
		const struct plugin_file *file = &plugins->files[i];

		if (is_shadowed(plugins, i) || !provides(file->name, service) ||
		    kind_of(plugins, file, error, error_size) != WEIR_PROVIDER)
			continue;
		if (*found) {
			snprintf(error, error_size,
				 "more than one provider of \"%s\": %s and %s; say which, as in "
				 "\"vendor::%s\"",
				 service, (*found)->name, file->name, service);
			return -1;
		}
		*found = file;
	}
	return *found != NULL;
}

static bool offers(const struct plugin *plugin, const char *service)
{
	const char *vendor_end = strstr(service, "::");
	const char *name = vendor_end ? vendor_end + 2 : service;

	for (uint32_t i = 0; i < plugin->component.offers.count; i++)
		if (strcmp(plugin->component.offers.items[i].name, name) == 0)
			return true;
	return false;
}

const struct plugin *plugin_find_service(struct plugins *plugins, const char *service, char *error,
					 size_t error_size)
{
	const struct plugin_file *file;
	const struct plugin *plugin;
	int found;

	*error = '\0';
	if (list_files(plugins) < 0) {
		snprintf(error, error_size, "%s", strerror(ENOMEM));
		return NULL;
	}
	found = find_provider(plugins, service, &file, error, error_size);
	/* A refused candidate has left its reason, which says more than that there is none. */
	if (found == 0 && !*error)
		snprintf(error, error_size,
			 "no provider of \"%s\"; `weir plugins` shows those there are", service);
	if (found <= 0)
		return NULL;
	plugin = take(plugins, file->name, file->path, error, error_size);
	if (!plugin || offers(plugin, service))
		return plugin;
	snprintf(error, error_size, "provider %s does not offer \"%s\"", file->name, service);
	return NULL;
}

/* The file of provider i, or NULL; `error` says why that one is refused. */
static const struct plugin_file *find_provider_at(struct plugins *plugins, const char *service,
						  uint32_t i, char *error, size_t error_size)
{
	for (uint32_t j = 0; j < plugins->file_count; j++) {
		const struct plugin_file *file = &plugins->files[j];
		uint32_t kind;

		if (is_shadowed(plugins, j) || !provides(file->name, service))
			continue;
		*error = '\0';
		kind = kind_of(plugins, file, error, error_size);
		if ((kind && kind != WEIR_PROVIDER) || i--)
			continue;
		return kind ? file : NULL;
	}
	*error = '\0';
	return NULL;
}

const struct plugin *plugin_service_at(struct plugins *plugins, const char *service, uint32_t i,
				       char *error, size_t error_size)
{
	const struct plugin_file *file;

	*error = '\0';
	if (list_files(plugins) < 0) {
		snprintf(error, error_size, "%s", strerror(ENOMEM));
		return NULL;
	}
	file = find_provider_at(plugins, service, i, error, error_size);
	return file ? take(plugins, file->name, file->path, error, error_size) : NULL;
}

void plugins_each(struct plugins *plugins, plugin_seen_fn *seen, void *arg)
{
	char error[1024];

	if (list_files(plugins) < 0) {
		seen("", NULL, strerror(ENOMEM), arg);
		return;
	}
	for (uint32_t i = 0; i < plugins->file_count; i++) {
		const struct plugin_file *file = &plugins->files[i];
		const struct plugin *plugin = NULL;

		if (is_shadowed(plugins, i))
			snprintf(error, sizeof(error), "%s: not used: another %s comes first",
				 *file->path ? file->path : "the one in weir itself", file->name);
		else
			plugin = take(plugins, file->name, file->path, error, sizeof(error));
		seen(file->path, plugin, plugin ? NULL : error, arg);
	}
}

typedef bool format_match_fn(const struct weir_format *format, const char *text);

static bool match_name(const struct weir_format *format, const char *text)
{
	return strcmp(format->name, text) == 0;
}

static bool match_extension(const struct weir_format *format, const char *text)
{
	size_t length = strlen(text);
	size_t wanted = format->extension ? strlen(format->extension) : SIZE_MAX;

	return wanted < length && strcmp(text + length - wanted, format->extension) == 0;
}

/* The first sink that serves the text; of the other components nothing is run. */
static const struct plugin *find_sink(struct plugins *plugins, format_match_fn *match,
				      const char *text)
{
	char error[1024];

	if (list_files(plugins) < 0)
		return NULL;
	for (uint32_t i = 0; i < plugins->file_count; i++) {
		const struct plugin_file *file = &plugins->files[i];
		const struct plugin *plugin;

		if (is_shadowed(plugins, i) ||
		    kind_of(plugins, file, error, sizeof(error)) != WEIR_SINK)
			continue;
		plugin = take(plugins, file->name, file->path, error, sizeof(error));
		for (uint32_t j = 0; plugin && j < plugin->component.formats.count; j++)
			if (match(&plugin->component.formats.items[j], text))
				return plugin;
	}
	return NULL;
}

const struct plugin *plugin_for_format(struct plugins *plugins, const char *format)
{
	char *path = plugin_name_ok(format) ? plugin_folders_find(&plugins->folders, format) : NULL;
	const struct plugin *plugin = NULL;
	char error[1024];

	if (path || linked_find(format))
		plugin = take(plugins, format, path ? path : "", error, sizeof(error));
	free(path);
	if (plugin && plugin->component.kind == WEIR_SINK)
		return plugin;
	return find_sink(plugins, match_name, format);
}

const struct plugin *plugin_for_extension(struct plugins *plugins, const char *path)
{
	return find_sink(plugins, match_extension, path);
}
