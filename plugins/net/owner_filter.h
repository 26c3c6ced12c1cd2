/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the owner of a socket is one that the user asked for, by what /proc says of it. */
#ifndef OWNER_FILTER_H
#define OWNER_FILTER_H

#include <weir/file.h>
#include <weir/task_filter.h>

/* Starts as zeroed memory; owner_filter_release() accepts that. */
struct owner_filter {
	struct weir_task_filter task; /* `by` is 0: everybody is wanted, also who is not known */
	struct weir_cgroup_names names;
	struct weir_buffer buffer;
	const char *cgroup;
};

/* From the options, which must stay. 0 or negative errno, said. */
int owner_filter_set(struct weir_ctx *ctx, const struct weir_task_conf *conf,
		     struct owner_filter *filter);

/* Of the process whose folder in /proc is open as `process`. */
bool owner_filter_wants(struct owner_filter *filter, int process, uint32_t pid, const char *comm);

void owner_filter_release(struct owner_filter *filter);

#endif
