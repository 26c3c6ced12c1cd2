/* SPDX-License-Identifier: BSD-2-Clause */
/* perf.data: from bytes to records, and what each of them does. */
#include "perf_data.h"

#include <inttypes.h>

/* The bodies of the records that are read, by the offsets of their members. */
enum {
	MAP_START = 8, /* behind pid and tid */
	MAP_LENGTH = 16,
	MAP_OFFSET = 24,
	MAP_PATH = 32,
	MAP2_IDENTITY = 32, /* device and inode, or a build-id */
	MAP2_BUILD_ID = 36,
	MAP2_PATH = 64,
	KSYMBOL_NAME = 16,
	UPDATE_NAME = 2, /* of EVENT_UPDATE's types: the rest are others */
};

static const char *record_text(const struct perf_data_record *record, uint32_t at)
{
	const char *text = (const char *)record->body + at;

	if (record->bytes <= at || !memchr(text, '\0', record->bytes - at))
		return NULL;
	return text;
}

/* The build-id that a feature tells for the path, where the mapping itself has none. */
static void record_identify(struct perf_data *data, const char *path,
			    struct perf_data_object *object)
{
	const struct weir_host *host = data->ctx->host;
	const struct perf_data_build_id *known;

	if (object->build_id_size || !data->features.build_id_count)
		return;
	known = perf_data_build_id_of(
		data, host->names_intern(data->processes.texts, path, strlen(path)));
	if (!known)
		return;
	object->build_id_size = known->size;
	memcpy(object->build_id, known->bytes, known->size);
}

/*
 * A mapping tells a build-id or an inode. Kernels (6.18 is one) leave the mark of a build-id on the
 * records of those who have not asked for it, while somebody else does: so either it was asked for,
 * or it is of a usual size.
 */
static bool record_has_build_id(struct perf_data *data, const struct perf_data_record *record)
{
	const struct perf_data_event *event = perf_data_event_of(data, record);
	uint8_t size = record->body[MAP2_IDENTITY];

	if (!(record->misc & PERF_DATA_MISC_ID) || !size || size > PERF_DATA_ID_MAX)
		return false;
	return size == 20 || size == 16 || (event && event->attr.flags & PERF_DATA_FLAG_BUILD_ID);
}

static void record_identity(struct perf_data *data, const struct perf_data_record *record,
			    struct perf_data_object *object)
{
	const uint8_t *body = record->body;

	if (record_has_build_id(data, record)) {
		object->build_id_size = body[MAP2_IDENTITY];
		memcpy(object->build_id, body + MAP2_BUILD_ID, object->build_id_size);
		return;
	}
	object->device_major = perf_data_u32(data, body + MAP2_IDENTITY);
	object->device_minor = perf_data_u32(data, body + MAP2_IDENTITY + 4);
	object->inode = perf_data_u64(data, body + MAP2_IDENTITY + 8);
}

static int record_map(struct perf_data *data, const struct perf_data_record *record)
{
	const uint8_t *body = record->body;
	bool second = record->type == PERF_DATA_MMAP2;
	const char *path = record_text(record, second ? MAP2_PATH : MAP_PATH);
	bool kernel = (record->misc & PERF_DATA_CPUMODE) == PERF_DATA_CPU_KERNEL;
	struct perf_data_object object = { 0 };
	struct perf_data_map map;

	if (!path)
		return -EBADMSG;
	map.start = perf_data_u64(data, body + MAP_START);
	map.end = map.start + perf_data_u64(data, body + MAP_LENGTH);
	/* The last byte of the address space may be one of the kernel's. */
	if (map.end < map.start)
		map.end = UINT64_MAX;
	map.offset = perf_data_u64(data, body + MAP_OFFSET);
	map.kind = PERF_DATA_CODE;
	if (!kernel && record->misc & PERF_DATA_MISC_EXEC)
		map.kind = PERF_DATA_NO_CODE;
	if (second)
		record_identity(data, record, &object);
	record_identify(data, path, &object);
	if (kernel)
		return perf_data_map_add(&data->processes, PERF_DATA_KERNEL_PID, &map, path,
					 &object);
	if (perf_data_jit_see(data, perf_data_u32(data, body), path, object.inode))
		return -ENOMEM;
	return perf_data_map_add(&data->processes, perf_data_u32(data, body), &map, path, &object);
}

static int record_comm(struct perf_data *data, const struct perf_data_record *record)
{
	const char *comm = record_text(record, 8);

	if (!comm)
		return -EBADMSG;
	return perf_data_comm_set(&data->processes, perf_data_u32(data, record->body),
				  perf_data_u32(data, record->body + 4), comm, strlen(comm),
				  record->misc & PERF_DATA_MISC_EXEC);
}

