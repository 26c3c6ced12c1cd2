/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes that ended, by /proc. When a process is waited for, the kernel adds all that it ever
 * used to its parent: its CPU time to columns of their own, its I/O to the parent's own. Of that, what was
 * told in earlier windows is taken off; what is left was used within this one.
 */
#include "process_proc.h"

/* Deeper chains of processes that all ended in one window are not followed. */
#define SETTLE_DEPTH 64

static uint64_t settle_less(uint64_t whole, uint64_t part)
{
	if (whole == WEIR_ABSENT_U64 || part == WEIR_ABSENT_U64)
		return whole;
	return whole > part ? whole - part : 0;
}

/* Who has got what the process used: the next one above it that is still there, or NULL. */
static struct process_task *settle_heir(struct process_state *st, const struct process_task *task)
{
	uint32_t ppid = task->about.ppid;

	for (int depth = 0; depth < SETTLE_DEPTH && ppid; depth++) {
		struct process_task *parent = process_find(&st->processes, ppid);

		if (!parent || parent->sample == st->sample)
			return parent;
		ppid = parent->about.ppid;
	}
	return NULL;
}

/* A parent that does not wait for its children gets nothing of theirs. */
static bool settle_waited(const struct process_task *parent, const struct process_task *child)
{
	uint64_t used =
		child->last[PROCESS_RUN] + child->last[CHILD_USER] + child->last[CHILD_SYSTEM];

	return parent->added[CHILD_USER] != WEIR_ABSENT_U64 &&
	       parent->added[CHILD_USER] + parent->added[CHILD_SYSTEM] >= used;
}

static void settle_take(struct process_task *parent, const struct process_task *child)
{
	static const uint32_t io[] = { PROCESS_READ, PROCESS_WRITTEN, PROCESS_CANCELLED };

	if (!settle_waited(parent, child))
		return;
	for (size_t i = 0; i < sizeof(io) / sizeof(io[0]); i++)
		parent->added[io[i]] = settle_less(parent->added[io[i]], child->last[io[i]]);
	parent->added[CHILD_USER] = settle_less(
		parent->added[CHILD_USER],
		child->last[PROCESS_USER] + child->last[PROCESS_GUEST] + child->last[CHILD_USER]);
	parent->added[CHILD_SYSTEM] =
		settle_less(parent->added[CHILD_SYSTEM],
			    child->last[PROCESS_SYSTEM] + child->last[CHILD_SYSTEM]);
}

void process_proc_settle(struct process_state *st)
{
	for (uint32_t i = 0; i < st->processes.count; i++) {
		const struct process_task *child = &st->processes.items[i];
		struct process_task *parent;

		if (child->sample == st->sample || !child->known)
			continue;
		parent = settle_heir(st, child);
		if (parent && parent->known)
			settle_take(parent, child);
	}
}
