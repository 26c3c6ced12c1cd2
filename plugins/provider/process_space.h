/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces over time. A space is a list of mappings, each from a moment on, and for what is
 * older than the fork that made it, its parent's space as of then. Nothing is copied by a fork.
 * The kernel does not tell of munmap(); a newer mapping hides what it covers.
 */
#ifndef PROCESS_SPACE_H
#define PROCESS_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a mapping maps. One for each path and identity, shared by all that map it. */
struct process_file {
	struct process_file *next;
	uint64_t id; /* never used again */
	uint64_t inode;
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t references;
	uint32_t hash;
	uint32_t build_id_size;
	uint8_t build_id[20];
	char path[];
};

/* All files, and how many mappings there are. Starts zeroed, but for `keep`. */
struct process_store {
	struct process_file **buckets;
	uint32_t bucket_count;
	uint32_t file_count;
	uint64_t last_id;
	uint64_t map_count;
	uint64_t keep; /* ns for which what is covered is still asked for */
};

/* A mapping as the kernel or /proc tells it. */
struct process_mapped {
	uint64_t time; /* since when */
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode; /* with the device; not compared when there is a build id */
	uint32_t device_major;
	uint32_t device_minor;
	uint32_t build_id_size;
	uint8_t build_id[20];
	const char *path;
};

struct process_map {
	uint64_t time;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t reach; /* the largest end of this and all maps before it */
	struct process_file *file;
	bool covered; /* while pruning */
};

struct process_space {
	uint32_t references;
	uint32_t depth; /* of the chain of parents */
	uint64_t begin;
	struct process_space *parent; /* NULL: began with exec, or found in /proc */
	uint64_t forked;              /* what is younger than that is not the child's */
	uint64_t checked;             /* complete as of then; 0: things may be missing */
	struct process_map *maps;     /* by start address */
	uint32_t count;
	uint32_t capacity;
};

void process_store_clear(struct process_store *store);

/* One reference is the caller's. `parent` may be NULL. NULL: no memory. */
struct process_space *process_space_new(struct process_store *store, uint64_t begin,
					struct process_space *parent);
/* NULL is allowed. */
void process_space_release(struct process_store *store, struct process_space *space);

/* 0, also when it was known already, or -ENOMEM. */
int process_space_add(struct process_store *store, struct process_space *space,
		      const struct process_mapped *mapped);

/* What held the address at that time, or NULL. */
const struct process_map *process_space_find(const struct process_space *space, uint64_t time,
					     uint64_t address);

/* All that existed then, covered ones too, until `see` returns something other than 0: what it was. */
int process_space_each(const struct process_space *space, uint64_t time,
		       int (*see)(const struct process_map *map, void *with), void *with);

#endif
