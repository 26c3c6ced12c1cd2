/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.sample: finding a cgroup's directory, and choosing samples by cgroup. */
#include <stdio.h>

#include "sample.h"

/* One line of /proc/self/mountinfo, as far as it matters. */
struct sample_mount {
	const char *folder;
	const char *type;
	const char *super_options;
};

/* Splits "36 35 98:0 /root /folder options tags - type source super-options" in place. */
static bool sample_parse_mount(char *line, struct sample_mount *mount)
{
	char *dash = strstr(line, " - ");
	char *rest = line;

	if (!dash)
		return false;
	*dash = '\0';
	for (int i = 0; i < 4 && rest; i++)
		strsep(&rest, " ");
	mount->folder = strsep(&rest, " ");
	rest = dash + 3;
	mount->type = strsep(&rest, " ");
	strsep(&rest, " ");
	mount->super_options = rest ? rest : "";
	return mount->folder && mount->type;
}

/* 2: the kernel's hierarchy for perf events, 1: another one of cgroups, 0: none. */
static int sample_mount_rank(const struct sample_mount *mount)
{
	if (strcmp(mount->type, "cgroup2") == 0)
		return 2;
	if (strcmp(mount->type, "cgroup") != 0)
		return 0;
	return strstr(mount->super_options, "perf_event") ? 2 : 1;
}

/* The cgroup may be named with the folder of its hierarchy in front. */
static const char *sample_below(const char *cgroup, const char *folder)
{
	size_t length = strlen(folder);

	if (strncmp(cgroup, folder, length) == 0 &&
	    (cgroup[length] == '/' || cgroup[length] == '\0'))
		cgroup += length;
	return cgroup + strspn(cgroup, "/");
}

/*
 * Notes where the cgroup was found, for comparing with what processes say of themselves. The last
 * of the super block's options is a controller, or the name of a hierarchy without one.
 */
static void sample_remember(struct sample_state *state, const struct sample_mount *mount,
			    const char *below)
{
	const char *comma = strrchr(mount->super_options, ',');
	size_t length = strlen(below);

	while (length > 0 && below[length - 1] == '/')
		length--;
	snprintf(state->below, sizeof(state->below), "%.*s", (int)length, below);
	snprintf(state->controller, sizeof(state->controller), "%s",
		 strcmp(mount->type, "cgroup") != 0 ? ""
		 : comma                            ? comma + 1
						    : mount->super_options);
}

/* Opens the cgroup in one hierarchy; -1: it is not there. */
static int sample_open_below(struct weir_ctx *ctx, const struct sample_mount *mount)
{
	const struct sample_conf *conf = ctx->options;
	char path[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/%s", mount->folder + 1,
		     sample_below(conf->cgroup, mount->folder)) >= (int)sizeof(path))
		return -1;
	fd = openat(ctx->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		sample_remember(ctx->state, mount, path + strlen(mount->folder + 1));
	return fd;
}

/* The best place that the cgroup is found at. Returns its rank, and the fd if that is 2. */
static int sample_cgroup_search(struct weir_ctx *ctx, char *mountinfo, int *fd)
{
	int best = 0;
	char *line;

	while (best < 2 && (line = strsep(&mountinfo, "\n"))) {
		struct sample_mount mount;
		int rank = sample_parse_mount(line, &mount) ? sample_mount_rank(&mount) : 0;

		if (rank <= best)
			continue;
		*fd = sample_open_below(ctx, &mount);
		if (*fd < 0)
			continue;
		best = rank;
		if (best < 2) {
			close(*fd);
			*fd = -1;
		}
	}
	return best;
}

int sample_cgroup_open(struct weir_ctx *ctx, int *fd)
{
	const struct sample_conf *conf = ctx->options;
	struct sample_state *state = ctx->state;
	struct weir_buffer mountinfo = { NULL, 0, 0 };
	int err = weir_read_file(ctx, "proc/self/mountinfo", &mountinfo);
	int rank = 0;

	*fd = -1;
	if (!err)
		rank = sample_cgroup_search(ctx, mountinfo.bytes, fd);
	weir_buffer_release(&mountinfo);
	if (err)
		return weir_fail(ctx, err, "/proc/self/mountinfo");
	if (rank == 0)
		return weir_fail_option(ctx, "cgroup", -ENOENT, "no cgroup %s", conf->cgroup);
	if (rank == 1) {
		weir_log(ctx, WEIR_LOG_INFO,
			 "cgroup %s is in a hierarchy that perf events cannot use: samples are "
			 "chosen by their process's cgroup instead",
			 conf->cgroup);
		state->filter_cgroup = true;
	}
	return 0;
}

/* True when a line "4:memory,cpu:/path" is of the hierarchy that the cgroup was found in. */
static bool sample_of_hierarchy(const struct sample_state *state, const char *controllers,
				size_t length)
{
	size_t wanted = strlen(state->controller);

	if (!wanted || !length)
		return wanted == length;
	for (const char *end = controllers + length; controllers < end;) {
		size_t word = strcspn(controllers, ",:");

		if (word == wanted && memcmp(controllers, state->controller, word) == 0)
			return true;
		controllers += word + 1;
	}
	return false;
}

/* True for the cgroup itself and those below it; `cgroups` as in /proc/PID/cgroup. */
bool sample_cgroup_has(const struct sample_state *state, const char *cgroups)
{
	size_t length = strlen(state->below);

	while (*cgroups) {
		size_t line = strcspn(cgroups, "\n");
		const char *controllers = memchr(cgroups, ':', line);
		const char *path = controllers ? strchr(controllers + 1, ':') : NULL;

		if (path &&
		    sample_of_hierarchy(state, controllers + 1, (size_t)(path - controllers - 1)))
			return strncmp(path + 1, state->below, length) == 0 &&
			       strchr("/\n", path[1 + length]);
		cgroups += line + (cgroups[line] == '\n');
	}
	return false;
}
