/* SPDX-License-Identifier: BSD-2-Clause */
/* weir doctor: all that components need of this host, what is there, and what is to be done. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "cmd_words.h"
#include "graph.h"
#include "listing.h"
#include "log.h"

/* One need, of all the components that have it. */
struct finding {
	char *name;
	char *found;
	char *effect;
	char *cure;
	char *limits; /* names of the components that it limits, separated by blanks */
	uint32_t state;
};

struct findings {
	const char *root; /* below which components look */
	struct finding *items;
	uint32_t count;
	bool failed; /* no memory */
};

static struct finding *find(struct findings *findings, const char *name)
{
	struct finding *items;

	for (uint32_t i = 0; i < findings->count; i++)
		if (strcmp(findings->items[i].name, name) == 0)
			return &findings->items[i];
	items = reallocarray(findings->items, findings->count + 1, sizeof(*items));
	if (!items)
		return NULL;
	findings->items = items;
	items[findings->count] = (struct finding){ .name = strdup(name), .limits = strdup("") };
	if (items[findings->count].name && items[findings->count].limits)
		return &items[findings->count++];
	free(items[findings->count].name);
	free(items[findings->count].limits);
	return NULL;
}

static bool replace(char **text, const char *by)
{
	free(*text);
	*text = strdup(by ? by : "");
	return *text != NULL;
}

/* The worst state is shown, with its own words. */
static bool take_state(struct finding *finding, const struct weir_need *need)
{
	if (need->state <= finding->state)
		return true;
	finding->state = need->state;
	return replace(&finding->found, need->found) && replace(&finding->effect, need->effect) &&
	       replace(&finding->cure, need->cure);
}

static bool add_limited(struct finding *finding, const char *component)
{
	char *limits;

	if (asprintf(&limits, "%s%s%s", finding->limits, *finding->limits ? " " : "", component) <
	    0)
		return false;
	free(finding->limits);
	finding->limits = limits;
	return true;
}

static void see_need(const struct weir_component *component, const struct weir_need *need,
		     void *arg)
{
	struct findings *findings = arg;
	struct finding *finding = find(findings, need->name);

	if (!finding || !take_state(finding, need) ||
	    (need->state != WEIR_NEED_MET && !add_limited(finding, component->name)))
		findings->failed = true;
}

static void see_plugin(const char *path, const struct plugin *plugin, const char *error, void *arg)
{
	(void)path;
	if (plugin)
		graph_probe(plugin, ((struct findings *)arg)->root, see_need, arg);
	else
		log_line(NULL, "%s", error);
}

/* What needs to be done comes first. */
static int by_state(const void *a, const void *b)
{
	const struct finding *left = a, *right = b;

	if (left->state != right->state)
		return left->state > right->state ? -1 : 1;
	return strcmp(left->name, right->name);
}

static int print(struct findings *findings)
{
	struct listing listing = { .columns = 6 };
	int err;

	if (findings->count > 1)
		qsort(findings->items, findings->count, sizeof(*findings->items), by_state);
	LISTING_ADD(&listing, "NEED", "STATE", "FOUND", "EFFECT", "CURE", "LIMITS");
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		LISTING_ADD(&listing, finding->name, cmd_need_state(finding->state), finding->found,
			    finding->effect, finding->cure, finding->limits);
	}
	err = listing_print(&listing, stdout, "");
	listing_clear(&listing);
	return err;
}

static void findings_clear(struct findings *findings)
{
	for (uint32_t i = 0; i < findings->count; i++) {
		struct finding *finding = &findings->items[i];

		free(finding->name);
		free(finding->found);
		free(finding->effect);
		free(finding->cure);
		free(finding->limits);
	}
	free(findings->items);
}

/* --root DIR or --root=DIR; NULL, with a message: neither. */
static const char *read_root(const struct cmd *cmd)
{
	static const char option[] = "--root";
	const char *root = NULL;
	struct stat st;

	if (cmd->argc == 0)
		return "/";
	if (cmd->argc == 2 && strcmp(cmd->argv[0], option) == 0)
		root = cmd->argv[1];
	else if (cmd->argc == 1 && strncmp(cmd->argv[0], "--root=", sizeof(option)) == 0)
		root = cmd->argv[0] + sizeof(option);
	if (!root) {
		log_line(NULL, "usage: weir doctor [--root DIR]");
		return NULL;
	}
	if (stat(root, &st) == 0 && S_ISDIR(st.st_mode))
		return root;
	log_line(NULL, "--root: %s is not a folder", root);
	return NULL;
}

int cmd_doctor(struct cmd *cmd)
{
	struct findings findings = { .root = read_root(cmd) };
	int err;

	if (!findings.root)
		return CMD_USAGE;
	plugins_each(cmd->plugins, see_plugin, &findings);
	err = findings.failed ? -ENOMEM : print(&findings);
	findings_clear(&findings);
	if (err < 0)
		log_line(NULL, "no memory");
	return err < 0 ? CMD_FAILED : CMD_DONE;
}
