/* SPDX-License-Identifier: BSD-2-Clause */
/* weir run, also as `weir PIPELINE`. The first half of it is weir check. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "cmd.h"
#include "diag.h"
#include "graph.h"
#include "log.h"

/* Names that a word may have been meant to be. */
struct words {
	const char **items;
	char **copies;
	size_t count;
};

static void add_word(const char *name, const char *path, const char *question, void *arg)
{
	struct words *words = arg;
	char **grown = reallocarray(words->copies, words->count + 1, sizeof(*grown));

	(void)path;
	(void)question;
	if (!grown)
		return;
	words->copies = grown;
	grown[words->count] = strdup(name);
	if (grown[words->count])
		words->count++;
}

char *cmd_nearest(const char *word)
{
	struct words words = { NULL, NULL, 0 };
	const char *nearest = NULL;
	char *copy;

	for (size_t i = 0; i < command_count; i++)
		add_word(commands[i].name, NULL, NULL, &words);
	pipelines_each(add_word, &words);
	nearest = diag_nearest(word, (const char *const *)words.copies, words.count);
	copy = nearest ? strdup(nearest) : NULL;
	for (size_t i = 0; i < words.count; i++)
		free(words.copies[i]);
	free(words.copies);
	return copy;
}

/* Says what a word that is no pipeline may have been meant to be. */
static void report_unknown(const char *word, const struct diag *diag)
{
	char *nearest = strchr(word, '/') ? NULL : cmd_nearest(word);

	if (nearest)
		log_line(NULL, "no command or pipeline \"%s\"; did you mean \"%s\"?", word,
			 nearest);
	else
		diag_print(diag, stderr);
	free(nearest);
}

/* True when there are nodes that can be looked at, whatever else is wrong with the pipeline. */
static bool has_nodes(const struct pipeline *pipeline)
{
	if (!pipeline || pipeline->run.help || pipeline->node_count == 0)
		return false;
	for (uint32_t i = 0; i < pipeline->node_count; i++)
		if (!pipeline->nodes[i].plugin && !pipeline->nodes[i].by_format)
			return false;
	return true;
}

/* Errors of the text do not hide those of the components: all are reported. */
static int read_and_build(struct cmd *cmd, uint64_t child, struct prepared *prepared)
{
	int err, built = 0;

	if (prepared->look)
		err = pipeline_look(prepared->path, prepared->diag, &prepared->pipeline);
	else
		err = pipeline_read(prepared->path, cmd->argc - 1, cmd->argv + 1, child,
				    prepared->diag, &prepared->pipeline);
	if (prepared->pipeline)
		prepared->pipeline->faulty = err < 0;
	if (err != -ENOMEM && has_nodes(prepared->pipeline))
		built = graph_new(prepared->pipeline, cmd->plugins, prepared->diag,
				  &prepared->graph);
	return err < 0 ? err : built;
}

int cmd_prepare(struct cmd *cmd, uint64_t child, struct prepared *prepared)
{
	int err;

	prepared->diag = diag_new();
	if (!prepared->diag) {
		log_line(NULL, "no memory");
		return CMD_FAILED;
	}
	prepared->path = pipeline_locate(cmd->argv[0], prepared->diag);
	if (!prepared->path) {
		report_unknown(cmd->argv[0], prepared->diag);
		return CMD_USAGE;
	}
	err = read_and_build(cmd, child, prepared);
	diag_print(prepared->diag, stderr);
	if (err == -ENOMEM)
		return CMD_FAILED;
	return err < 0 || diag_count(prepared->diag) > 0 ? CMD_USAGE : CMD_DONE;
}

void cmd_release(struct cmd *cmd, struct prepared *prepared)
{
	if (graph_free(prepared->graph))
		pipeline_free(prepared->pipeline);
	else
		cmd->hangs = true;
	free(prepared->path);
	diag_free(prepared->diag);
}

/* The command after "--" is forked first, and held, so that its pid is known to the pipeline. */
static int start_command(struct cmd *cmd, struct child **child)
{
	int at = pipeline_command(cmd->argc, cmd->argv);
	int err;

	if (at + 1 >= cmd->argc)
		return CMD_DONE;
	err = child_start(cmd->argv + at + 1, child);
	if (err == 0)
		return CMD_DONE;
	log_line(NULL, "fork for %s: %s", cmd->argv[at + 1], strerror(-err));
	return CMD_FAILED;
}

int cmd_run(struct cmd *cmd)
{
	struct prepared prepared = { 0 };
	struct child *child = NULL;
	int status = start_command(cmd, &child);

	if (status == CMD_DONE)
		status = cmd_prepare(cmd, child ? (uint64_t)child_pid(child) : 0, &prepared);
	if (status == CMD_DONE && prepared.pipeline->run.help) {
		pipeline_help(prepared.pipeline, stdout);
	} else if (status == CMD_DONE) {
		prepared.pipeline->run.held = child;
		status = graph_run(prepared.graph);
	}
	cmd_release(cmd, &prepared);
	child_free(child);
	return status;
}