static int record_fork(struct perf_data *data, const struct perf_data_record *record)
{
	if (record->bytes < 16)
		return -EBADMSG;
	return perf_data_fork(&data->processes, perf_data_u32(data, record->body),
			      perf_data_u32(data, record->body + 4),
			      perf_data_u32(data, record->body + 8),
			      perf_data_u32(data, record->body + 12));
}

static int record_ksymbol(struct perf_data *data, const struct perf_data_record *record)
{
	const char *name = record_text(record, KSYMBOL_NAME);
	struct perf_data_object object = { 0 };
	struct perf_data_map map = { 0 };

	if (!name)
		return -EBADMSG;
	map.start = perf_data_u64(data, record->body);
	map.end = map.start + perf_data_u32(data, record->body + 8);
	if (map.end < map.start)
		return -EBADMSG;
	map.kind = perf_data_u16(data, record->body + 12) == 1 ? PERF_DATA_PROGRAM
							       : PERF_DATA_FUNCTION;
	if (perf_data_u16(data, record->body + 14) & 1)
		return perf_data_map_remove(&data->processes, PERF_DATA_KERNEL_PID, map.start,
					    map.end);
	return perf_data_map_add(&data->processes, PERF_DATA_KERNEL_PID, &map, name, &object);
}

static int record_sample(struct perf_data *data, const struct perf_data_record *record)
{
	struct perf_data_event *event = perf_data_event_of(data, record);
	struct perf_data_sample sample;
	int err;

	if (!event)
		return -EBADMSG;
	data->counts.samples++;
	if (!file_wants_event(&data->file->profile, perf_data_event_name(data, event))) {
		file_pass_over(&data->file->profile, perf_data_event_name(data, event), 1);
		return 0;
	}
	err = perf_data_decode(data, event, record, &sample);
	if (!err)
		err = perf_data_chain_calls(data, &sample);
	if (!err)
		err = perf_data_unwind(data, event, &sample);
	if (err)
		return err;
	return perf_data_is_deferred(data, &sample) ? perf_data_defer(data, event, &sample)
						    : perf_data_push(data, event, &sample);
}

/* How many were lost: behind an id, or at once. */
static int record_lost(struct perf_data *data, const struct perf_data_record *record)
{
	uint32_t at = record->type == PERF_DATA_LOST ? 8 : 0;
	uint64_t *count =
		record->type == PERF_DATA_LOST ? &data->counts.lost : &data->counts.lost_samples;

	if (record->bytes < at + 8)
		return -EBADMSG;
	*count += perf_data_u64(data, record->body + at);
	return 0;
}

static int record_attr(struct perf_data *data, const struct perf_data_record *record)
{
	uint32_t bytes, place;
	int err;

	if (record->bytes < 8)
		return -EBADMSG;
	/* The attribute's own size tells where its ids begin. */
	bytes = perf_data_u32(data, record->body + 4);
	bytes = bytes ? bytes : 64;
	if (bytes > record->bytes)
		return -EBADMSG;
	err = perf_data_add_event(data, record->body, bytes, &place);
	for (uint32_t at = bytes; !err && record->bytes - at >= 8; at += 8)
		err = perf_data_add_id(data, place, perf_data_u64(data, record->body + at));
	perf_data_seal_events(data);
	return err;
}

static int record_update(struct perf_data *data, const struct perf_data_record *record)
{
	const char *name = record_text(record, 16);
	uint32_t place;

	if (record->bytes < 16 || perf_data_u64(data, record->body) != UPDATE_NAME)
		return 0;
	if (!name)
		return -EBADMSG;
	place = perf_data_event_of_id(data, perf_data_u64(data, record->body + 8));
	return place < data->events.count ? perf_data_name_event(data, place, name, strlen(name))
					  : 0;
}

static int record_feature(struct perf_data *data, const struct perf_data_record *record)
{
	if (record->bytes < 8)
		return -EBADMSG;
	return perf_data_feature(data, perf_data_u32(data, record->body), record->body + 8,
				 record->bytes - 8);
}

/* Those that take effect at once: they have no time. 0, -EBADMSG or -ENOMEM; 1: none of them. */
static int record_immediate(struct perf_data *data, const struct perf_data_record *record)
{
	switch (record->type) {
	case PERF_DATA_ATTR:
		return record_attr(data, record);
	case PERF_DATA_EVENT_UPDATE:
		return record_update(data, record);
	case PERF_DATA_FEATURE:
		return record_feature(data, record);
	case PERF_DATA_BUILD_ID:
		return perf_data_add_build_id(data, record);
	case PERF_DATA_FINISHED_ROUND:
		perf_data_queue_round(&data->queue);
		return 0;
	case PERF_DATA_COMPRESSED:
	case PERF_DATA_COMPRESSED2:
		return perf_data_unpack(data, record);
	default:
		return 1;
	}
}

