/* SPDX-License-Identifier: BSD-2-Clause */
/* The names that perf's generic events have. */
#include "perf_names.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include <weir/probe.h>

#define HARDWARE(name_, alias_, config_)                                                           \
	{                                                                                          \
		name_, alias_, PERF_TYPE_HARDWARE, 0, PERF_COUNT_HW_##config_                      \
	}
#define SOFTWARE(name_, alias_, clock_, config_)                                                   \
	{                                                                                          \
		name_, alias_, PERF_TYPE_SOFTWARE, clock_, PERF_COUNT_SW_##config_                 \
	}

static const struct perf_name perf_names[] = {
	HARDWARE("cycles", "cpu-cycles", CPU_CYCLES),
	HARDWARE("instructions", NULL, INSTRUCTIONS),
	HARDWARE("cache-references", NULL, CACHE_REFERENCES),
	HARDWARE("cache-misses", NULL, CACHE_MISSES),
	HARDWARE("branches", "branch-instructions", BRANCH_INSTRUCTIONS),
	HARDWARE("branch-misses", NULL, BRANCH_MISSES),
	HARDWARE("bus-cycles", NULL, BUS_CYCLES),
	HARDWARE("stalled-cycles-frontend", "idle-cycles-frontend", STALLED_CYCLES_FRONTEND),
	HARDWARE("stalled-cycles-backend", "idle-cycles-backend", STALLED_CYCLES_BACKEND),
	HARDWARE("ref-cycles", NULL, REF_CPU_CYCLES),
	SOFTWARE("cpu-clock", NULL, 1, CPU_CLOCK),
	SOFTWARE("task-clock", NULL, 1, TASK_CLOCK),
	SOFTWARE("page-faults", "faults", 0, PAGE_FAULTS),
	SOFTWARE("minor-faults", NULL, 0, PAGE_FAULTS_MIN),
	SOFTWARE("major-faults", NULL, 0, PAGE_FAULTS_MAJ),
	SOFTWARE("context-switches", "cs", 0, CONTEXT_SWITCHES),
	SOFTWARE("cpu-migrations", "migrations", 0, CPU_MIGRATIONS),
	SOFTWARE("alignment-faults", NULL, 0, ALIGNMENT_FAULTS),
	SOFTWARE("emulation-faults", NULL, 0, EMULATION_FAULTS),
};

const struct perf_name *perf_name_at(uint32_t i)
{
	return i < sizeof(perf_names) / sizeof(perf_names[0]) ? &perf_names[i] : NULL;
}

bool perf_cache_name_at(uint32_t i, char *text, size_t size, uint64_t *config)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",      "branch",    "node" };
	static const char *const operations[] = { "load", "store", "prefetch" };
	uint32_t result = i % 2, operation = i / 2 % 3, cache = i / 6;

	if (cache >= sizeof(caches) / sizeof(caches[0]))
		return false;
	*config = cache | operation << 8 | (uint64_t)result << 16;
	if (result)
		snprintf(text, size, "%s-%s-misses", caches[cache], operations[operation]);
	else
		snprintf(text, size, "%s-%s%s", caches[cache], operations[operation],
			 operation == 2 ? "es" : "s");
	return true;
}

/* How many letters must be put in, left out or changed; at most `limit` + 1. */
static uint32_t perf_distance(const char *a, const char *b, uint32_t limit)
{
	uint32_t row[64], length = (uint32_t)strlen(b);

	if (length >= sizeof(row) / sizeof(row[0]))
		return limit + 1;
	for (uint32_t j = 0; j <= length; j++)
		row[j] = j;
	for (uint32_t i = 0; a[i]; i++) {
		uint32_t corner = row[0]++;

		for (uint32_t j = 1; j <= length; j++) {
			uint32_t best = corner + (a[i] != b[j - 1]);

			corner = row[j];
			if (best > row[j] + 1)
				best = row[j] + 1;
			if (best > row[j - 1] + 1)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[length] <= limit ? row[length] : limit + 1;
}

const char *perf_name_like(const char *name, char *text, size_t size)
{
	uint32_t limit = strlen(name) < 6 ? 1 : 3, best = limit + 1;
	const struct perf_name *known;
	uint64_t config;
	char cache[64];

	for (uint32_t i = 0; (known = perf_name_at(i)); i++) {
		uint32_t distance = perf_distance(name, known->name, limit);

		if (distance < best) {
			best = distance;
			snprintf(text, size, "%s", known->name);
		}
	}
	for (uint32_t i = 0; perf_cache_name_at(i, cache, sizeof(cache), &config); i++) {
		uint32_t distance = perf_distance(name, cache, limit);

		if (distance < best) {
			best = distance;
			snprintf(text, size, "%s", cache);
		}
	}
	return best <= limit ? text : NULL;
}

const char *perf_tracing_folder(struct weir_ctx *ctx)
{
	static const char *const folders[] = { "sys/kernel/tracing", "sys/kernel/debug/tracing" };
	char path[64];

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", folders[i]);
		if (weir_path_exists(ctx, path))
			return folders[i];
	}
	return NULL;
}

int perf_tracepoint(struct weir_ctx *ctx, const char *name, uint64_t *config)
{
	const char *folder = perf_tracing_folder(ctx);
	const char *colon = strchr(name, ':');
	char path[256];
	int64_t id = 0;
	int err;

	if (!folder)
		return -ENODEV;
	if (!colon || strchr(name, '/') || strstr(name, ".."))
		return -EINVAL;
	if (snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", folder, (int)(colon - name), name,
		     colon + 1) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	err = weir_read_number(ctx, path, &id);
	*config = (uint64_t)id;
	return err;
}
