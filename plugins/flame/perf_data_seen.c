/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: how often each frame was seen. Frames are looked up once and kept, so that files that have
 * no names would seem to cost as much as they have addresses.
 */
#include "perf_data.h"

#include <stdlib.h>

int perf_data_seen(struct perf_data *data, uint32_t number)
{
	if (number >= data->seen_capacity) {
		uint32_t capacity = data->seen_capacity ? data->seen_capacity : 1024;
		uint64_t *seen;

		while (capacity <= number)
			capacity *= 2;
		seen = reallocarray(data->seen, capacity, sizeof(*seen));
		if (!seen)
			return -ENOMEM;
		memset(seen + data->seen_capacity, 0,
		       (capacity - data->seen_capacity) * sizeof(*seen));
		data->seen = seen;
		data->seen_capacity = capacity;
	}
	data->seen[number]++;
	return 0;
}

/* Places in objects, + 1, by the names that the frames have. */
static int seen_places(struct perf_data *data, struct intmap *places)
{
	const struct objects *objects = &data->resolve->objects;

	for (uint32_t i = 0; i < objects->count; i++) {
		const char *path = objects->items[i]->path;
		uint32_t name = file_name(&data->file->profile, path, strlen(path));

		if (name && !intmap_get(places, name, 0) && intmap_add(places, name, 0, i + 1))
			return -ENOMEM;
	}
	return 0;
}

void perf_data_seen_add_up(struct perf_data *data)
{
	const struct file_frames *frames = &data->file->profile.frames;
	struct objects *objects = &data->resolve->objects;
	struct intmap places = { NULL, 0, 0 };
	uint32_t place;

	if (seen_places(data, &places) == 0)
		for (uint32_t i = 1; i < data->seen_capacity && i <= frames->count; i++) {
			const struct weir_frame *frame = file_frames_at(frames, i);

			objects->frames += data->seen[i];
			place = frame->symbol ? 0 : intmap_get(&places, frame->object, 0);
			if (place)
				objects->items[place - 1]->nameless += data->seen[i];
		}
	intmap_clear(&places);
}

void perf_data_seen_forget(struct perf_data *data)
{
	if (data->seen)
		memset(data->seen, 0, data->seen_capacity * sizeof(*data->seen));
}
