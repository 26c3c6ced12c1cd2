/* SPDX-License-Identifier: BSD-2-Clause */
/* A pipeline as written: file and command line, brought together. */
#include "pipeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "extra.h"
#include "keys.h"
#include "param.h"
#include "pipeline_find.h"
#include "pipeline_node.h"

static const char *const top_keys[] = { "weir", "params", "sources", "transforms", "sinks" };

void pipeline_free(struct pipeline *pipeline)
{
	if (!pipeline)
		return;
	nodes_free(pipeline);
	params_free(pipeline);
	extras_free(pipeline);
	tree_free(pipeline->tree);
	free(pipeline->name);
	free(pipeline->path);
	free(pipeline->question);
	free(pipeline->doc);
	free(pipeline->run.output);
	free(pipeline->run.format);
	free(pipeline->run.root);
	free(pipeline);
}

static int check_version(const struct tree *root, struct diag *diag)
{
	const struct tree *version = tree_get(root, "weir");

	if (!version)
		return diag_error(diag, &root->place,
				  "\"weir: 1\" is missing: it says which form of pipeline this is");
	if (version->kind != TREE_SCALAR || strcmp(version->text, "1") != 0)
		return diag_error(diag, &version->place,
				  "this weir reads pipelines of form 1 (\"weir: 1\") only");
	return 0;
}

/* What each section holds. */
static const struct {
	const char *section;
	const char *form;
} sections[] = {
	{ "params", "NAME: {type: TYPE}" },
	{ "sources", "NAME: {plugin: NAME}" },
	{ "transforms", "NAME: {plugin: NAME, inputs: [NODE]}" },
	{ "sinks", "NAME: {plugin: NAME, inputs: [NODE]}" },
};

/* The sections. Where one is not what it should be, who is missing where is not known. */
static int check_sections(const struct tree *root, struct diag *diag)
{
	int err = keys_check(root, "a pipeline", top_keys, sizeof(top_keys) / sizeof(top_keys[0]),
			     diag);

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct tree *tree = tree_get(root, sections[i].section);

		if (tree && tree->kind != TREE_MAP && !tree_is_null(tree))
			err = diag_error(diag, &tree->place, "%s takes \"%s\", not %s",
					 sections[i].section, sections[i].form,
					 tree_kind_name(tree));
	}
	return err;
}

/* The command's pid is the value of ${pid}. */
static int set_child(struct pipeline *pipeline, struct diag *diag)
{
	struct param *pid = param_find(pipeline, "pid");

	if (!pid || (!pipeline->run.child && !pipeline->run.command))
		return 0;
	if (pid->value)
		return diag_error(diag, &pid->value_place,
				  "--pid and a command exclude each other: the command's pid is "
				  "taken");
	if (!pipeline->run.child)
		return 0;
	if (asprintf(&pid->value, "%llu", (unsigned long long)pipeline->run.child) < 0) {
		pid->value = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* A parameter that nothing refers to would be given in vain. */
static int check_used(const struct pipeline *pipeline, struct diag *diag)
{
	int err = 0;

	for (uint32_t i = 0; i < pipeline->param_count; i++) {
		const struct param *param = &pipeline->params[i];

		if (!param->builtin && !param->used)
			err = diag_error(diag, &param->place,
					 "nothing uses the parameter \"%s\": write ${%s} where it "
					 "belongs",
					 param->name, param->name);
	}
	return err;
}

/* Keeps the first error; false where there is no memory to go on with. */
static bool note(int *err, int next)
{
	if (!*err || next == -ENOMEM)
		*err = next;
	return next != -ENOMEM;
}

/* What the file and the command line say, before any node. */
static int read_run(struct pipeline *pipeline, int argc, char **argv, struct diag *diag)
{
	const struct tree *params = tree_get(pipeline->tree, "params");
	int err = check_version(pipeline->tree, diag);

	if (note(&err, params_read(pipeline, params, diag)) &&
	    note(&err, args_read(pipeline, argc, argv, diag)))
		note(&err, params_run(pipeline));
	return err;
}

/* What follows once the tree is there. */
static int build(struct pipeline *pipeline, int argc, char **argv, struct diag *diag)
{
	int wrong = check_sections(pipeline->tree, diag);
	int err = wrong;

	if (!note(&err, read_run(pipeline, argc, argv, diag)) || pipeline->run.help)
		return err;
	if (note(&err, set_child(pipeline, diag)) && note(&err, nodes_read(pipeline, diag)) &&
	    !wrong)
		note(&err, nodes_check(pipeline, diag));
	return err ? err : check_used(pipeline, diag);
}

static struct pipeline *pipeline_new(const struct diag_text *text, uint64_t child)
{
	struct pipeline *pipeline = calloc(1, sizeof(*pipeline));

	if (!pipeline)
		return NULL;
	pipeline->run.child = child;
	pipeline->path = strdup(text->name);
	pipeline->name = find_name(text->name);
	pipeline->doc = find_doc(text->bytes);
	pipeline->question = pipeline->doc ? find_question(pipeline->doc) : NULL;
	if (pipeline->path && pipeline->name && pipeline->question)
		return pipeline;
	pipeline_free(pipeline);
	return NULL;
}

/* `pipeline` NULL: there was no memory for it. */
static int parse(struct pipeline *pipeline, const struct diag_text *text, int argc, char **argv,
		 struct diag *diag)
{
	int err = pipeline ? config_parse(text, diag, &pipeline->tree) : -ENOMEM;

	if (pipeline && !pipeline->tree)
		return err;
	if (pipeline)
		note(&err, build(pipeline, argc, argv, diag));
	if (err == -ENOMEM)
		diag_error(diag, NULL, "%s: no memory", text->name);
	return err;
}

int pipeline_parse(const struct diag_text *text, int argc, char **argv, uint64_t child,
		   struct diag *diag, struct pipeline **pipeline)
{
	*pipeline = pipeline_new(text, child);
	return parse(*pipeline, text, argc, argv, diag);
}

int pipeline_read(const char *path, int argc, char **argv, uint64_t child, struct diag *diag,
		  struct pipeline **pipeline)
{
	const struct diag_text *text;
	int err = config_read(path, diag, &text);

	*pipeline = NULL;
	return err ? err : pipeline_parse(text, argc, argv, child, diag, pipeline);
}

int pipeline_look(const char *path, struct diag *diag, struct pipeline **pipeline)
{
	const struct diag_text *text;
	int err = config_read(path, diag, &text);

	*pipeline = err ? NULL : pipeline_new(text, 0);
	if (err)
		return err;
	if (*pipeline)
		(*pipeline)->looked_at = true;
	return parse(*pipeline, text, 0, NULL, diag);
}
