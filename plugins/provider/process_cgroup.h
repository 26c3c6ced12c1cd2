/* SPDX-License-Identifier: BSD-2-Clause */
/* From the text of /proc/PID/cgroup to a path, and from a path to a container's name. */
#ifndef PROCESS_CGROUP_H
#define PROCESS_CGROUP_H

#include <stddef.h>

/*
 * The path that says most, of length *length within `text`: of the v1 perf_event hierarchy, of
 * v2, of systemd's, else of any; one that is not the root before one that is. NULL: there is none.
 */
const char *process_cgroup_pick(const char *text, size_t *length);

/* Writes the short id or the name of the container that a cgroup belongs to; "" when to none. */
void process_container_name(const char *cgroup, char *out, size_t size);

#endif
