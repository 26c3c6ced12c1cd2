/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of events that are looked for: the generic ones that are like them, and tracepoints. */
#include "perf_names.h"

#include <stdio.h>
#include <string.h>

#include <weir/probe.h>

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
	const struct weir_perf_name *known;
	uint64_t config;
	char cache[64];

	for (uint32_t i = 0; (known = weir_perf_name_at(i)); i++) {
		uint32_t distance = perf_distance(name, known->name, limit);

		if (distance < best) {
			best = distance;
			snprintf(text, size, "%s", known->name);
		}
	}
	for (uint32_t i = 0; weir_perf_cache_name_at(i, cache, sizeof(cache), &config); i++) {
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
