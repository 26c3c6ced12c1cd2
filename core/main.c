/* SPDX-License-Identifier: BSD-2-Clause */
/* The front door: finds the command, or takes the first word for a pipeline. */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "diag.h"
#include "log.h"

#ifndef WEIR_VERSION
#define WEIR_VERSION "0.1.0"
#endif

enum {
	KEPT_MEMORY = 8 << 20,   /* free bytes at the heap's end that are not given back, and */
	MAPPED_MEMORY = 1 << 20, /* the size from which on memory is no part of the heap */
};

#define FRONT_PIPELINE "verdict"

static int cmd_help(struct cmd *cmd);

const struct command commands[] = {
	{ "run", "PIPELINE [OPTIONS] [-- COMMAND]",
	  "run a pipeline, by name or by path; `weir PIPELINE` is the same", cmd_run, 1, -1 },
	{ "check", "FILE...", "validate pipelines without running them, without privileges",
	  cmd_check, 1, -1 },
	{ "list", "", "the pipelines, and the question that each answers", cmd_list, 0, 0 },
	{ "plugins", "", "the components found: kind, ABI, file", cmd_plugins, 0, 0 },
	{ "describe", "NAME", "options, columns and needs of a component or a pipeline",
	  cmd_describe, 1, 1 },
	{ "doctor", "[--root DIR]", "what this host allows, what that limits, and what enables it",
	  cmd_doctor, 0, 2 },
	{ "help", "[COMMAND|PIPELINE]", "this text, or that of a command or pipeline", cmd_help, 0,
	  1 },
};

const size_t command_count = sizeof(commands) / sizeof(commands[0]);

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < command_count; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_usage(FILE *out)
{
	fputs("usage: weir PIPELINE [OPTIONS] [-- COMMAND]\n", out);
	for (size_t i = 0; i < command_count; i++) {
		int width = fprintf(out, "       weir %s %s", commands[i].name, commands[i].usage);

		fprintf(out, "%*s  %s\n", width < 48 ? 48 - width : 0, "", commands[i].help);
	}
	fputs("\n"
	      "Everywhere: --plugin-path DIR (also WEIR_PLUGIN_PATH), --help, --version.\n"
	      "`weir list` names the pipelines; `weir PIPELINE --help` shows the options of one.\n",
	      out);
}

static int print_command_help(const struct command *command)
{
	printf("usage: weir %s%s%s\n\n%s\n", command->name, *command->usage ? " " : "",
	       command->usage, command->help);
	return CMD_DONE;
}

/* As if the user had typed `weir NAME --help`. */
static int print_pipeline_help(struct cmd *cmd)
{
	char help[] = "--help";
	char *argv[] = { cmd->argv[0], help, NULL };
	struct cmd run = { cmd->plugins, 2, argv, false };

	return cmd_run(&run);
}

static int cmd_help(struct cmd *cmd)
{
	const struct command *command = cmd->argc > 0 ? find_command(cmd->argv[0]) : NULL;

	if (command)
		return print_command_help(command);
	if (cmd->argc > 0)
		return print_pipeline_help(cmd);
	print_usage(stdout);
	return CMD_DONE;
}

static int call(const struct command *command, struct cmd *cmd)
{
	if (cmd->argc > 0 &&
	    (strcmp(cmd->argv[0], "--help") == 0 || strcmp(cmd->argv[0], "-h") == 0))
		return print_command_help(command);
	if (cmd->argc >= command->least && (command->most < 0 || cmd->argc <= command->most))
		return command->run(cmd);
	log_line(NULL, "usage: weir %s%s%s", command->name, *command->usage ? " " : "",
		 command->usage);
	return CMD_USAGE;
}

/* `weir` alone: the verdict. A small host may have none. */
static int call_front_pipeline(struct cmd *cmd)
{
	char name[] = FRONT_PIPELINE;
	char *argv[] = { name, NULL };
	struct cmd run = { cmd->plugins, 1, argv, false };
	struct diag *diag = diag_new();
	char *path = diag ? pipeline_locate(name, diag) : NULL;
	int status = CMD_USAGE;

	if (path)
		status = cmd_run(&run);
	else
		print_usage(stderr);
	cmd->hangs = run.hangs;
	free(path);
	diag_free(diag);
	return status;
}

