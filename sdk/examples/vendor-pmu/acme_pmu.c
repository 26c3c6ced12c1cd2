/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A vendor's PMU, whole: events by the names of the vendor's manual, and a set of metrics over them.
 * Dropped into a folder of plugins, `weir events`, `weir stat`, `weir flame --event` and `--metrics acme`
 * know them. docs/vendor-pmu.md tells the way to your own.
 *
 * Acme's are the architectural events of Arm CPUs, and two of the kernel's, so that it can be tried
 * on any machine.
 */
#include <weir/plugin.h>
#include <weir/service/pmu.h>

static const struct acme_event {
	const char *name;
	const char *doc;
	uint32_t type;
	uint64_t config;
} acme_events[] = {
	{ "RETIRED", "instructions that were architecturally executed", PERF_TYPE_RAW, 0x08 },
	{ "CYCLES", "cycles of the core", PERF_TYPE_RAW, 0x11 },
	{ "STALL_BACKEND", "cycles in which the back end took nothing", PERF_TYPE_RAW, 0x24 },
	{ "PAGES", "pages that the kernel had to map", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_PAGE_FAULTS },
	{ "MOVES", "moves of a thread to another CPU", PERF_TYPE_SOFTWARE,
	  PERF_COUNT_SW_CPU_MIGRATIONS },
};

#define ACME_EVENTS (sizeof(acme_events) / sizeof(acme_events[0]))

/* What a name may lack depends on the CPU: another one of Acme's has other counters. */
static void acme_fill(const struct acme_event *known, struct weir_pmu_event *event)
{
	event->name = known->name;
	event->kind = "pmu";
	event->doc = known->doc;
	event->type = known->type;
	event->config = known->config;
	event->flags |= WEIR_PMU_ENCODED;
}

/* "RETIRED:u": the modifiers are weir's, the same for all vendors. */
static int acme_encode(struct weir_ctx *self, const char *name, struct weir_pmu_event *event)
{
	size_t length = weir_pmu_modifiers(name, event);

	(void)self;
	for (size_t i = 0; i < ACME_EVENTS; i++)
		if (strlen(acme_events[i].name) == length &&
		    memcmp(acme_events[i].name, name, length) == 0) {
			acme_fill(&acme_events[i], event);
			return 0;
		}
	return -ENOENT;
}

static int acme_list(struct weir_ctx *self, const char *kind, weir_pmu_event_fn *see, void *with)
{
	int stop = 0;

	(void)self;
	for (size_t i = 0; i < ACME_EVENTS && !stop; i++) {
		struct weir_pmu_event event = { .size = sizeof(event) };

		acme_fill(&acme_events[i], &event);
		if (!kind || strcmp(kind, event.kind) == 0)
			stop = see(&event, with);
	}
	return stop;
}

/* In the form of configs/metrics: docs/metrics.md. */
static const char acme_set[] = "weir-metrics: 1\n"
			       "events:\n"
			       "  task_clock: {event: task-clock, unit: ns}\n"
			       "  retired: acme::RETIRED\n"
			       "  cycles: acme::CYCLES\n"
			       "  pages: acme::PAGES\n"
			       "together:\n"
			       "- [retired, cycles]\n"
			       "metrics:\n"
			       "- metric: acme_ipc\n"
			       "  of: retired / cycles\n"
			       "  means: instructions per cycle\n"
			       "- metric: page_rate\n"
			       "  of: pages / task_clock\n"
			       "  unit: /s\n"
			       "  means: pages mapped per second on a CPU\n"
			       "readings:\n"
			       "- reading: paging\n"
			       "  when: page_rate > 1000 / 1s\n"
			       "  say: \"${page_rate} pages are mapped while it runs\"\n"
			       "  do: keep the memory that is used again\n"
			       "  next: weir flame --event acme::PAGES\n"
			       "- reading: nothing\n"
			       "  say: nothing stands out\n";

static int acme_metrics(struct weir_ctx *self, weir_pmu_metrics_fn *see, void *with)
{
	const struct weir_pmu_metrics metrics = { .size = sizeof(metrics),
						  .name = "acme",
						  .doc = "how well Acme's cores work",
						  .text = acme_set };

	(void)self;
	return see(&metrics, with);
}

static const struct weir_pmu_v1 acme_calls = {
	.size = sizeof(acme_calls),
	.encode = acme_encode,
	.list = acme_list,
	.metrics = acme_metrics,
};

static const struct weir_service_offer acme_offers[] = {
	{ WEIR_PMU_SERVICE, WEIR_PMU_VERSION, 0, &acme_calls },
};

WEIR_COMPONENT("pmu.acme", WEIR_PROVIDER, .summary = "events of Acme's cores (an example)",
	       .offers = WEIR_TABLE(acme_offers));
