/* SPDX-License-Identifier: BSD-2-Clause */
/* Plugins: finding, judging, loading. No code of a file runs before its note has been accepted. */
#ifndef CORE_PLUGIN_H
#define CORE_PLUGIN_H

#include <stdbool.h>

#include <weir/component.h>

struct plugin {
	char *path; /* "" for one that is linked into weir */
	struct weir_note note;
	/* Copied by min(size, sizeof) into zeroed memory; tables have this weir's item sizes. */
	struct weir_component component;
	void *tables; /* what the component's tables point to, where they had to be converted */
	struct plugin *next;
};

struct plugins;

/* `paths`: from --plugin-path, in order, before WEIR_PLUGIN_PATH and the built-in folders. */
struct plugins *plugins_new(const char *const *paths, uint32_t count); /* NULL: no memory */
void plugins_free(struct plugins *plugins);

/*
 * The component of that name, or of a path (a name that holds '/'). Loaded once; never unloaded.
 * NULL: `error` says which file, built for what, what is accepted, what to do; or that
 * there is none, with a suggestion.
 */
const struct plugin *plugin_find(struct plugins *plugins, const char *name, char *error,
				 size_t error_size);

/*
 * The provider of a service: "process" finds process.so or process.*.so; "vendor::pmu" finds
 * pmu.vendor. More than one is an error that names them.
 */
const struct plugin *plugin_find_service(struct plugins *plugins, const char *service, char *error,
					 size_t error_size);

/*
 * Provider i of a service, by name. NULL: past the last, or, with an `error`, one that is refused.
 */
const struct plugin *plugin_service_at(struct plugins *plugins, const char *service, uint32_t i,
				       char *error, size_t error_size);

/* Every plugin file there is, loaded or refused (`plugin` NULL, `error` says why), sorted by name. */
typedef void plugin_seen_fn(const char *path, const struct plugin *plugin, const char *error,
			    void *arg);
void plugins_each(struct plugins *plugins, plugin_seen_fn *seen, void *arg);

/* The sink that serves a format's name, or an output file's extension; NULL: none. */
const struct plugin *plugin_for_format(struct plugins *plugins, const char *format);
const struct plugin *plugin_for_extension(struct plugins *plugins, const char *path);

/*
 * What the descriptor itself has wrong (names, tables, schemas, options that do not lie in their
 * struct): one line each through `say`. Returns their number. Used on each load and by weir-conform.
 */
uint32_t plugin_lint(const struct weir_component *component,
		     void (*say)(void *arg, const char *line), void *arg);

#endif
