/* SPDX-License-Identifier: BSD-2-Clause */
/* Parameters of a pipeline. */
#include "param.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "option.h"
#include "option_text.h"
#include "param_declare.h"

enum { PID_MAX = 4194304 };

/* What every pipeline has. The first four may be declared, to set their default and help. */
static const struct builtin {
	const char *name;
	const char *fallback;
	const char *help;
	enum param_type type;
	bool declarable;
} builtins[] = {
	{ "format", "table", "how results are written", PARAM_TEXT, true },
	{ "output", "", "write to this file; its extension chooses the format", PARAM_TEXT, true },
	{ "duration", "0", "end after this time; 0: not by time", PARAM_DURATION, true },
	{ "count", "0", "end after this many reports or events; 0: not by number", PARAM_INT,
	  true },
	{ "root", "/", "read /proc and /sys below this folder", PARAM_TEXT, false },
	{ "stats", "false", "at the end, show what went through, was lost, and cost", PARAM_BOOL,
	  false },
	{ "quiet", "false", "warnings and errors only", PARAM_BOOL, false },
	{ "verbose", "false", "say more", PARAM_BOOL, false },
	{ "deadline", "5s", "longest wait for an orderly end", PARAM_DURATION, true },
	{ "help", "false", "show this", PARAM_BOOL, false },
};

static const struct builtin *find_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(builtins[0]); i++)
		if (strcmp(builtins[i].name, name) == 0)
			return &builtins[i];
	return NULL;
}

static void param_clear(struct param *param)
{
	free(param->name);
	free(param->help);
	free(param->fallback);
	free(param->choices);
	free(param->value);
	free(param->stand_in);
}

void params_free(struct pipeline *pipeline)
{
	for (uint32_t i = 0; i < pipeline->param_count; i++)
		param_clear(&pipeline->params[i]);
	free(pipeline->params);
}

struct param *param_find(const struct pipeline *pipeline, const char *name)
{
	for (uint32_t i = 0; i < pipeline->param_count; i++)
		if (strcmp(pipeline->params[i].name, name) == 0)
			return &pipeline->params[i];
	return NULL;
}

const char *param_nearest(const struct pipeline *pipeline, const char *name)
{
	const char **names = calloc(pipeline->param_count + 1, sizeof(*names));
	const char *nearest;

	if (!names)
		return NULL;
	for (uint32_t i = 0; i < pipeline->param_count; i++)
		names[i] = pipeline->params[i].name;
	nearest = diag_nearest(name, names, pipeline->param_count);
	free(names);
	return nearest;
}

const char *param_value(const struct param *param)
{
	return param->value ? param->value : param->fallback;
}

char *param_stand_in(const struct param *param)
{
	/* A text may be a name, a path or a condition: "true" is all of them. */
	static const char *const texts[] = {
		[PARAM_TEXT] = "true", [PARAM_BOOL] = "false",  [PARAM_INT] = "1",
		[PARAM_NUMBER] = "1",  [PARAM_DURATION] = "1s", [PARAM_SIZE] = "1MiB",
		[PARAM_CHOICE] = "",   [PARAM_PID] = "1",       [PARAM_TEXTS] = "true",
	};

	if (param->type == PARAM_CHOICE && param->choices)
		return strndup(param->choices, strcspn(param->choices, " "));
	return strdup(texts[param->type]);
}

struct weir_option param_option(const struct param *param)
{
	static const uint32_t types[] = {
		[PARAM_TEXT] = WEIR_OPTION_TEXT,         [PARAM_BOOL] = WEIR_OPTION_BOOL,
		[PARAM_INT] = WEIR_OPTION_INT,           [PARAM_NUMBER] = WEIR_OPTION_DOUBLE,
		[PARAM_DURATION] = WEIR_OPTION_DURATION, [PARAM_SIZE] = WEIR_OPTION_SIZE,
		[PARAM_CHOICE] = WEIR_OPTION_CHOICE,     [PARAM_PID] = WEIR_OPTION_UINT,
		[PARAM_TEXTS] = WEIR_OPTION_TEXTS,
	};
	struct weir_option option = {
		.name = param->name,
		.doc = param->help,
		.fallback = param->fallback,
		.choices = param->choices,
		.type = types[param->type],
		.bytes = 8,
	};

	if (param->type == PARAM_PID) {
		option.minimum = 1;
		option.maximum = PID_MAX;
	}
	if (param->builtin && param->type == PARAM_INT)
		option.maximum = INT64_MAX;
	return option;
}

