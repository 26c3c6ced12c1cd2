/* SPDX-License-Identifier: BSD-2-Clause */
/* Address spaces of a recording; see perf_data_process.h. Nothing here recurses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf_data_process.h"

/* The first mapping that ends above the address. */
static uint32_t space_above(const struct perf_data_space *space, uint64_t address)
{
	uint32_t low = 0, high = space->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (space->maps[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct perf_data_map *perf_data_map_at(const struct perf_data_space *space, uint64_t address)
{
	uint32_t at = space_above(space, address);

	return at < space->count && space->maps[at].start <= address ? &space->maps[at] : NULL;
}

static int space_reserve(struct perf_data_space *space, uint32_t count)
{
	uint32_t capacity = space->capacity ? space->capacity : 16;
	struct perf_data_map *maps;

	if (count <= space->capacity)
		return 0;
	while (capacity < count)
		capacity *= 2;
	maps = reallocarray(space->maps, capacity, sizeof(*maps));
	if (!maps)
		return -ENOMEM;
	space->maps = maps;
	space->capacity = capacity;
	return 0;
}

int perf_data_space_replace(struct perf_data_space *space, uint64_t start, uint64_t end,
			    const struct perf_data_map *map)
{
	uint32_t first = space_above(space, start), last = first, count = 0;
	struct perf_data_map news[3];

	while (last < space->count && space->maps[last].start < end)
		last++;
	if (last > first && space->maps[first].start < start) {
		news[count] = space->maps[first];
		news[count++].end = start;
	}
	if (map)
		news[count++] = *map;
	if (last > first && space->maps[last - 1].end > end) {
		news[count] = space->maps[last - 1];
		news[count].offset += end - news[count].start;
		news[count++].start = end;
	}
	if (last == first && !count)
		return 0;
	if (space_reserve(space, space->count - (last - first) + count))
		return -ENOMEM;
	memmove(space->maps + first + count, space->maps + last,
		(space->count - last) * sizeof(*space->maps));
	memcpy(space->maps + first, news, count * sizeof(*news));
	space->count += count - (last - first);
	return 0;
}

struct perf_data_space *perf_data_space_copy(const struct perf_data_space *space)
{
	struct perf_data_space *copy = calloc(1, sizeof(*copy));

	if (!copy)
		return NULL;
	copy->references = 1;
	if (!space)
		return copy;
	if (space_reserve(copy, space->count)) {
		free(copy);
		return NULL;
	}
	if (space->count)
		memcpy(copy->maps, space->maps, space->count * sizeof(*space->maps));
	copy->count = space->count;
	return copy;
}

void perf_data_space_release(struct perf_data_space *space)
{
	if (!space || --space->references)
		return;
	free(space->maps);
	free(space);
}
