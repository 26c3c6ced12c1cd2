/* SPDX-License-Identifier: BSD-2-Clause */
/* The names that perf's generic events have, and what they are to the kernel. */
#ifndef WEIR_PERF_NAMES_H
#define WEIR_PERF_NAMES_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>

struct weir_perf_name {
	const char *name;
	const char *alias; /* or NULL */
	uint32_t type;     /* PERF_TYPE_... */
	uint32_t clock;    /* 1: counts nanoseconds */
	uint64_t config;
	const char *doc;
};

#define WEIR_PERF_HARDWARE(name_, alias_, config_, doc_)                                           \
	{                                                                                          \
		name_, alias_, PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_##config_, doc_                \
	}
#define WEIR_PERF_SOFTWARE(name_, alias_, clock_, config_, doc_)                                   \
	{                                                                                          \
		name_, alias_, PERF_TYPE_SOFTWARE, clock_, PERF_COUNT_SW_##config_, doc_           \
	}

/* All of hardware and software, one after the other; NULL past the last. */
static inline const struct weir_perf_name *weir_perf_name_at(uint32_t i)
{
	static const struct weir_perf_name names[] = {
		WEIR_PERF_HARDWARE("cycles", "cpu-cycles", CPU_CYCLES,
				   "cycles of a CPU that works, at the frequency it has"),
		WEIR_PERF_HARDWARE("instructions", NULL, INSTRUCTIONS,
				   "instructions that were completed"),
		WEIR_PERF_HARDWARE("cache-references", NULL, CACHE_REFERENCES,
				   "accesses to the last level of cache, as a rule"),
		WEIR_PERF_HARDWARE("cache-misses", NULL, CACHE_MISSES,
				   "accesses that the last level of cache did not hold, as a rule"),
		WEIR_PERF_HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS,
				   "branches that were completed"),
		WEIR_PERF_HARDWARE("branch-misses", NULL, BRANCH_MISSES,
				   "branches that were predicted wrongly"),
		WEIR_PERF_HARDWARE("bus-cycles", NULL, BUS_CYCLES, "cycles of the bus"),
		WEIR_PERF_HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend",
				   STALLED_CYCLES_FRONTEND,
				   "cycles in which no instructions came in"),
		WEIR_PERF_HARDWARE("stalled-cycles-backend", "idle-cycles-backend",
				   STALLED_CYCLES_BACKEND,
				   "cycles in which results were waited for"),
		WEIR_PERF_HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES,
				   "cycles of a CPU that works, at a constant frequency"),
		WEIR_PERF_SOFTWARE("cpu-clock", NULL, 1, CPU_CLOCK, "time, by a timer of each CPU"),
		WEIR_PERF_SOFTWARE("task-clock", NULL, 1, TASK_CLOCK, "time on a CPU"),
		WEIR_PERF_SOFTWARE("page-faults", "faults", 0, PAGE_FAULTS,
				   "pages that were not mapped"),
		WEIR_PERF_SOFTWARE("minor-faults", NULL, 0, PAGE_FAULTS_MIN,
				   "page faults that took no reading"),
		WEIR_PERF_SOFTWARE("major-faults", NULL, 0, PAGE_FAULTS_MAJ,
				   "page faults that had to read from a disk"),
		WEIR_PERF_SOFTWARE("context-switches", "cs", 0, CONTEXT_SWITCHES,
				   "changes to another task"),
		WEIR_PERF_SOFTWARE("cpu-migrations", "migrations", 0, CPU_MIGRATIONS,
				   "changes to another CPU"),
		WEIR_PERF_SOFTWARE("alignment-faults", NULL, 0, ALIGNMENT_FAULTS,
				   "accesses that the kernel had to align"),
		WEIR_PERF_SOFTWARE("emulation-faults", NULL, 0, EMULATION_FAULTS,
				   "instructions that the kernel had to emulate"),
	};

	return i < sizeof(names) / sizeof(names[0]) ? &names[i] : NULL;
}

/* A cache event: `text` gets "L1-dcache-load-misses". 0 past the last. */
static inline int weir_perf_cache_name_at(uint32_t i, char *text, size_t size, uint64_t *config)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",      "branch",    "node" };
	static const char *const operations[] = { "load", "store", "prefetch" };
	uint32_t result = i % 2, operation = i / 2 % 3, cache = i / 6;

	if (cache >= sizeof(caches) / sizeof(caches[0]))
		return 0;
	*config = cache | operation << 8 | (uint64_t)result << 16;
	if (result)
		snprintf(text, size, "%s-%s-misses", caches[cache], operations[operation]);
	else
		snprintf(text, size, "%s-%s%s", caches[cache], operations[operation],
			 operation == 2 ? "es" : "s");
	return 1;
}

#endif
