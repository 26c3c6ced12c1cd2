/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of /proc/PID/maps. */
#ifndef WEIR_PROC_MAPS_H
#define WEIR_PROC_MAPS_H

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct weir_proc_map {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t executable; /* 1: mapped with PROT_EXEC */
	uint32_t reserved;
	const char *path; /* "//anon" where there is none */
};

/* The kernel writes a newline in a path as \012, and nothing else in another way. */
static inline void weir_proc_map_unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (strncmp(path, "\\012", 4) == 0) {
			*to++ = '\n';
			path += 4;
			continue;
		}
		*to++ = *path++;
	}
	*to = '\0';
}

/* Parses one line, without its newline and in place: path points into it. 0 or -EBADMSG. */
static inline int weir_proc_map_parse(char *line, struct weir_proc_map *map)
{
	char rights[5];
	int path = 0;

	memset(map, 0, sizeof(*map));
	/* A kernel file, of a fixed form up to the path. */
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &map->start, &map->end, rights, &map->offset, &map->device_major,
		   &map->device_minor, &map->inode, &path) != 7 ||
	    path == 0 || strlen(rights) != 4 || map->end <= map->start)
		return -EBADMSG;
	weir_proc_map_unescape(line + path);
	map->path = line[path] ? line + path : "//anon";
	map->executable = rights[2] == 'x';
	return 0;
}

#endif
