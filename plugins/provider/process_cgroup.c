/* SPDX-License-Identifier: BSD-2-Clause */
/* From the text of /proc/PID/cgroup to a path, and from a path to a container's name. */
#include "process_cgroup.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define CONTAINER_ID_LENGTH 64
#define CONTAINER_ID_SHOWN  12

/* True when a list such as "cpu,cpuacct" has that word. */
static bool cgroup_has_controller(const char *list, size_t length, const char *word)
{
	size_t word_length = strlen(word);
	const char *end = list + length;

	while (list < end) {
		const char *comma = memchr(list, ',', (size_t)(end - list));
		size_t n = (size_t)((comma ? comma : end) - list);

		if (n == word_length && memcmp(list, word, n) == 0)
			return true;
		list += n + 1;
	}
	return false;
}

/* The larger, the more the line "4:memory:/path" is worth. */
static int cgroup_rank(const char *controllers, size_t length, size_t path_length)
{
	int rank = 1;

	if (cgroup_has_controller(controllers, length, "perf_event"))
		rank = 4;
	else if (length == 0)
		rank = 3;
	else if (cgroup_has_controller(controllers, length, "name=systemd"))
		rank = 2;
	return path_length > 1 ? rank + 4 : rank;
}

const char *process_cgroup_pick(const char *text, size_t *length)
{
	const char *best = NULL;
	int best_rank = 0;

	while (*text) {
		size_t line = strcspn(text, "\n");
		const char *controllers = memchr(text, ':', line);
		const char *path = controllers ? memchr(controllers + 1, ':',
							line - (size_t)(controllers + 1 - text))
					       : NULL;

		if (path) {
			size_t path_length = (size_t)(text + line - (path + 1));
			int rank = cgroup_rank(controllers + 1, (size_t)(path - controllers - 1),
					       path_length);

			if (rank > best_rank) {
				best_rank = rank;
				best = path + 1;
				*length = path_length;
			}
		}
		text += line + (text[line] == '\n');
	}
	return best;
}

/* The last run of exactly 64 hexadecimal digits: how docker, containerd, cri-o and podman name. */
static const char *container_id(const char *cgroup)
{
	const char *found = NULL;

	while (*cgroup) {
		size_t run = strspn(cgroup, "0123456789abcdef");

		if (run == CONTAINER_ID_LENGTH && !isalnum((unsigned char)cgroup[run]))
			found = cgroup;
		cgroup += run ? run : 1;
	}
	return found;
}

/* The name behind one of LXC's prefixes, or NULL. */
static const char *container_lxc_name(const char *cgroup)
{
	static const char *const prefixes[] = { "/lxc.payload.", "/lxc.payload/", "/lxc/" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		const char *at = strstr(cgroup, prefixes[i]);

		if (at)
			return at + strlen(prefixes[i]);
	}
	return NULL;
}

void process_container_name(const char *cgroup, char *out, size_t size)
{
	const char *name = container_id(cgroup);

	out[0] = '\0';
	if (name) {
		snprintf(out, size, "%.*s", CONTAINER_ID_SHOWN, name);
		return;
	}
	name = container_lxc_name(cgroup);
	if (name)
		snprintf(out, size, "%.*s", (int)strcspn(name, "/"), name);
}