static int record_apply(struct perf_data *data, const struct perf_data_record *record)
{
	switch (record->type) {
	case PERF_DATA_SAMPLE:
		return record_sample(data, record);
	case PERF_DATA_MMAP:
	case PERF_DATA_MMAP2:
		return record_map(data, record);
	case PERF_DATA_COMM:
		return record_comm(data, record);
	case PERF_DATA_FORK:
		return record_fork(data, record);
	case PERF_DATA_KSYMBOL:
		return record_ksymbol(data, record);
	case PERF_DATA_CALLCHAIN_DEFERRED:
		return perf_data_deferred(data, record);
	case PERF_DATA_LOST:
	case PERF_DATA_LOST_SAMPLES:
		return record_lost(data, record);
	default:
		return 0;
	}
}

static struct perf_data_record record_cut(const struct perf_data *data, const uint8_t *bytes)
{
	return (struct perf_data_record){
		.body = bytes + PERF_DATA_RECORD,
		.bytes = (uint32_t)perf_data_u16(data, bytes + 6) - PERF_DATA_RECORD,
		.type = perf_data_u32(data, bytes),
		.misc = perf_data_u16(data, bytes + 4),
	};
}

/* One whose parts do not fit is counted; the others go on. */
static int record_counted(struct perf_data *data, int err)
{
	if (err == -EBADMSG) {
		data->counts.broken++;
		return 0;
	}
	return err;
}

int perf_data_apply(struct perf_data *data, const uint8_t *bytes)
{
	struct perf_data_record record = record_cut(data, bytes);

	return record_counted(data, record_apply(data, &record));
}

/* Whether something is to be done for records of that type, and they have a time. */
static bool record_is_timed(uint32_t type)
{
	return type == PERF_DATA_SAMPLE || type == PERF_DATA_MMAP || type == PERF_DATA_MMAP2 ||
	       type == PERF_DATA_COMM || type == PERF_DATA_FORK || type == PERF_DATA_KSYMBOL ||
	       type == PERF_DATA_CALLCHAIN_DEFERRED;
}

/* A record in the order of the file: it takes effect now, or waits for its turn. */
static int record_take(struct perf_data *data, const uint8_t *bytes)
{
	struct perf_data_record record = record_cut(data, bytes);
	const struct perf_data_event *event;
	uint64_t time;
	int err = record_immediate(data, &record);

	if (err <= 0)
		return record_counted(data, err);
	event = record_is_timed(record.type) ? perf_data_event_of(data, &record) : NULL;
	if (!event || !perf_data_time(data, event, &record, &time))
		return record_counted(data, record_apply(data, &record));
	err = perf_data_queue_add(&data->queue, time, bytes, PERF_DATA_RECORD + record.bytes);
	if (err <= 0)
		return err;
	data->counts.late++;
	return record_counted(data, record_apply(data, &record));
}

/* What follows a record and is not part of its size. */
static uint64_t record_tail(const struct perf_data *data, const uint8_t *bytes, uint16_t size)
{
	uint32_t type = perf_data_u32(data, bytes);

	if (type == PERF_DATA_TRACING_DATA && size >= 12)
		return ((uint64_t)perf_data_u32(data, bytes + 8) + 7) & ~UINT64_C(7);
	if (type == PERF_DATA_AUXTRACE && size >= 16)
		return perf_data_u64(data, bytes + 8);
	return 0;
}

/* Kernel, perf and others have numbers of 16 bits so far; 0 is none. */
static bool record_can_be(uint32_t type)
{
	return type && type <= UINT16_MAX;
}

int perf_data_take(struct perf_data *data, const uint8_t *bytes, size_t count, size_t *used)
{
	int err = 0;

	*used = 0;
	while (!err && !data->skip && !perf_data_queue_due(&data->queue) &&
	       count - *used >= PERF_DATA_RECORD) {
		const uint8_t *record = bytes + *used;
		uint16_t size = perf_data_u16(data, record + 6);

		if (size < PERF_DATA_RECORD || !record_can_be(perf_data_u32(data, record)))
			return 1;
		if (size > count - *used)
			break;
		err = record_take(data, record);
		*used += size;
		data->skip = record_tail(data, record, size);
	}
	return err;
}
