/* SPDX-License-Identifier: BSD-2-Clause */
/* The keys and names of a pipeline's YAML. */
#include "keys.h"

#include <string.h>

#include <weir/abi.h>

bool keys_name(const char *text)
{
	size_t size = strlen(text);

	return text[0] >= 'a' && text[0] <= 'z' && size < WEIR_NAME_MAX &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == size;
}

static bool is_known(const char *key, const char *const *known, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(key, known[i]) == 0)
			return true;
	return false;
}

int keys_check(const struct tree *map, const char *what, const char *const *known, size_t count,
	       struct diag *diag)
{
	int err = 0;

	for (uint32_t i = 0; i < map->count; i++) {
		const struct tree *key = map->keys[i];
		const char *nearest;

		if (is_known(key->text, known, count))
			continue;
		nearest = diag_nearest(key->text, known, count);
		err = diag_error(diag, &key->place, "%s has no \"%s\"%s%s%s", what, key->text,
				 nearest ? "; did you mean \"" : "", nearest ? nearest : "",
				 nearest ? "\"?" : "");
	}
	return err;
}
