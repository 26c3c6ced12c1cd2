/* SPDX-License-Identifier: BSD-2-Clause */
/* The numbers among a folder's names, without the C library's allocation for each folder. */
#include <dirent.h>
#include <sys/syscall.h>

#include "process_proc.h"

int process_list_open(struct process_listing *list, int folder, const char *path)
{
	list->at = list->filled = 0;
	list->fd = openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return list->fd < 0 ? -errno : 0;
}

static bool list_fill(struct process_listing *list)
{
	ssize_t got = getdents64(list->fd, list->entries, sizeof(list->entries));

	list->at = 0;
	list->filled = got > 0 ? (uint32_t)got : 0;
	return got > 0;
}

bool process_list_next(struct process_listing *list, uint32_t *number)
{
	while (list->at < list->filled || list_fill(list)) {
		const struct dirent64 *entry =
			(const void *)((const uint8_t *)list->entries + list->at);
		const char *name = entry->d_name;
		uint64_t value;

		list->at += entry->d_reclen;
		if (!process_parse_number(&name, &value) || *name || value > INT32_MAX)
			continue;
		*number = (uint32_t)value;
		return true;
	}
	return false;
}

void process_list_close(struct process_listing *list)
{
	if (list->fd >= 0)
		close(list->fd);
	list->fd = -1;
}
