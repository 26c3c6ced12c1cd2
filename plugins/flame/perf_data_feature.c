/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data: what its features tell: who recorded, names of events, build-ids. */
#include "perf_data.h"

#include <stdlib.h>

/* A feature's bytes on their way. */
struct feature_bytes {
	const struct perf_data *data;
	const uint8_t *at;
	const uint8_t *end;
};

static bool feature_u32(struct feature_bytes *from, uint32_t *value)
{
	if (from->end - from->at < 4)
		return false;
	*value = perf_data_u32(from->data, from->at);
	from->at += 4;
	return true;
}

static bool feature_skip(struct feature_bytes *from, size_t bytes)
{
	if ((size_t)(from->end - from->at) < bytes)
		return false;
	from->at += bytes;
	return true;
}

/* A text: the length of its room, then as many bytes, of which the first NUL ends it. */
static bool feature_text(struct feature_bytes *from, const char **text, size_t *length)
{
	uint32_t room;

	if (!feature_u32(from, &room))
		return false;
	*text = (const char *)from->at;
	if (!feature_skip(from, room))
		return false;
	*length = strnlen(*text, room);
	return true;
}

static int feature_keep(struct feature_bytes *from, char **kept)
{
	const char *text;
	size_t length;
	char *copy;

	if (!feature_text(from, &text, &length))
		return -EBADMSG;
	copy = strndup(text, length);
	if (!copy)
		return -ENOMEM;
	free(*kept);
	*kept = copy;
	return 0;
}

/* The event that a described one is: by its ids, else by its attribute's place in the order. */
static uint32_t feature_event(const struct perf_data *data, uint32_t nth, const uint8_t *ids,
			      uint32_t count)
{
	if (count) {
		uint32_t place = perf_data_event_of_id(data, perf_data_u64(data, ids));

		if (place < data->events.count)
			return place;
	}
	return nth;
}

static int feature_event_desc(struct perf_data *data, struct feature_bytes *from)
{
	uint32_t count, attr_bytes;

	if (!feature_u32(from, &count) || !feature_u32(from, &attr_bytes))
		return -EBADMSG;
	for (uint32_t nth = 0; nth < count; nth++) {
		const uint8_t *ids;
		const char *name;
		uint32_t id_count, place;
		size_t length;
		int err;

		if (!feature_skip(from, attr_bytes) || !feature_u32(from, &id_count) ||
		    !feature_text(from, &name, &length))
			return -EBADMSG;
		ids = from->at;
		if (id_count > (size_t)(from->end - from->at) / 8)
			return -EBADMSG;
		from->at += (size_t)id_count * 8;
		place = feature_event(data, nth, ids, id_count);
		err = place < data->events.count ? perf_data_name_event(data, place, name, length)
						 : 0;
		if (err)
			return err;
	}
	return 0;
}

static struct perf_data_build_id *feature_new_build_id(struct perf_data_features *features,
						       uint32_t path)
{
	uint32_t place = intmap_get(&features->by_path, path, 0);

	if (place)
		return &features->build_ids[place - 1];
	if (features->build_id_count == features->build_id_capacity) {
		uint32_t capacity =
			features->build_id_capacity ? features->build_id_capacity * 2 : 32;
		void *grown =
			reallocarray(features->build_ids, capacity, sizeof(*features->build_ids));

		if (!grown)
			return NULL;
		features->build_ids = grown;
		features->build_id_capacity = capacity;
	}
	if (intmap_add(&features->by_path, path, 0, features->build_id_count + 1))
		return NULL;
	return &features->build_ids[features->build_id_count++];
}

int perf_data_add_build_id(struct perf_data *data, const struct perf_data_record *record)
{
	struct perf_data_build_id found = { .size = PERF_DATA_BUILD_ID_MAX }, *kept;
	const uint8_t *id = record->body + 4; /* behind a pid */
	const char *path;
	size_t length;

	if (record->bytes < 4 + 24 + 1)
		return -EBADMSG;
	if (record->misc & PERF_DATA_MISC_SIZE && id[20] && id[20] < found.size)
		found.size = id[20];
	memcpy(found.bytes, id, found.size);
	path = (const char *)id + 24;
	length = strnlen(path, record->bytes - 28);
	found.path = data->ctx->host->names_intern(data->processes.texts, path, length);
	if (length && !found.path)
		return -ENOMEM;
	kept = feature_new_build_id(&data->features, found.path);
	if (!kept)
		return -ENOMEM;
	*kept = found;
	if ((record->misc & PERF_DATA_CPUMODE) == PERF_DATA_CPU_KERNEL &&
	    length == sizeof(PERF_DATA_CORE) - 1 && memcmp(path, PERF_DATA_CORE, length) == 0)
		data->features.kernel = found;
	return 0;
}

/* A run of records, each of a build-id. */
static int feature_build_ids(struct perf_data *data, struct feature_bytes *from)
{
	while (from->end - from->at >= PERF_DATA_RECORD) {
		struct perf_data_record record = {
			.body = from->at + PERF_DATA_RECORD,
			.misc = perf_data_u16(data, from->at + 4),
		};
		uint16_t size = perf_data_u16(data, from->at + 6);
		int err;

		if (size < PERF_DATA_RECORD || !feature_skip(from, size))
			return -EBADMSG;
		record.bytes = size - PERF_DATA_RECORD;
		err = perf_data_add_build_id(data, &record);
		if (err)
			return err;
	}
	return 0;
}

int perf_data_feature(struct perf_data *data, uint32_t feature, const uint8_t *bytes, size_t count)
{
	struct feature_bytes from = { data, bytes, bytes + count };

	switch (feature) {
	case PERF_DATA_F_BUILD_ID:
		return feature_build_ids(data, &from);
	case PERF_DATA_F_HOSTNAME:
		return feature_keep(&from, &data->features.hostname);
	case PERF_DATA_F_OSRELEASE:
		return feature_keep(&from, &data->features.osrelease);
	case PERF_DATA_F_ARCH:
		return feature_keep(&from, &data->features.arch);
	case PERF_DATA_F_EVENT_DESC:
		return feature_event_desc(data, &from);
	default:
		return 0;
	}
}

const struct perf_data_build_id *perf_data_build_id_of(const struct perf_data *data, uint32_t path)
{
	uint32_t place = intmap_get(&data->features.by_path, path, 0);

	return place ? &data->features.build_ids[place - 1] : NULL;
}

void perf_data_clear_features(struct perf_data *data)
{
	struct perf_data_features *features = &data->features;

	free(features->arch);
	free(features->hostname);
	free(features->osrelease);
	free(features->build_ids);
	intmap_clear(&features->by_path);
	memset(features, 0, sizeof(*features));
}
