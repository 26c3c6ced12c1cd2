/* SPDX-License-Identifier: BSD-2-Clause */
/* Options for the sink by ${format}; see extra.h. */
#include "extra.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "param.h"
#include "substitute.h"

bool extras_wanted(const struct pipeline *pipeline)
{
	const struct tree *sinks = tree_get(pipeline->tree, "sinks");

	for (uint32_t i = 0; sinks && sinks->kind == TREE_MAP && i < sinks->count; i++) {
		const struct tree *plugin = tree_get(sinks->items[i], "plugin");

		if (plugin && substitute_refers(plugin, "format"))
			return true;
	}
	return false;
}

int extra_add(struct pipeline *pipeline, const struct extra *extra)
{
	struct extra *extras =
		reallocarray(pipeline->extras, pipeline->extra_count + 1, sizeof(*extras));
	struct extra *own;

	if (!extras)
		return -ENOMEM;
	pipeline->extras = extras;
	own = &extras[pipeline->extra_count++];
	*own = *extra;
	own->name = strdup(extra->name);
	own->value = strdup(extra->value);
	return own->name && own->value ? 0 : -ENOMEM;
}

void extras_free(struct pipeline *pipeline)
{
	for (uint32_t i = 0; i < pipeline->extra_count; i++) {
		free(pipeline->extras[i].name);
		free(pipeline->extras[i].value);
	}
	free(pipeline->extras);
}

static const struct weir_option *find_option(const struct weir_component *component,
					     const char *name)
{
	for (uint32_t i = 0; i < component->options.count; i++)
		if (strcmp(component->options.items[i].name, name) == 0)
			return &component->options.items[i];
	return NULL;
}

/* --no-NAME, of a bool. */
static const struct weir_option *find_negated(const struct weir_component *component,
					      const char *name)
{
	const struct weir_option *option =
		strncmp(name, "no_", 3) == 0 ? find_option(component, name + 3) : NULL;

	return option && option->type == WEIR_OPTION_BOOL ? option : NULL;
}

static int put(struct tree *options, const char *name, const char *value, const struct extra *extra)
{
	struct tree *key = tree_new(TREE_SCALAR, &extra->place, name);
	struct tree *item = tree_new(TREE_SCALAR, &extra->value_place, value);

	if (!key || !item) {
		tree_free(key);
		tree_free(item);
		return -ENOMEM;
	}
	tree_free(tree_take(options, name));
	return tree_add(options, key, item);
}

static int give(const struct weir_component *component, struct tree *options, struct extra *extra)
{
	const struct weir_option *option = find_option(component, extra->name);
	const struct weir_option *negated = option ? NULL : find_negated(component, extra->name);

	if (!option && !negated)
		return 0;
	extra->taken = true;
	return option ? put(options, option->name, extra->value, extra)
		      : put(options, negated->name, "false", extra);
}

int extras_give(const struct pipeline *pipeline, const struct weir_component *component,
		struct tree *options)
{
	int err = 0;

	for (uint32_t i = 0; i < pipeline->extra_count && !err; i++)
		err = give(component, options, &pipeline->extras[i]);
	return err;
}

void extras_forgive(const struct weir_component *component, const struct weir_component *usual,
		    struct tree *options)
{
	for (uint32_t i = 0; options && i < options->count;) {
		const char *name = options->keys[i]->text;

		if (!find_option(component, name) && find_option(usual, name))
			tree_free(tree_take(options, name));
		else
			i++;
	}
}

int extra_unknown(const struct pipeline *pipeline, const char *name, const char *written,
		  const struct place *place, struct diag *diag)
{
	const char *nearest = param_nearest(pipeline, name);

	return diag_error(diag, place, "%s has no option %.*s%s%s%s", pipeline->name,
			  (int)strcspn(written, "="), written, nearest ? "; did you mean --" : "",
			  nearest ? nearest : "", nearest ? "?" : "; --help lists them");
}

int extras_check(const struct pipeline *pipeline, struct diag *diag)
{
	int err = 0;

	for (uint32_t i = 0; i < pipeline->extra_count; i++) {
		const struct extra *extra = &pipeline->extras[i];
		char written[64];

		if (extra->taken)
			continue;
		snprintf(written, sizeof(written), "--%s", extra->name);
		for (char *at = written; *at; at++)
			if (*at == '_')
				*at = '-';
		err = extra_unknown(pipeline, extra->name, written, &extra->place, diag);
	}
	return err;
}
