/* SPDX-License-Identifier: BSD-2-Clause */
/* weir check: as far as weir run goes before anything is started. */
#include <stdio.h>

#include "cmd.h"

static int check_file(struct cmd *cmd, char *file)
{
	char *argv[] = { file, NULL };
	struct cmd one = { cmd->plugins, 1, argv, false };
	struct prepared prepared = { 0 };
	int status = cmd_prepare(&one, 0, &prepared);

	if (status == CMD_DONE)
		printf("%s: ok\n", file);
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
