/* SPDX-License-Identifier: BSD-2-Clause */
/* pmu.kernel: the generic events of hardware, caches and software, and raw numbers. */
#include "pmu_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How many letters must be put in, left out or changed; at most `limit` + 1. */
static uint32_t pmu_distance(const char *a, const char *b, uint32_t limit)
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

const char *pmu_generic_like(const char *name, char *text, size_t size)
{
	uint32_t limit = strlen(name) < 6 ? 1 : 3, best = limit + 1;
	const struct weir_perf_name *known;
	uint64_t config;
	char cache[64];

	for (uint32_t i = 0; (known = weir_perf_name_at(i)); i++) {
		uint32_t distance = pmu_distance(name, known->name, limit);

		if (distance < best) {
			best = distance;
			snprintf(text, size, "%s", known->name);
		}
	}
	for (uint32_t i = 0; weir_perf_cache_name_at(i, cache, sizeof(cache), &config); i++) {
		uint32_t distance = pmu_distance(name, cache, limit);

		if (distance < best) {
			best = distance;
			snprintf(text, size, "%s", cache);
		}
	}
	return best <= limit ? text : NULL;
}

static void pmu_generic_fill(const struct weir_perf_name *known, struct weir_pmu_event *event)
{
	event->name = known->name;
	event->kind = known->type == PERF_TYPE_HARDWARE ? "hardware" : "software";
	event->doc = known->doc;
	event->unit = known->clock ? WEIR_NS : NULL;
	event->type = known->type;
	event->config = known->config;
	event->flags |= WEIR_PMU_ENCODED;
}

static void pmu_cache_fill(const char *name, uint64_t config, struct weir_pmu_event *event)
{
	event->name = name;
	event->kind = "cache";
	event->type = PERF_TYPE_HW_CACHE;
	event->config = config;
	event->flags |= WEIR_PMU_ENCODED;
}

int pmu_generic_find(struct weir_ctx *ctx, const char *name, struct weir_pmu_event *event)
{
	struct pmu_state *state = ctx->state;
	const struct weir_perf_name *known;
	char cache[64];
	uint64_t config;

	for (uint32_t i = 0; (known = weir_perf_name_at(i)); i++)
		if (strcmp(known->name, name) == 0 ||
		    (known->alias && strcmp(known->alias, name) == 0)) {
			pmu_generic_fill(known, event);
			return 0;
		}
	for (uint32_t i = 0; weir_perf_cache_name_at(i, cache, sizeof(cache), &config); i++)
		if (strcmp(cache, name) == 0) {
			snprintf(state->name, sizeof(state->name), "%s", cache);
			pmu_cache_fill(state->name, config, event);
			return 0;
		}
	return -ENOENT;
}

/* r1a8: a number as the CPU's manual has it. */
int pmu_raw_find(const char *name, struct weir_pmu_event *event)
{
	size_t digits = name[0] == 'r' ? strspn(name + 1, "0123456789abcdefABCDEF") : 0;

	if (digits == 0 || digits > 16 || name[1 + digits])
		return -ENOENT;
	event->kind = "pmu";
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(name + 1, NULL, 16);
	return 0;
}

int pmu_generic_list(const struct pmu_list *list)
{
	const struct weir_perf_name *known;
	char cache[64];
	uint64_t config;
	int err = 0;

	for (uint32_t i = 0; !err && (known = weir_perf_name_at(i)); i++) {
		struct weir_pmu_event event = { .size = sizeof(event) };

		pmu_generic_fill(known, &event);
		if (pmu_wanted(list, event.kind))
			err = list->see(&event, list->with);
	}
	for (uint32_t i = 0; !err && pmu_wanted(list, "cache") &&
			     weir_perf_cache_name_at(i, cache, sizeof(cache), &config);
	     i++) {
		struct weir_pmu_event event = { .size = sizeof(event) };

		pmu_cache_fill(cache, config, &event);
		err = list->see(&event, list->with);
	}
	return err;
}