int param_check(const struct param *param, const char *value, const struct place *place,
		struct diag *diag)
{
	struct weir_option option = param_option(param);
	union option_value parsed;
	char why[768];
	int err = option_parse(&option, value, &parsed, why, sizeof(why));

	if (err == -ENOMEM)
		return err;
	return err ? diag_error(diag, place, "%s: %s", param->name, why) : 0;
}

int param_set(struct param *param, const char *value, const struct place *place, struct diag *diag)
{
	int err = param_check(param, value, place, diag);
	char *copy;

	if (err)
		return err;
	copy = strdup(value);
	if (!copy)
		return -ENOMEM;
	free(param->value);
	param->value = copy;
	param->value_place = *place;
	return 0;
}

/* Gives a parameter what a built-in one of its name has and its declaration leaves out. */
static int complete(struct param *param, const struct builtin *builtin)
{
	param->type = builtin->type;
	param->builtin = true;
	if (!param->name)
		param->name = strdup(builtin->name);
	if (!param->fallback)
		param->fallback = strdup(builtin->fallback);
	if (!param->help)
		param->help = strdup(builtin->help);
	return param->name && param->fallback && param->help ? 0 : -ENOMEM;
}

static int declare(struct pipeline *pipeline, const struct tree *key, const struct tree *item,
		   struct diag *diag)
{
	const struct builtin *builtin = find_builtin(key->text);
	struct param *param = &pipeline->params[pipeline->param_count];
	int err;

	if (builtin && !builtin->declarable)
		return diag_error(diag, &key->place,
				  "every pipeline has --%s already: choose another name",
				  key->text);
	param->builtin = builtin != NULL;
	param->type = builtin ? builtin->type : PARAM_TEXT;
	param->place = key->place;
	param->name = strdup(key->text);
	if (!param->name)
		return -ENOMEM;
	pipeline->param_count++;
	err = param_declare(param, item, diag);
	/* Where it is used is no second error. */
	if (err && !param->fallback)
		param->fallback = strdup("");
	if (builtin && complete(param, builtin) < 0)
		return -ENOMEM;
	return err;
}

int params_read(struct pipeline *pipeline, const struct tree *section, struct diag *diag)
{
	size_t builtin_count = sizeof(builtins) / sizeof(builtins[0]);
	uint32_t declared = section && section->kind == TREE_MAP ? section->count : 0;
	int err = 0;

	pipeline->params = calloc(declared + builtin_count, sizeof(*pipeline->params));
	if (!pipeline->params)
		return -ENOMEM;
	for (uint32_t i = 0; i < declared; i++) {
		int wrong = declare(pipeline, section->keys[i], section->items[i], diag);

		if (wrong == -ENOMEM)
			return wrong;
		err = wrong ? wrong : err;
	}
	for (size_t i = 0; i < builtin_count; i++)
		if (!param_find(pipeline, builtins[i].name) &&
		    complete(&pipeline->params[pipeline->param_count++], &builtins[i]) < 0)
			return -ENOMEM;
	return err;
}

/* Parses a built-in value, which was checked where it was written. */
static union option_value run_value(const struct pipeline *pipeline, const char *name)
{
	const struct param *param = param_find(pipeline, name);
	struct weir_option option = param_option(param);
	union option_value value;
	char why[768];

	option_parse(&option, param_value(param), &value, why, sizeof(why));
	return value;
}

/* Copies a built-in text; "" where it may be NULL. */
static int run_text(const struct pipeline *pipeline, const char *name, bool given_only, char **text)
{
	const struct param *param = param_find(pipeline, name);
	const char *value = given_only ? NULL : param->fallback;

	if (param->value && param->value[0])
		value = param->value;
	if (!value || !value[0])
		return 0;
	*text = strdup(value);
	return *text ? 0 : -ENOMEM;
}

int params_run(struct pipeline *pipeline)
{
	struct pipeline_run *run = &pipeline->run;

	run->duration_ns = run_value(pipeline, "duration").u;
	run->count = (uint64_t)run_value(pipeline, "count").i;
	run->stats = run_value(pipeline, "stats").b;
	run->quiet = run_value(pipeline, "quiet").b;
	run->verbose = run_value(pipeline, "verbose").b;
	run->help = run_value(pipeline, "help").b;
	run->deadline_ns = run_value(pipeline, "deadline").u;
	if (run_text(pipeline, "output", false, &run->output) < 0 ||
	    run_text(pipeline, "format", true, &run->format) < 0 ||
	    run_text(pipeline, "root", false, &run->root) < 0)
		return -ENOMEM;
	return 0;
}
