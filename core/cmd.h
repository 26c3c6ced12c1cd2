/* SPDX-License-Identifier: BSD-2-Clause */
/* The commands of weir's command line, and what they share. They print; nothing below them does. */
#ifndef CORE_CMD_H
#define CORE_CMD_H

#include <stddef.h>

#include "pipeline.h"
#include "plugin.h"

struct graph;

enum cmd_status {
	CMD_DONE = 0,
	CMD_FAILED = 1, /* while running */
	CMD_USAGE = 2,  /* bad usage, or a bad pipeline */
	CMD_LACKS = 3,  /* the host does not allow what is needed */
};

/* One call of a command. argv is what follows its name. */
struct cmd {
	struct plugins *plugins;
	int argc;
	char **argv;
	bool hangs; /* set by a run whose threads go on: the plugins must not be freed */
};

struct command {
	const char *name;
	const char *usage;           /* what follows the name */
	const char *help;            /* one line */
	int (*run)(struct cmd *cmd); /* returns the exit status */
	int least, most;             /* arguments; most -1: any number */
};

/* main.c */
extern const struct command commands[];
extern const size_t command_count;

int cmd_run(struct cmd *cmd);
int cmd_check(struct cmd *cmd);
int cmd_list(struct cmd *cmd);
int cmd_plugins(struct cmd *cmd);
int cmd_describe(struct cmd *cmd);
int cmd_doctor(struct cmd *cmd);

/* A pipeline on its way from a file to a graph: the one path of run and check. Zero to begin. */
struct prepared {
	bool look; /* given: it is not to run, so parameters need not be given */
	struct diag *diag;
	char *path;
	struct pipeline *pipeline;
	struct graph *graph; /* NULL with pipeline->run.help */
};

/*
 * argv[0] is the pipeline's name or path, the rest its arguments. `child`: the process that will
 * become the command, or 0. An exit status, 0 when it could run; errors have been printed.
 */
int cmd_prepare(struct cmd *cmd, uint64_t child, struct prepared *prepared);
void cmd_release(struct cmd *cmd, struct prepared *prepared);

/* The command or pipeline that `word` was probably meant to be: malloc'd, or NULL. */
char *cmd_nearest(const char *word);

#endif
