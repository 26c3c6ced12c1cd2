/* SPDX-License-Identifier: BSD-2-Clause */
/* weir plugins: each component that was found; those that were refused are named on stderr. */
#include "cmd.h"
#include "cmd_words.h"
#include "listing.h"
#include "log.h"

static void add_plugin(const char *path, const struct plugin *plugin, const char *error, void *arg)
{
	char abi[16];

	if (!plugin) {
		log_line(NULL, "%s", error);
		return;
	}
	snprintf(abi, sizeof(abi), "%u.%u", plugin->note.abi_major, plugin->note.abi_minor);
	LISTING_ADD(arg, plugin->component.name, cmd_kind(plugin->component.kind), abi,
		    plugin->component.summary, *path ? path : "in weir itself");
}

int cmd_plugins(struct cmd *cmd)
{
	struct listing listing = { .columns = 5 };
	int err;

	LISTING_ADD(&listing, "NAME", "KIND", "ABI", "SUMMARY", "FILE");
	plugins_each(cmd->plugins, add_plugin, &listing);
	err = listing_print(&listing, stdout, "");
	listing_clear(&listing);
	if (err < 0)
		log_line(NULL, "no memory");
	return err < 0 ? CMD_FAILED : CMD_DONE;
}
