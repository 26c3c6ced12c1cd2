/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shared by cache.bpf.c and cache.c. Includes nothing. Fixed-width members only; the size is
 * asserted, so that both compilers agree on every byte.
 */
#ifndef CACHE_EVENT_H
#define CACHE_EVENT_H

/* A CPU counts in the place of its number modulo this. */
#define CACHE_CPUS 128

/* In pages, since the start; counted atomically. */
struct cache_counts {
	unsigned long long
		hits; /* asked for and there; may go back, when a page proves not to be */
	unsigned long long added;
	unsigned long long written; /* of those added, for a write */
	unsigned long long dirtied;
	unsigned long long dropped;
	unsigned long long reserved[3];
};

_Static_assert(sizeof(struct cache_counts) == 64, "cache_counts: kernel and user differ");

#endif
