/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of the provider pmu.kernel share: names of events, by the sort of name. */
#ifndef PMU_KERNEL_H
#define PMU_KERNEL_H

#include <weir/file.h>
#include <weir/perf_names.h>
#include <weir/plugin.h>
#include <weir/probe.h>
#include <weir/service/pmu.h>
#include <weir/tracefs.h>

#define PMU_DEVICES "sys/bus/event_source/devices"

/* What a call has handed out. */
struct pmu_state {
	char name[256];
	struct weir_pmu_reason why;
	char like[80];
	char pmu[64];
	char doc[96];
	struct weir_buffer cpus;
};

struct pmu_list {
	struct weir_ctx *ctx;
	weir_pmu_event_fn *see;
	void *with;
	const char *kind; /* NULL: all */
	int root;         /* what pmu_each() starts from */
};

static inline bool pmu_wanted(const struct pmu_list *list, const char *kind)
{
	return !list->kind || strcmp(list->kind, kind) == 0;
}

static inline struct weir_pmu_reason *pmu_reason(struct weir_ctx *ctx)
{
	struct pmu_state *state = (struct pmu_state *)ctx->state;

	return &state->why;
}

/*
 * Each looks a name without modifiers up: 0, -ENOENT: it is none of this sort, or a negative errno
 * with event->why.
 */
int pmu_generic_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event);
int pmu_raw_find(const char *name, struct weir_pmu_event *event);
int pmu_tracepoint_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event);
int pmu_sysfs_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event);

/* They show what there is of that sort. */
int pmu_generic_list(const struct pmu_list *list);
int pmu_tracepoint_list(const struct pmu_list *all);
int pmu_sysfs_list(const struct pmu_list *list);

/* The generic or cache event whose name is most like this one, or NULL: none is. */
const char *pmu_generic_like(const char *name, char *text, size_t size);

/* A descriptor of tracefs, which the caller closes, or a negative errno. */
int pmu_tracefs(struct weir_ctx *ctx);

/*
 * One name of many in a folder, those with a leading dot left out. Something other than 0 ends it;
 * pmu_each then returns that. A folder that cannot be read has none.
 */
typedef int pmu_entry_fn(const struct pmu_list *list, const char *folder, const char *name);
int pmu_each(const struct pmu_list *list, const char *folder, pmu_entry_fn *one);

#endif
