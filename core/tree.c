/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree of scalars, lists and maps. */
#include "tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct tree *tree_new(enum tree_kind kind, const struct place *place, const char *text)
{
	struct tree *tree = calloc(1, sizeof(*tree));

	if (!tree)
		return NULL;
	tree->kind = kind;
	tree->place = *place;
	if (kind == TREE_SCALAR) {
		tree->text = strdup(text);
		if (!tree->text) {
			free(tree);
			return NULL;
		}
	}
	return tree;
}

void tree_free(struct tree *tree)
{
	if (!tree)
		return;
	for (uint32_t i = 0; i < tree->count; i++) {
		if (tree->keys)
			tree_free(tree->keys[i]);
		tree_free(tree->items[i]);
	}
	free(tree->keys);
	free(tree->items);
	free(tree->text);
	free(tree);
}

/* Room for one more in an array that doubles whenever its count is a power of two. */
static int make_room(struct tree ***array, uint32_t count)
{
	size_t wanted = count ? 2 * (size_t)count : 1;
	struct tree **grown;

	if (count & (count - 1))
		return 0;
	grown = reallocarray(*array, wanted, sizeof(struct tree *));
	if (!grown)
		return -ENOMEM;
	*array = grown;
	return 0;
}

int tree_add(struct tree *tree, struct tree *key, struct tree *item)
{
	if (make_room(&tree->items, tree->count) < 0 ||
	    (key && make_room(&tree->keys, tree->count) < 0)) {
		tree_free(key);
		tree_free(item);
		return -ENOMEM;
	}
	if (key)
		tree->keys[tree->count] = key;
	tree->items[tree->count++] = item;
	return 0;
}

/* Position of a key; the map's count: not there. */
static uint32_t find(const struct tree *map, const char *key)
{
	uint32_t i = 0;

	while (i < map->count && strcmp(map->keys[i]->text, key) != 0)
		i++;
	return i;
}

struct tree *tree_key(const struct tree *map, const char *key)
{
	uint32_t i;

	if (!map || map->kind != TREE_MAP)
		return NULL;
	i = find(map, key);
	return i < map->count ? map->keys[i] : NULL;
}

struct tree *tree_get(const struct tree *map, const char *key)
{
	uint32_t i;

	if (!map || map->kind != TREE_MAP)
		return NULL;
	i = find(map, key);
	return i < map->count ? map->items[i] : NULL;
}

struct tree *tree_take(struct tree *map, const char *key)
{
	uint32_t i = find(map, key);
	size_t behind = map->count - i;
	struct tree *item;

	if (behind == 0)
		return NULL;
	item = map->items[i];
	tree_free(map->keys[i]);
	memmove(&map->keys[i], &map->keys[i + 1], (behind - 1) * sizeof(struct tree *));
	memmove(&map->items[i], &map->items[i + 1], (behind - 1) * sizeof(struct tree *));
	map->count--;
	return item;
}

bool tree_is_null(const struct tree *tree)
{
	return tree->kind == TREE_SCALAR && !tree->quoted && tree->text[0] == '\0';
}

const char *tree_kind_name(const struct tree *tree)
{
	static const char *const names[] = { "", "a value", "a list", "a map" };

	return tree_is_null(tree) ? "nothing" : names[tree->kind];
}
