/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf.data: the body of a sample, whose fields are those that its event's attribute names, and when
 * a record happened. What follows the copy of the stack is not needed.
 */
#include "perf_data.h"

#define SAMPLE_BRANCH_CALLS    (UINT64_C(1) << 11)
#define SAMPLE_BRANCH_HW_INDEX (UINT64_C(1) << 17) /* Linux 5.7 */
#define SAMPLE_READ_LOST       (UINT64_C(1) << 4)  /* Linux 6.0 */

enum { SAMPLE_BRANCH = 24 /* bytes: from, to, flags */ };

/* The fields of a sample, from the first to the last. */
struct sample_fields {
	const struct perf_data *data;
	const uint8_t *at;
	size_t left;
	uint64_t type;
	bool broken;
};

static const uint8_t *fields_take(struct sample_fields *fields, uint64_t bytes)
{
	const uint8_t *at = fields->at;

	if (fields->broken || bytes > fields->left) {
		fields->broken = true;
		return NULL;
	}
	fields->at += bytes;
	fields->left -= (size_t)bytes;
	return at;
}

static uint64_t fields_u64(struct sample_fields *fields)
{
	const uint8_t *at = fields_take(fields, 8);

	return at ? perf_data_u64(fields->data, at) : 0;
}

/* A field that is there only where the attribute says so. */
static bool fields_have(const struct sample_fields *fields, uint64_t field)
{
	return fields->type & field;
}

static uint64_t fields_optional(struct sample_fields *fields, uint64_t field)
{
	return fields_have(fields, field) ? fields_u64(fields) : 0;
}

static void fields_pair(struct sample_fields *fields, uint32_t *first, uint32_t *second)
{
	const uint8_t *at = fields_take(fields, 8);

	if (!at)
		return;
	*first = perf_data_u32(fields->data, at);
	*second = perf_data_u32(fields->data, at + 4);
}

/* The counters' values: not needed, but in the way. */
static void fields_skip_read(struct sample_fields *fields, uint64_t format)
{
	uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			 !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	uint64_t values = 1 + !!(format & PERF_FORMAT_ID) + !!(format & SAMPLE_READ_LOST);
	uint64_t count = 1;

	if (format & PERF_FORMAT_GROUP) {
		count = fields_u64(fields);
		if (count > fields->left / 8)
			fields->broken = true;
	}
	if (!fields->broken)
		fields_take(fields, 8 * (times + values * count));
}

static const uint8_t *fields_list(struct sample_fields *fields, uint64_t item, uint64_t *count)
{
	*count = fields_u64(fields);
	if (*count > fields->left / item) {
		fields->broken = true;
		*count = 0;
	}
	return fields_take(fields, *count * item);
}

/* Of a tracepoint: its size, then so many bytes. */
static void fields_skip_raw(struct sample_fields *fields)
{
	const uint8_t *size = fields_take(fields, 4);

	if (size)
		fields_take(fields, perf_data_u32(fields->data, size));
}

/* The branches, where they are the calls that led here, the latest first. */
static void fields_calls(struct sample_fields *fields, uint64_t branch_type,
			 struct perf_data_sample *sample)
{
	uint64_t count = fields_u64(fields);

	if (branch_type & SAMPLE_BRANCH_HW_INDEX)
		fields_u64(fields);
	if (count > fields->left / SAMPLE_BRANCH) {
		fields->broken = true;
		return;
	}
	sample->branches = fields_take(fields, count * SAMPLE_BRANCH);
	sample->branch_count = branch_type & SAMPLE_BRANCH_CALLS ? count : 0;
}

static void fields_registers(struct sample_fields *fields, uint64_t mask,
			     struct perf_data_sample *sample)
{
	sample->register_abi = fields_u64(fields);
	if (sample->register_abi)
		sample->registers = fields_take(fields, 8 * (uint64_t)__builtin_popcountll(mask));
}

/* Room of a fixed size, of which so much was filled as the thread's stack had. */
static void fields_copy(struct sample_fields *fields, struct perf_data_sample *sample)
{
	uint64_t room = fields_u64(fields), filled;

	if (!room)
		return;
	sample->copy = fields_take(fields, room);
	filled = fields_u64(fields);
	sample->copy_bytes = filled < room ? filled : room;
}

int perf_data_decode(const struct perf_data *data, const struct perf_data_event *event,
		     const struct perf_data_record *record, struct perf_data_sample *sample)
{
	const struct perf_data_attr *attr = &event->attr;
	struct sample_fields fields = { data, record->body, record->bytes, attr->sample_type,
					false };
	uint32_t unused;

	*sample = (struct perf_data_sample){ .pid = WEIR_ABSENT_U32,
					     .tid = WEIR_ABSENT_U32,
					     .cpu = WEIR_ABSENT_U32,
					     .calls_at = UINT64_MAX,
					     .misc = record->misc };
	fields_optional(&fields, PERF_SAMPLE_IDENTIFIER);
	sample->ip = fields_optional(&fields, PERF_SAMPLE_IP);
	if (fields_have(&fields, PERF_SAMPLE_TID))
		fields_pair(&fields, &sample->pid, &sample->tid);
	sample->time = fields_optional(&fields, PERF_SAMPLE_TIME);
	fields_optional(&fields, PERF_SAMPLE_ADDR);
	fields_optional(&fields, PERF_SAMPLE_ID);
	fields_optional(&fields, PERF_SAMPLE_STREAM_ID);
	if (fields_have(&fields, PERF_SAMPLE_CPU))
		fields_pair(&fields, &sample->cpu, &unused);
	sample->period =
		fields_have(&fields, PERF_SAMPLE_PERIOD) ? fields_u64(&fields) : event->weight;
	if (fields_have(&fields, PERF_SAMPLE_READ))
		fields_skip_read(&fields, attr->read_format);
	if (fields_have(&fields, PERF_SAMPLE_CALLCHAIN))
		sample->chain = fields_list(&fields, 8, &sample->chain_count);
	if (fields_have(&fields, PERF_SAMPLE_RAW))
		fields_skip_raw(&fields);
	if (fields_have(&fields, PERF_SAMPLE_BRANCH_STACK))
		fields_calls(&fields, attr->branch_type, sample);
	if (fields_have(&fields, PERF_SAMPLE_REGS_USER))
		fields_registers(&fields, attr->user_registers, sample);
	if (fields_have(&fields, PERF_SAMPLE_STACK_USER))
		fields_copy(&fields, sample);
	return fields.broken ? -EBADMSG : 0;
}

/* Bytes of the fields of that order that a type has. */
static uint32_t fields_bytes(uint64_t type, uint64_t fields)
{
	return 8 * (uint32_t)__builtin_popcountll(type & fields);
}

bool perf_data_time(const struct perf_data *data, const struct perf_data_event *event,
		    const struct perf_data_record *record, uint64_t *time)
{
	uint64_t type = event->attr.sample_type;
	uint32_t at, back;

	if (!(type & PERF_SAMPLE_TIME))
		return false;
	if (record->type == PERF_DATA_SAMPLE) {
		at = fields_bytes(type, PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID);
	} else {
		back = 8 + fields_bytes(type, PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
						      PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER);
		if (!(event->attr.flags & PERF_DATA_FLAG_SAMPLE_ID_ALL) || record->bytes < back)
			return false;
		at = record->bytes - back;
	}
	if (record->bytes < at + 8)
		return false;
	*time = perf_data_u64(data, record->body + at);
	/* What perf makes up itself has none. */
	return *time && *time != UINT64_MAX;
}
