/* SPDX-License-Identifier: BSD-2-Clause */
/* From the text of /proc/PID/cgroup to a path. */
#include "process_cgroup.h"

#include <stdbool.h>
#include <string.h>

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
