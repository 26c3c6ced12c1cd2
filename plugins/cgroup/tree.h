/* SPDX-License-Identifier: BSD-2-Clause */
/* All cgroups at one time: the hierarchies of the host, joined by path. */
#ifndef CGROUP_TREE_H
#define CGROUP_TREE_H

#include <weir/sample.h>

#include "files.h"

struct cgroup_mount {
	char folder[256];
	uint32_t controllers; /* mask of enum cgroup_controller */
};

struct cgroup_mounts {
	struct cgroup_mount items[CGROUP_CONTROLLERS]; /* version 2 first: version 1 knows better */
	uint32_t count;
};

struct cgroup_entry {
	char *path;
	uint64_t id[CGROUP_CONTROLLERS]; /* in each mount; 0: it is not there */
	struct cgroup_values values;
};

struct cgroup_sample {
	struct cgroup_entry *entries; /* in the order of their paths */
	uint32_t count;
	uint32_t capacity;
	uint32_t unreadable; /* files that were not understood */
	struct weir_sample_time time;
	uint64_t limits_at; /* when the limits were read */
};

/* Finds the hierarchies. 0, or a negative errno after having said why. */
int cgroup_mounts_find(struct weir_ctx *ctx, struct cgroup_mounts *mounts);

/*
 * Reads all cgroups into a sample, whose memory is used again. Limits that `old`, the sample
 * before it, knows are read anew only when they are 10 s old: they are a third of all files. The
 * same results.
 */
int cgroup_sample_read(struct weir_ctx *ctx, const struct cgroup_mounts *mounts,
		       struct weir_buffer *buffer, const struct cgroup_sample *old,
		       struct cgroup_sample *sample);

void cgroup_sample_release(struct cgroup_sample *sample);

/* Compares by path; for an order that holds parents before their children. */
int cgroup_compare(const char *a, const char *b);

#endif
