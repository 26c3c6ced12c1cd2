/* SPDX-License-Identifier: BSD-2-Clause */
/* The declaration of a parameter: {type, default, help, choices, positional}. */
#include "param_declare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "keys.h"

static const char *const type_names[] = {
	[PARAM_TEXT] = "string",   [PARAM_BOOL] = "bool",         [PARAM_INT] = "int",
	[PARAM_NUMBER] = "number", [PARAM_DURATION] = "duration", [PARAM_SIZE] = "size",
	[PARAM_CHOICE] = "choice", [PARAM_PID] = "pid",           [PARAM_TEXTS] = "strings",
};

#define TYPES "string, bool, int, number, duration, size, choice, pid or strings"

enum { TYPE_COUNT = sizeof(type_names) / sizeof(type_names[0]) };

static const char *const declaration_keys[] = { "type", "default", "help", "choices",
						"positional" };
static const char *const builtin_keys[] = { "default", "help" };

const char *param_type_name(enum param_type type)
{
	return type_names[type];
}

static int read_type(struct param *param, const struct tree *item, const struct tree *type,
		     struct diag *diag)
{
	const char *nearest;

	if (!type)
		return diag_error(diag, &item->place, "parameter \"%s\" needs a type: " TYPES,
				  param->name);
	for (uint32_t i = PARAM_TEXT; i < TYPE_COUNT; i++) {
		if (type->kind == TREE_SCALAR && strcmp(type->text, type_names[i]) == 0) {
			param->type = (enum param_type)i;
			return 0;
		}
	}
	if (type->kind != TREE_SCALAR)
		return diag_error(diag, &type->place, "type takes one word, not %s",
				  tree_kind_name(type));
	nearest = diag_nearest(type->text, type_names + 1, TYPE_COUNT - 1);
	if (nearest)
		return diag_error(diag, &type->place,
				  "there is no type \"%s\"; did you mean \"%s\"?", type->text,
				  nearest);
	return diag_error(diag, &type->place, "there is no type \"%s\": use " TYPES, type->text);
}

/* Joins a list of words by `separator` (no word holds it), or takes one text as it is. */
static int read_words(const struct tree *tree, char separator, char **text, struct diag *diag)
{
	FILE *out;
	size_t size;
	int err = 0;

	if (tree->kind == TREE_SCALAR && !tree_is_null(tree)) {
		*text = strdup(tree->text);
		return *text ? 0 : -ENOMEM;
	}
	if (tree->kind != TREE_LIST)
		return diag_error(diag, &tree->place, "a list of words is expected, not %s",
				  tree_kind_name(tree));
	out = open_memstream(text, &size);
	if (!out)
		return -ENOMEM;
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct tree *item = tree->items[i];

		if (item->kind != TREE_SCALAR || !item->text[0] || strchr(item->text, separator))
			err = diag_error(diag, &item->place, "a word without \"%c\" is expected",
					 separator);
		else
			fprintf(out, "%s%s", i ? (char[]){ separator, '\0' } : "", item->text);
	}
	if (fclose(out) != 0)
		return -ENOMEM;
	return err;
}

static int read_choices(struct param *param, const struct tree *item, const struct tree *choices,
			struct diag *diag)
{
	if (param->type == PARAM_CHOICE && !choices)
		return diag_error(diag, &item->place,
				  "parameter \"%s\" needs choices: [one, other]", param->name);
	if (param->type != PARAM_CHOICE && choices)
		return diag_error(diag, &choices->place,
				  "choices are for the type choice, and \"%s\" is of type %s",
				  param->name, type_names[param->type]);
	return choices ? read_words(choices, ' ', &param->choices, diag) : 0;
}

/* A pid of 0 is allowed here, though not on the command line: it says "no process". */
static bool is_no_pid(const struct param *param)
{
	return param->type == PARAM_PID && strcmp(param->fallback, "0") == 0;
}

static int read_default(struct param *param, const struct tree *value, struct diag *diag)
{
	if (!value)
		return 0;
	if (param->type == PARAM_TEXTS)
		return read_words(value, ',', &param->fallback, diag);
	if (value->kind != TREE_SCALAR || tree_is_null(value))
		return diag_error(diag, &value->place,
				  "default takes one value, not %s; an empty text is \"\"",
				  tree_kind_name(value));
	if (strstr(value->text, "${"))
		return diag_error(diag, &value->place,
				  "a default stands for itself: ${...} belongs to where the "
				  "parameter is used");
	param->fallback = strdup(value->text);
	if (!param->fallback)
		return -ENOMEM;
	if (is_no_pid(param))
		return 0;
	return param_check(param, param->fallback, &value->place, diag);
}

static int read_help(struct param *param, const struct tree *help, struct diag *diag)
{
	if (help && help->kind != TREE_SCALAR)
		return diag_error(diag, &help->place, "help takes one line of text, not %s",
				  tree_kind_name(help));
	param->help = strdup(help ? help->text : "");
	return param->help ? 0 : -ENOMEM;
}

static int read_positional(struct param *param, const struct tree *positional, struct diag *diag)
{
	if (!positional)
		return 0;
	if (positional->kind == TREE_SCALAR && strcmp(positional->text, "true") == 0)
		param->positional = true;
	else if (positional->kind != TREE_SCALAR || strcmp(positional->text, "false") != 0)
		return diag_error(diag, &positional->place, "positional is true or false");
	if (param->positional && param->type == PARAM_BOOL)
		return diag_error(diag, &positional->place, "a bool has no position: it is --%s",
				  param->name);
	return 0;
}

static int first_error(int err, int next)
{
	return err ? err : next;
}

int param_declare(struct param *param, const struct tree *item, struct diag *diag)
{
	int err;

	if (!keys_name(param->name))
		return diag_error(diag, &param->place,
				  "\"%s\" is no name for a parameter: a to z, 0 to 9 and _, "
				  "beginning with a letter",
				  param->name);
	if (item->kind != TREE_MAP)
		return diag_error(diag, &item->place,
				  "parameter \"%s\" takes {type, default, help}, not %s",
				  param->name, tree_kind_name(item));
	if (param->builtin) {
		err = keys_check(item, param->name, builtin_keys,
				 sizeof(builtin_keys) / sizeof(builtin_keys[0]), diag);
		if (tree_get(item, "help"))
			err = first_error(err, read_help(param, tree_get(item, "help"), diag));
		return first_error(err, read_default(param, tree_get(item, "default"), diag));
	}
	err = keys_check(item, param->name, declaration_keys,
			 sizeof(declaration_keys) / sizeof(declaration_keys[0]), diag);
	err = first_error(err, read_help(param, tree_get(item, "help"), diag));
	if (read_type(param, item, tree_get(item, "type"), diag) < 0)
		err = -EINVAL;
	else
		err = first_error(err, read_choices(param, item, tree_get(item, "choices"), diag));
	if (param->type == PARAM_CHOICE && !param->choices)
		param->type = PARAM_TEXT; /* said already: the default is not to blame */
	err = first_error(err, read_default(param, tree_get(item, "default"), diag));
	return first_error(err, read_positional(param, tree_get(item, "positional"), diag));
}
