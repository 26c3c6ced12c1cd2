/* SPDX-License-Identifier: BSD-2-Clause */
/* Option tables: from a tree and the defaults to a component's struct of options. */
#include "option.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "option_text.h"

/* One block that the filled struct points to; blocks are chained. */
struct option_memory {
	struct option_memory *next;
	char bytes[] __attribute__((aligned(16)));
};

void option_release(struct option_memory *memory)
{
	while (memory) {
		struct option_memory *next = memory->next;

		free(memory);
		memory = next;
	}
}

static void *keep(struct option_memory **memory, size_t size)
{
	struct option_memory *block = calloc(1, sizeof(*block) + size);

	if (!block)
		return NULL;
	block->next = *memory;
	*memory = block;
	return block->bytes;
}

static const char *keep_text(struct option_memory **memory, const char *text, size_t size)
{
	char *copy = keep(memory, size + 1);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

/* What filling one struct needs. */
struct filling {
	const struct weir_component *component;
	struct diag *diag;
	const struct place *node_place;
	char *conf;
	struct option_memory **memory;
};

static struct weir_option table_at(const struct weir_component *component, uint32_t i)
{
	return option_at(component->options.items, component->options.item_size, i);
}

/* Copies a parsed value of any type but TEXT and TEXTS into its member. */
static void store(const struct weir_option *option, const union option_value *value, void *member)
{
	uint32_t narrow = (uint32_t)value->u;
	int32_t narrow_signed = (int32_t)value->i;

	if (option->type == WEIR_OPTION_BOOL)
		memcpy(member, &value->b, sizeof(value->b));
	else if (option->type == WEIR_OPTION_INT && option->bytes == 4)
		memcpy(member, &narrow_signed, 4);
	else if (option->bytes == 4)
		memcpy(member, &narrow, 4);
	else
		memcpy(member, value, sizeof(*value));
}

static int no_memory(const struct filling *fill)
{
	diag_error(fill->diag, fill->node_place, "%s: no memory", fill->component->name);
	return -ENOMEM;
}

/* Fills from one text, from the pipeline or the default. */
static int fill_text(const struct filling *fill, const struct weir_option *option, const char *text,
		     const struct place *place)
{
	char *member = fill->conf + option->offset;
	union option_value value;
	char why[768];
	const char *copy;
	int err;

	if (option->type == WEIR_OPTION_TEXT) {
		copy = keep_text(fill->memory, text, strlen(text));
		if (!copy)
			return no_memory(fill);
		memcpy(member, &copy, sizeof(copy));
		return 0;
	}
	err = option_parse(option, text, &value, why, sizeof(why));
	if (err == -ENOMEM)
		return no_memory(fill);
	if (err) {
		diag_error(fill->diag, place, "%s: option \"%s\": %s", fill->component->name,
			   option->name, why);
		return err;
	}
	store(option, &value, member);
	return 0;
}

/* Fills TEXTS from texts that are separated by commas; "" is none. */
static int fill_texts(const struct filling *fill, const struct weir_option *option,
		      const char *text)
{
	struct weir_texts texts = { 0 };
	const char **items;

	if (*text)
		texts.count = 1;
	for (const char *comma = text; (comma = strchr(comma, ',')); comma++)
		texts.count++;
	items = keep(fill->memory, texts.count * sizeof(*items));
	if (!items)
		return no_memory(fill);
	for (uint32_t i = 0; i < texts.count; i++) {
		size_t size = strcspn(text, ",");

		items[i] = keep_text(fill->memory, text, size);
		if (!items[i])
			return no_memory(fill);
		text += size + 1;
	}
	texts.items = items;
	memcpy(fill->conf + option->offset, &texts, sizeof(texts));
	return 0;
}

static int check_items(const struct filling *fill, const struct weir_option *option,
		       const struct tree *list)
{
	int err = 0;

	for (uint32_t i = 0; i < list->count; i++)
		if (list->items[i]->kind != TREE_SCALAR || tree_is_null(list->items[i]))
			err = diag_error(fill->diag, &list->items[i]->place,
					 "%s: option \"%s\": item %u is %s, not a word",
					 fill->component->name, option->name, i + 1,
					 tree_kind_name(list->items[i]));
	return err;
}

static int fill_texts_list(const struct filling *fill, const struct weir_option *option,
			   const struct tree *list)
{
	struct weir_texts texts = { .count = list->count };
	const char **items = keep(fill->memory, list->count * sizeof(*items));

	if (!items)
		return no_memory(fill);
	for (uint32_t i = 0; i < list->count; i++) {
		items[i] =
			keep_text(fill->memory, list->items[i]->text, strlen(list->items[i]->text));
		if (!items[i])
			return no_memory(fill);
	}
	texts.items = items;
	memcpy(fill->conf + option->offset, &texts, sizeof(texts));
	return 0;
}

/* Fills CHOICES from a list: item by item, so that an error points at the item. */
static int fill_choices_list(const struct filling *fill, const struct weir_option *option,
			     const struct tree *list)
{
	uint32_t mask = 0;
	int err = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t one = 0;
		int wrong = fill_text(fill, option, list->items[i]->text, &list->items[i]->place);

		memcpy(&one, fill->conf + option->offset, sizeof(one));
		mask |= one;
		err = wrong ? wrong : err;
	}
	memcpy(fill->conf + option->offset, &mask, sizeof(mask));
	return err;
}

