/* SPDX-License-Identifier: BSD-2-Clause */
/* cpu.pmu: why an event is not counted, and what changes it. */
#include <stdio.h>

#include "pmu.h"

static bool pmu_is_hardware(const struct pmu_counter *counter)
{
	return counter->attr.type == PERF_TYPE_HARDWARE || counter->attr.type == PERF_TYPE_RAW ||
	       counter->attr.type == PERF_TYPE_HW_CACHE;
}

static void pmu_not_there(const struct pmu_state *state, struct pmu_counter *counter)
{
	const char *why = "the kernel does not count it";

	if (pmu_is_hardware(counter))
		why = state->has_pmu
			      ? "this CPU does not have it"
			      : "no hardware PMU: a machine, or a virtual one with a vPMU, has "
				"one";
	snprintf(counter->why, sizeof(counter->why), "%s", why);
}

void pmu_refused(struct weir_ctx *ctx, struct pmu_counter *counter, int err)
{
	const struct pmu_state *state = ctx->state;

	counter->error = err;
	switch (err) {
	case -EACCES:
	case -EPERM:
		snprintf(counter->why, sizeof(counter->why),
			 "kernel.perf_event_paranoid is %lld: `sysctl "
			 "kernel.perf_event_paranoid=%d`",
			 (long long)state->paranoid, state->by_task ? 2 : 0);
		break;
	case -ENOENT:
	case -EOPNOTSUPP:
	case -ENODEV:
	case -ENXIO:
		pmu_not_there(state, counter);
		break;
	case -EINVAL:
		snprintf(counter->why, sizeof(counter->why), "%s",
			 counter->group
				 ? "more in a group than there are counters: fewer between { }"
				 : "the PMU refuses these terms");
		break;
	case -EMFILE:
		snprintf(counter->why, sizeof(counter->why),
			 "one open file for each event and place: `ulimit -n %u`",
			 state->count * (state->tids.count + state->cpus.count) + 256);
		break;
	case -EXDEV:
		snprintf(counter->why, sizeof(counter->why),
			 "it counts whole CPUs: without a command, --pid, --tid and --cgroup");
		break;
	default:
		snprintf(counter->why, sizeof(counter->why), "%s", strerror(-err));
	}
}

void pmu_not_counted(struct weir_ctx *ctx, const struct pmu_counter *counter,
		     const struct pmu_sum *sum, char *text, size_t size)
{
	int64_t watchdog = 0;

	if (sum->enabled == 0) {
		snprintf(text, size, "nothing of it ran in this window");
		return;
	}
	weir_read_number(ctx, "proc/sys/kernel/nmi_watchdog", &watchdog);
	if (watchdog && pmu_is_hardware(counter))
		snprintf(text, size,
			 "no counter was free; the NMI watchdog holds one: `sysctl "
			 "kernel.nmi_watchdog=0`");
	else
		snprintf(text, size, "no counter was free: fewer events%s",
			 counter->group ? ", or a smaller group" : "");
}
