/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network namespaces of a machine: each has counters of its own, which the files of another
 * one do not show. They are found by the processes that are in them, and read by one of those.
 * That takes a thousandth of a CPU, so a new namespace may be seen a little later.
 */
#ifndef NET_SPACES_H
#define NET_SPACES_H

#include <weir/file.h>
#include <weir/pace.h>
#include <weir/plugin.h>

struct net_space {
	uint32_t id;  /* inode; 0: not known */
	uint32_t pid; /* a process in it; 0: the one that weir itself is in */
	char comm[16];
	bool seen;
	void *state; /* what the source keeps of it; freed by spaces_release() and its like */
};

/* Starts as zeroed memory; net_spaces_release() accepts that. The first one is weir's own. */
struct net_spaces {
	struct net_space *spaces;
	uint32_t count;
	uint32_t capacity;
	struct weir_pace pace; /* of looking at all processes */
	void (*free_state)(void *state);
	bool others; /* look for other namespaces, too */
};

/*
 * Looks for namespaces if it is time to. Those without a process go: `gone`, if not NULL, is called
 * for each of them. 0, or a negative errno, having said why.
 */
int net_spaces_update(struct weir_ctx *ctx, struct net_spaces *spaces,
		      void (*gone)(struct weir_ctx *ctx, struct net_space *space));

/*
 * Reads a file of proc/net as that namespace has it: "dev". 0 or a negative errno: -ESRCH where the
 * process is no more in it; the next net_spaces_update() then looks for another one.
 */
int net_space_read(struct weir_ctx *ctx, struct net_spaces *spaces, const struct net_space *space,
		   const char *file, struct weir_buffer *buffer);

void net_spaces_release(struct net_spaces *spaces);

#endif