static int fill_list(const struct filling *fill, const struct weir_option *option,
		     const struct tree *list)
{
	int err = check_items(fill, option, list);

	if (err)
		return err;
	if (option->type == WEIR_OPTION_TEXTS)
		return fill_texts_list(fill, option, list);
	if (option->type == WEIR_OPTION_CHOICES)
		return fill_choices_list(fill, option, list);
	return diag_error(fill->diag, &list->place, "%s: option \"%s\" takes one value, not a list",
			  fill->component->name, option->name);
}

static int fill_written(const struct filling *fill, const struct weir_option *option,
			const struct tree *written)
{
	if (written->kind == TREE_LIST)
		return fill_list(fill, option, written);
	if (written->kind == TREE_MAP || tree_is_null(written))
		return diag_error(fill->diag, &written->place,
				  "%s: option \"%s\" has %s where a value is expected",
				  fill->component->name, option->name, tree_kind_name(written));
	if (option->type == WEIR_OPTION_TEXTS)
		return fill_texts(fill, option, written->text);
	return fill_text(fill, option, written->text, &written->place);
}

static int fill_option(const struct filling *fill, const struct weir_option *option,
		       const struct tree *tree)
{
	const struct tree *written = tree_get(tree, option->name);

	if ((uint64_t)option->offset + option->bytes > fill->component->options_size)
		return diag_error(fill->diag, fill->node_place,
				  "%s: option \"%s\" lies outside of its struct: a fault of the "
				  "plugin",
				  fill->component->name, option->name);
	if (written)
		return fill_written(fill, option, written);
	if (!option->fallback)
		return diag_error(fill->diag, fill->node_place, "%s needs the option \"%s\": %s",
				  fill->component->name, option->name,
				  option->doc ? option->doc : "");
	if (option->type == WEIR_OPTION_TEXTS)
		return fill_texts(fill, option, option->fallback);
	return fill_text(fill, option, option->fallback, fill->node_place);
}

static int unknown_option(const struct filling *fill, const struct tree *key)
{
	uint32_t count = fill->component->options.count;
	const char **names = calloc(count + 1, sizeof(*names));
	const char *nearest = NULL;

	if (!names)
		return no_memory(fill);
	for (uint32_t i = 0; i < count; i++)
		names[i] = table_at(fill->component, i).name;
	nearest = diag_nearest(key->text, names, count);
	diag_error(fill->diag, &key->place, "%s has no option \"%s\"%s%s%s", fill->component->name,
		   key->text, nearest ? "; did you mean \"" : "", nearest ? nearest : "",
		   nearest ? "\"?" : "");
	free(names);
	return -EINVAL;
}

/* Position of an option; the table's count: there is none. */
static uint32_t find_option(const struct weir_component *component, const char *name)
{
	uint32_t i = 0;

	while (i < component->options.count && strcmp(table_at(component, i).name, name) != 0)
		i++;
	return i;
}

int option_fill(const struct weir_component *component, const struct tree *tree, struct diag *diag,
		const struct place *node_place, void *conf, struct option_memory **memory)
{
	const struct filling fill = { component, diag, node_place, conf, memory };
	int err = 0;

	*memory = NULL;
	for (uint32_t i = 0; tree && i < tree->count; i++)
		if (find_option(component, tree->keys[i]->text) == component->options.count)
			err = unknown_option(&fill, tree->keys[i]);
	for (uint32_t i = 0; i < component->options.count; i++) {
		struct weir_option option = table_at(component, i);
		int wrong = fill_option(&fill, &option, tree);

		err = wrong ? wrong : err;
	}
	return err;
}

int option_set(const struct weir_component *component, void *conf, const char *name,
	       const char *value, char *error, size_t error_size)
{
	uint32_t i = find_option(component, name);
	struct weir_option option;
	union option_value parsed;
	char *member = conf;
	int err;

	if (i == component->options.count) {
		snprintf(error, error_size, "%s has no option \"%s\"", component->name, name);
		return -ENOENT;
	}
	option = table_at(component, i);
	member += option.offset;
	if (option.type == WEIR_OPTION_TEXTS) {
		snprintf(error, error_size, "option \"%s\" is a list", name);
		return -ENOTSUP;
	}
	if (option.type == WEIR_OPTION_TEXT) {
		memcpy(member, &value, sizeof(value));
		return 0;
	}
	err = option_parse(&option, value, &parsed, error, error_size);
	if (!err)
		store(&option, &parsed, member);
	return err;
}

/* "name[2]": its name and index; no index: -1. */
static long split_path(const char *path, char *name, size_t size)
{
	const char *bracket = strchr(path, '[');
	int length = bracket ? (int)(bracket - path) : (int)strlen(path);

	snprintf(name, size, "%.*s", length, path);
	return bracket ? strtol(bracket + 1, NULL, 10) : -1;
}

struct place option_place(const struct tree *tree, const char *path, const struct place *node_place)
{
	char name[128];
	long index = split_path(path, name, sizeof(name));
	const struct tree *written = tree_get(tree, name);

	if (!written)
		return *node_place;
	if (index >= 0 && written->kind == TREE_LIST && index < (long)written->count)
		return written->items[index]->place;
	return written->place;
}
