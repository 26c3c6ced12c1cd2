/* SPDX-License-Identifier: BSD-2-Clause */
/* weir check: as far as weir run goes before anything is started. */
#include <stdio.h>

#include "cmd.h"

/* Says also which parameters will have to be given. */
static void print_ok(const char *file, const struct pipeline *pipeline)
{
	const char *before = "; must be given: --";

	printf("%s: ok", file);
	for (uint32_t i = 0; i < pipeline->param_count; i++) {
		if (!pipeline->params[i].stand_in)
			continue;
		printf("%s%s", before, pipeline->params[i].name);
		before = ", --";
	}
	putchar('\n');
}

static int check_file(struct cmd *cmd, char *file)
{
	char *argv[] = { file, NULL };
	struct cmd one = { cmd->plugins, 1, argv, false };
	struct prepared prepared = { .look = true };
	int status = cmd_prepare(&one, 0, &prepared);

	if (status == CMD_DONE)
		print_ok(file, prepared.pipeline);
	cmd_release(&one, &prepared);
	return status;
}

int cmd_check(struct cmd *cmd)
{
	int status = CMD_DONE;

	for (int i = 0; i < cmd->argc; i++) {
		int one = check_file(cmd, cmd->argv[i]);

		if (one != CMD_DONE)
			status = one;
	}
	return status;
}
