/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Provider pmu.kernel: the events that the kernel itself has names for: hardware, caches, software,
 * tracepoints, what sysfs says of each PMU, and raw numbers.
 */
#include "pmu_kernel.h"

#include <stdio.h>

/* Samples of single accesses, with their latency and where the data came from. */
static void pmu_probe_accesses(struct weir_ctx *ctx)
{
	static const char *const ways[] = { "cpu/events/mem-loads", "cpu_core/events/mem-loads",
					    "ibs_op", "arm_spe_0" };
	char path[128];

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(path, sizeof(path), PMU_DEVICES "/%s", ways[i]);
		if (!weir_path_exists(ctx, path))
			continue;
		weir_need(ctx, WEIR_NEED_LIMITED, "samples of memory accesses", ways[i],
			  "weir has no view of them: which loads are slow, which cache lines CPUs "
			  "take from each other (c2c)",
			  "perf mem record, perf c2c record");
		return;
	}
	weir_need(ctx, WEIR_NEED_LIMITED, "samples of memory accesses", "none",
		  "no view of slow loads, nor of cache lines that CPUs take from each other (c2c)",
		  "a CPU with load latency of PEBS, IBS or SPE, not a virtual one");
}

static void pmu_probe(struct weir_ctx *ctx)
{
	int tracefs = pmu_tracefs(ctx);

	weir_probe_hardware_pmu(ctx, "hardware and cache events cannot be counted");
	weir_probe_nmi_watchdog(ctx);
	pmu_probe_accesses(ctx);
	weir_probe_paranoid(ctx, 1, "only user code of own processes can be counted and sampled");
	if (tracefs >= 0)
		weir_need(ctx, WEIR_NEED_MET, "tracefs", "readable", "", "");
	else
		weir_need(ctx, WEIR_NEED_LIMITED, "tracefs", strerror(-tracefs),
			  "tracepoints cannot be listed, counted, nor sampled by name",
			  "mount -t tracefs tracefs /sys/kernel/tracing");
	if (tracefs >= 0)
		close(tracefs);
}

static int pmu_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	int err = pmu_generic_find(ctx, name, event);

	if (err == -ENOENT)
		err = pmu_raw_find(name, event);
	if (err == -ENOENT)
		err = pmu_tracepoint_find(ctx, name, event);
	if (err == -ENOENT)
		err = pmu_sysfs_find(ctx, name, event);
	return err;
}

/* A tracepoint may end like a modifier ("group:k"), so the whole is looked for first. */
static int pmu_name(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	const struct weir_pmu_event blank = { .size = sizeof(blank) };
	struct weir_pmu_event modified = blank;
	struct pmu_state *state = ctx->state;
	size_t length = weir_pmu_modifiers(name, &modified);
	char plain[sizeof(state->name)];
	int err;

	if (strlen(name) >= sizeof(plain))
		return weir_pmu_why(event, pmu_reason(ctx), -ENAMETOOLONG,
				    "longer than %zu letters", sizeof(plain) - 1);
	err = pmu_find(ctx, name, event);
	if (err && name[length]) {
		snprintf(plain, sizeof(plain), "%.*s", (int)length, name);
		*event = modified;
		err = pmu_find(ctx, plain, event);
	}
	if (err == -ENOENT) {
		*event = blank;
		event->like = pmu_generic_like(name, state->like, sizeof(state->like));
		return err;
	}
	/* The name in full; what was an alias has its own by now. */
	if (!event->name || name[length]) {
		snprintf(state->name, sizeof(state->name), "%s", name);
		event->name = state->name;
	}
	event->flags |= WEIR_PMU_ENCODED;
	return err;
}

static int pmu_encode(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	struct weir_pmu_event found = { .size = sizeof(found) };
	int err = pmu_name(ctx, name, &found);

	weir_give(event, &found, sizeof(found));
	return err;
}

static int pmu_list(struct weir_ctx *ctx, const char *kind, weir_pmu_event_fn *see, void *with)
{
	const struct pmu_list list = { ctx, see, with, kind, ctx->root };
	int err = pmu_generic_list(&list);

	if (!err && pmu_wanted(&list, "tracepoint"))
		err = pmu_tracepoint_list(&list);
	if (!err && pmu_wanted(&list, "pmu"))
		err = pmu_sysfs_list(&list);
	return err;
}

static void pmu_destroy(struct weir_ctx *ctx)
{
	struct pmu_state *state = ctx->state;

	weir_buffer_release(&state->cpus);
}

static const struct weir_pmu_v1 pmu_calls = {
	.size = sizeof(pmu_calls),
	.encode = pmu_encode,
	.list = pmu_list,
};

static const struct weir_service_offer pmu_offers[] = {
	{ WEIR_PMU_SERVICE, WEIR_PMU_VERSION, 0, &pmu_calls },
};

WEIR_COMPONENT("pmu.kernel", WEIR_PROVIDER, .summary = "events that the kernel has names for",
	       .state_size = sizeof(struct pmu_state), .offers = WEIR_TABLE(pmu_offers),
	       .probe = pmu_probe, .destroy = pmu_destroy);
