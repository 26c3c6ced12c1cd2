/* SPDX-License-Identifier: BSD-2-Clause */
/* From the text of /proc/PID/cgroup to a path. */
#ifndef PROCESS_CGROUP_H
#define PROCESS_CGROUP_H

#include <stddef.h>

/*
 * The path that says most, of length *length within `text`: of the v1 perf_event hierarchy, of
 * v2, of systemd's, else of any; one that is not the root before one that is. NULL: there is none.
 */
const char *process_cgroup_pick(const char *text, size_t *length);

#endif
