/* SPDX-License-Identifier: BSD-2-Clause */
/* weir list: the pipelines there are, and the question that each answers. */
#include "cmd.h"
#include "listing.h"
#include "log.h"

static void add_pipeline(const char *name, const char *path, const char *question, void *arg)
{
	(void)path;
	LISTING_ADD(arg, name, question);
}

int cmd_list(struct cmd *cmd)
{
	struct listing listing = { .columns = 2 };
	int err = pipelines_each(add_pipeline, &listing);

	(void)cmd;
	if (err == 0)
		err = listing_print(&listing, stdout, "");
	listing_clear(&listing);
	if (err < 0)
		log_line(NULL, "no memory");
	return err < 0 ? CMD_FAILED : CMD_DONE;
}
