/* SPDX-License-Identifier: BSD-2-Clause */
/* What plugin.c is made of: folders, the judging of one file, its tables. For plugin*.c only. */
#ifndef CORE_PLUGIN_PARTS_H
#define CORE_PLUGIN_PARTS_H

#include "plugin.h"

/* The folders that are searched, in order. */
struct plugin_folders {
	char **items;
	uint32_t count;
};

/* A file NAME.so in one of them. */
struct plugin_file {
	char *name;
	char *path;
	uint32_t folder; /* its position: the first of equal names is the one that is used */
};

/* plugin_path.c. 0 or -ENOMEM; clear is right after a failed init, too. */
int plugin_folders_init(struct plugin_folders *folders, const char *const *paths, uint32_t count);
void plugin_folders_clear(struct plugin_folders *folders);
/* The path of NAME.so in the first folder that has it: malloc'd, or NULL. */
char *plugin_folders_find(const struct plugin_folders *folders, const char *name);
/* All files of all folders, each once. What was made is the caller's, also after -ENOMEM. */
int plugin_files(const struct plugin_folders *folders, struct plugin_file **files, uint32_t *count);
void plugin_files_free(struct plugin_file *files, uint32_t count);

/*
 * plugin_trust.c: opens a plugin file for reading. As root, only if root alone can write it and
 * all that leads to it. The fd, or a negative errno with the reason in `why`. *real is the path
 * without symbolic links, which the caller frees.
 */
int plugin_open(const char *path, char **real, char *why, size_t why_size);

/*
 * plugin_load.c: judges and loads one file. `name`: what the component must be called, or NULL.
 * 0, or a negative errno with one line in `error`.
 */
int plugin_load(const char *path, const char *name, struct plugin **plugin, char *error,
		size_t error_size);
/* The same without plugin_lint(), for the conformance kit, which shows all that it finds. */
int plugin_load_unlinted(const char *path, struct plugin **plugin, char *error, size_t error_size);
/* The same, as far as the note: nothing of the file is run. */
int plugin_read_note(const char *path, const char *name, struct weir_note *note, char *error,
		     size_t error_size);
/* A component that is linked into weir. NULL: no memory. */
struct plugin *plugin_of_component(const struct weir_component *component);
void plugin_free(struct plugin *plugin); /* NULL is allowed; the file stays mapped */
/* True when a host of that version takes a plugin with that note: the rule of abi.h. */
bool plugin_abi_accepted(uint32_t host_major, uint32_t host_minor, const struct weir_note *note);

/*
 * plugin_tables.c: gives the component's tables, schemas included, this weir's item sizes. What
 * has to be copied for that goes to *memory. 0, or a negative errno with the reason in `why`.
 */
int plugin_tables_convert(struct weir_component *component, void **memory, char *why,
			  size_t why_size);
void plugin_tables_free(void *memory); /* NULL is allowed */

/* plugin_lint.c: "disk.latency": words of [a-z][a-z0-9_]*, joined by dots. */
bool plugin_name_ok(const char *name);

#endif