static int dispatch(struct cmd *cmd)
{
	const struct command *command;

	if (cmd->argc == 0)
		return call_front_pipeline(cmd);
	if (strcmp(cmd->argv[0], "--version") == 0) {
		printf("weir %s, plugin ABI %d.%d\n", WEIR_VERSION, WEIR_ABI_MAJOR, WEIR_ABI_MINOR);
		return CMD_DONE;
	}
	if (strcmp(cmd->argv[0], "--help") == 0 || strcmp(cmd->argv[0], "-h") == 0) {
		print_usage(stdout);
		return CMD_DONE;
	}
	if (cmd->argv[0][0] == '-') {
		log_line(NULL, "unknown option %s; options of a pipeline follow its name",
			 cmd->argv[0]);
		return CMD_USAGE;
	}
	command = find_command(cmd->argv[0]);
	if (!command)
		return cmd_run(cmd);
	cmd->argc--;
	cmd->argv++;
	return call(command, cmd);
}

/* The folders of --plugin-path, which may stand anywhere before "--". */
struct plugin_paths {
	const char **items;
	uint32_t count;
};

static int add_path(struct plugin_paths *paths, const char *path)
{
	struct stat st;

	if (!path || !*path) {
		log_line(NULL, "--plugin-path: a folder must follow");
		return CMD_USAGE;
	}
	if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode)) {
		log_line(NULL, "--plugin-path: %s is not a folder", path);
		return CMD_USAGE;
	}
	paths->items[paths->count++] = path;
	return 0;
}

/* Takes them out of argv. An exit status, 0 to go on. */
static int take_paths(int *argc, char **argv, struct plugin_paths *paths)
{
	static const char option[] = "--plugin-path";
	int kept = 0, i, status = 0;

	for (i = 0; i < *argc && status == 0 && strcmp(argv[i], "--") != 0; i++) {
		if (strcmp(argv[i], option) == 0)
			status = add_path(paths, argv[++i]);
		else if (strncmp(argv[i], option, sizeof(option) - 1) == 0 &&
			 argv[i][sizeof(option) - 1] == '=')
			status = add_path(paths, argv[i] + sizeof(option));
		else
			argv[kept++] = argv[i];
	}
	while (i < *argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	*argc = kept;
	return status;
}

/* Data that could not be written is a failure, whatever the command said. */
static int finish_stdout(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	log_line(NULL, "stdout: %m");
	return status == CMD_DONE ? CMD_FAILED : status;
}

/*
 * Where stdin, stdout or stderr is closed, the next file that is opened would become it. What
 * stands in fails when it is used, as the closed one did.
 */
static void occupy_standard_fds(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
			return;
}

/*
 * Batches come and go: memory that the C library gave back at once the kernel would have to clear
 * again. To set one of the two limits ends that the C library chooses the other.
 */
static void keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
	mallopt(M_MMAP_THRESHOLD, MAPPED_MEMORY);
#endif
}

int main(int argc, char **argv)
{
	struct cmd cmd = { .argc = argc > 0 ? argc - 1 : 0, .argv = argv + (argc > 0) };
	struct plugin_paths paths = { calloc((size_t)argc + 1, sizeof(*paths.items)), 0 };
	int status = CMD_FAILED;

	keep_memory();
	occupy_standard_fds();
	if (paths.items)
		status = take_paths(&cmd.argc, cmd.argv, &paths);
	if (paths.items && status == 0) {
		cmd.plugins = plugins_new(paths.items, paths.count);
		status = cmd.plugins ? dispatch(&cmd) : CMD_FAILED;
	}
	if (!paths.items || (status == CMD_FAILED && !cmd.plugins))
		log_line(NULL, "no memory");
	if (!cmd.hangs)
		plugins_free(cmd.plugins);
	free(paths.items);
	return finish_stdout(status);
}
